"""A program as exact Python: every value an integer or a Fraction, with nothing but the standard library."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType

from symroof.errors import EvaluationError
from symroof.passes.code import Printer, assignment, comment, converted, indented
from symroof.passes.straighten import Loop
from symroof.point import Point
from symroof.term import Largest, Num, Term
from symroof.text import formula_text

_EXACT = '''\
def _exact(value):
    """The argument as a Fraction; a float is refused, because it is only near the number that it was written as."""
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float: give an int, a Fraction or a text such as '1/20'")
    return Fraction(value)'''

_PLAIN = '''\
def _plain(value):
    """An int where the value is one."""
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value'''

_DIVIDES = '''\
def _divides(a, b):
    """True where b is a whole multiple of a."""
    return a != 0 and (Fraction(b) / a).denominator == 1'''

_CHOOSE = '''\
def _choose(n, k):
    """The binomial coefficient in product form, for whole k."""
    if k < 0 or k != int(k):
        raise ValueError(f"a binomial needs a whole k, not {k}")
    return math.prod((Fraction(n - j) / (j + 1) for j in range(int(k))), start=Fraction(1))'''

_INDICES = '''\
def _indices(start, stop):
    """The whole numbers from start to stop."""
    if start != int(start) or stop != int(stop):
        raise ValueError(f"a sum runs over whole numbers, not from {start} to {stop}")
    return range(int(start), int(stop) + 1)'''

_LARGEST = '''\
def _largest(**values):
    """The name of the largest value; names with a comma between them where several are."""
    return ", ".join(name for name, value in values.items() if value == max(values.values()))'''


class PythonPrinter(Printer):
    """Prints exact Python."""

    imports = "import math\nfrom fractions import Fraction"
    helpers = MappingProxyType(
        {
            "_exact": _EXACT,
            "_plain": _PLAIN,
            "_divides": _DIVIDES,
            "_choose": _CHOOSE,
            "_indices": _INDICES,
            "_largest": _LARGEST,
        }
    )

    def prepare(self, inputs: tuple[str, ...]) -> list[str]:
        """The line that makes Fractions of the arguments."""
        return converted(inputs, self.use("_exact"))

    def result(self, term: Term) -> str:
        """An integer where a value is one."""
        return self.text(term) if isinstance(term, Largest) else f"{self.use('_plain')}({self.text(term)})"

    def number(self, value: Fraction) -> str:
        """A number as a literal."""
        return str(value.numerator) if value.denominator == 1 else f"Fraction({value.numerator}, {value.denominator})"

    def quotient(self, above: Term, below: Term) -> str:
        """Between two integers a stroke would give a float."""
        return f"Fraction({self.arguments((above, below))})"

    def power(self, base: Term, exponent: Term) -> str:
        """An integer to a negative power would be a float."""
        if isinstance(exponent, Num) and exponent.value >= 0:
            return super().power(base, exponent)
        return f"Fraction({self.text(base)}) ** {self.operand(exponent)}"

    def call(self, function: str, parts: tuple[Term, ...]) -> str:
        """A function, as Python has it."""
        names = {"Max": "max", "Min": "min", "floor": "math.floor", "ceiling": "math.ceil"}
        if function in names:
            return f"{names[function]}({self.arguments(parts)})"
        helpers = {"divides": "_divides", "binomial": "_choose"}
        if function in helpers:
            return f"{self.use(helpers[function])}({self.arguments(parts)})"
        raise EvaluationError(f"no Python for {function}")

    def case(self, condition: Term, then: Term, otherwise: Term) -> str:
        """One of two values, by a condition."""
        return f"({self.text(then)} if {self.text(condition)} else {self.text(otherwise)})"

    def logic(self, op: str, parts: tuple[Term, ...]) -> str:
        """Conditions joined."""
        return f"({f' {op} '.join(self.text(p) for p in parts)})"

    def loop(self, point: Point, loop: Loop) -> list[str]:
        """A loop that adds."""
        return [
            *comment(f"{loop.target}: the sum for {loop.index} from {formula_text(loop.start)} to {formula_text(loop.stop)}"),
            f"{loop.target} = 0",
            f"for {loop.index} in {self.use('_indices')}({self.arguments((loop.start, loop.stop))}):",
            *indented([*self.lines(point, loop.body), *assignment(loop.target, f"{loop.target} + {self.text(loop.summand)}")]),
        ]
