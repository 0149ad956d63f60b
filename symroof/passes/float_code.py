"""What the languages of 64-bit floats share: numbers as literals, and guards against rounding where a value is not whole."""

from __future__ import annotations

from fractions import Fraction

from symroof.errors import EvaluationError
from symroof.passes.code import Printer
from symroof.passes.whole import Wholes
from symroof.term import Div, Term


class FloatPrinter(Printer):
    """Prints code of floats; `whole` says which terms need no guard.

    Attributes:
        rounding: the language's own functions for floor and ceiling.
        negation: how a condition is turned round.
    """

    rounding: tuple[str, str] = ("floor", "ceil")
    negation: str = "!{}"

    def __init__(self, whole: Wholes) -> None:
        super().__init__()
        self.whole = whole

    def guard(self, word: str) -> str:
        """The name of the helper that goes by a word."""
        return self.use(f"_{word}")

    def number(self, value: Fraction) -> str:
        """A number as a literal."""
        if value.denominator == 1 and abs(value) < 2**53:
            return str(value.numerator)
        try:
            return repr(float(value))
        except OverflowError:
            raise EvaluationError(f"a number of {value.numerator.bit_length()} bits is too large for a float") from None

    def relation(self, op: str, left: Term, right: Term) -> str:
        """Whole numbers are compared as they are; other values are equal where rounding alone keeps them apart."""
        if self.whole(left) and self.whole(right):
            return super().relation(op, left, right)
        a, b = self.text(left), self.text(right)
        match op:
            case "==":
                return f"{self.guard('same')}({a}, {b})"
            case "!=":
                return self.negation.format(f"{self.guard('same')}({a}, {b})")
            case "<=":
                return f"{self.guard('at_most')}({a}, {b})"
            case ">=":
                return f"{self.guard('at_most')}({b}, {a})"
            case "<":
                return self.negation.format(f"{self.guard('at_most')}({b}, {a})")
        return self.negation.format(f"{self.guard('at_most')}({a}, {b})")

    def divides(self, parts: tuple[Term, ...]) -> str:
        """Whether a number is a multiple of another, within rounding where they are not whole."""
        return f"{self.guard('divides' if all(map(self.whole, parts)) else 'measures')}({self.arguments(parts)})"

    def rounded(self, function: str, term: Term) -> str:
        """A quotient of whole numbers is rounded once, and never across an integer."""
        exact = self.whole(term) or (isinstance(term, Div) and self.whole(term.numerator) and self.whole(term.denominator))
        if exact:
            return f"{self.rounding[function == 'ceiling']}({self.text(term)})"
        if function == "ceiling":
            self.guard("floor")
        return f"{self.guard(function)}({self.text(term)})"
