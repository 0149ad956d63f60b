"""A program as NumPy: every value an array of 64-bit floats, or a float."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType

from symroof.errors import EvaluationError
from symroof.limits import filled
from symroof.passes.code import assignment, comment, converted, indented
from symroof.passes.float_code import FloatPrinter
from symroof.passes.straighten import Loop
from symroof.point import Point
from symroof.term import Num, Term
from symroof.text import formula_text

_FLOATS = '''\
def _floats(values):
    """The argument as an array of 64-bit floats, whatever it was before."""
    return np.asarray(values, dtype=float)'''

_FLOOR = '''\
def _floor(x):
    """The integer below x; a value that is within rounding of an integer is that integer."""
    return np.floor(x + np.minimum($slack * np.abs(x), $grain))'''

_CEILING = '''\
def _ceiling(x):
    """The integer above x; a value that is within rounding of an integer is that integer."""
    return -_floor(-x)'''

_DIVIDES = '''\
def _divides(a, b):
    """True where the whole number b is a multiple of the whole number a."""
    return np.rint(b / a) * a == b'''

_MEASURES = '''\
def _measures(a, b):
    """True where b is a whole multiple of a, within rounding."""
    times = b / a
    return np.abs(times - np.rint(times)) <= np.minimum($slack * np.abs(times), $grain)'''

_DIFFERENCE = '''\
def _difference(a, b):
    """What a is more than b; zero where that is within rounding of a."""
    rest = a - b
    return np.where(np.abs(rest) <= $slack * np.abs(a), 0, rest)'''

_SAME = '''\
def _same(a, b):
    """True where a and b are equal within rounding."""
    return np.abs(a - b) <= $slack * np.abs(b)'''

_AT_MOST = '''\
def _at_most(a, b):
    """True where a is not above b, within rounding."""
    return a - b <= $slack * np.abs(b)'''

_STEPS = '''\
def _steps(k):
    """0, 1, ..., k - 1 for the largest k."""
    last = np.fmax.reduce(np.ravel(k), initial=0)
    if last > $draws:
        raise ValueError(f"a binomial needs a whole k from 0 to $said_draws, not {last:g}")
    return range(int(last))'''

_CHOOSE = '''\
def _choose(n, k):
    """The binomial coefficient, for whole k; each step is a binomial itself, so whole numbers stay whole."""
    result = np.where((k >= 0) & (k == np.rint(k)), 1.0, np.nan)
    for j in _steps(k):
        result = np.where(j < k, result * (n - j) / (j + 1), result)
    return result'''

_HIT = '''\
def _hit(a, b, k):
    """The chance 1 - binomial(a, k)/binomial(b, k), as a sum of what each draw adds, which loses no digits."""
    gap, chance = b - a, np.where((k >= 0) & (k == np.rint(k)), 0.0, np.nan)
    for j in _steps(k):
        more = chance + (1 - chance) * (gap / (b - j))
        chance = more if np.ndim(k) == 0 else np.where(j < k, more, chance)
    return chance'''

_INDICES = '''\
def _indices(start, stop):
    """The whole numbers from the least start to the greatest stop."""
    first = np.fmin.reduce(np.ravel(_floats(start)), initial=np.inf)
    last = np.fmax.reduce(np.ravel(_floats(stop)), initial=-np.inf)
    if last - first > $terms:
        raise ValueError(f"a sum runs over at most $said_terms whole numbers, not from {first:g} to {last:g}")
    return range(int(first), int(last) + 1) if first <= last else range(0)'''

_LARGEST = '''\
def _largest(**values):
    """The name of the largest value; names with a comma between them where values are the same within rounding."""
    stack = np.stack(np.broadcast_arrays(*values.values()))
    top = stack.max(axis=0)
    tied = (stack == top) | (top - stack < $tie * np.abs(top))
    code = sum(t.astype(int) << i for i, t in enumerate(tied))
    names = {c: ", ".join(n for i, n in enumerate(values) if c >> i & 1) or "none" for c in np.unique(code).tolist()}
    labels = np.empty(max(names, default=0) + 1, dtype=object)
    for c, name in names.items():
        labels[c] = name
    return labels[code]'''


class NumpyPrinter(FloatPrinter):
    """Prints NumPy."""

    imports = "import numpy as np"
    rounding = ("np.floor", "np.ceil")
    negation = "np.logical_not({})"
    # Divisions by zero and overflows are inf or nan without a word: one branch of a case is no concern of the other.
    decorators = ('@np.errstate(divide="ignore", invalid="ignore", over="ignore")',)
    helpers = MappingProxyType(
        {
            name: filled(source, "2.0**{}", "_")
            for name, source in {
                "_floats": _FLOATS,
                "_floor": _FLOOR,
                "_ceiling": _CEILING,
                "_divides": _DIVIDES,
                "_measures": _MEASURES,
                "_difference": _DIFFERENCE,
                "_same": _SAME,
                "_at_most": _AT_MOST,
                "_steps": _STEPS,
                "_choose": _CHOOSE,
                "_hit": _HIT,
                "_indices": _INDICES,
                "_largest": _LARGEST,
            }.items()
        }
    )

    def prepare(self, inputs: tuple[str, ...]) -> list[str]:
        """The line that makes arrays of floats of the arguments."""
        return converted(inputs, self.use("_floats"))

    def quotient(self, above: Term, below: Term) -> str:
        """A division; one by zero, in a branch that is never taken, is nan."""
        if below == Num(Fraction(0)):
            return "np.nan"
        return super().quotient(above, below)

    def call(self, function: str, parts: tuple[Term, ...]) -> str:
        """A function, as NumPy has it."""
        match function:
            case "Max" | "Min":
                return self._extreme("np.maximum" if function == "Max" else "np.minimum", parts)
            case "floor" | "ceiling":
                return self.rounded(function, parts[0])
            case "divides":
                return self.divides(parts)
            case "binomial" | "hit":
                self.use("_steps")
                return f"{self.use('_choose' if function == 'binomial' else '_hit')}({self.arguments(parts)})"
            case "difference":
                return f"{self.use('_difference')}({self.arguments(parts)})"
        raise EvaluationError(f"no NumPy for {function}")

    def case(self, condition: Term, then: Term, otherwise: Term) -> str:
        """One of two values, by a condition."""
        return f"np.where({self.arguments((condition, then, otherwise))})"

    def logic(self, op: str, parts: tuple[Term, ...]) -> str:
        """Conditions joined."""
        return f"({(' & ' if op == 'and' else ' | ').join(self.text(p) for p in parts)})"

    def loop(self, point: Point, loop: Loop) -> list[str]:
        """A loop that adds."""
        start, stop = loop.start, loop.stop
        varying = [end for end in (start, stop) if not _fixed(end)]
        if not varying:
            first, indices = "0", f"range({self.text(start)}, {self.text(stop)} + 1)"
            added = self.text(loop.summand)
        else:
            first = f"np.zeros(np.shape({' + '.join(self.operand(end) for end in varying)}))"
            indices = f"{self.use('_indices')}({self.arguments((start, stop))})"
            inside = [f"({self.text(start)} <= {loop.index})"] if start in varying else []
            inside += [f"({loop.index} <= {self.text(stop)})"] if stop in varying else []
            added = f"np.where({' & '.join(inside)}, {self.text(loop.summand)}, 0)"
        return [
            *comment(f"{loop.target}: the sum for {loop.index} from {formula_text(start)} to {formula_text(stop)}"),
            f"{loop.target} = {first}",
            f"for {loop.index} in {indices}:",
            *indented([*self.lines(point, loop.body), *assignment(loop.target, f"{loop.target} + {added}")]),
        ]

    def _extreme(self, name: str, parts: tuple[Term, ...]) -> str:
        text = self.text(parts[0])
        for part in parts[1:]:
            text = f"{name}({text}, {self.text(part)})"
        return text


def _fixed(end: Term) -> bool:
    """True for an end that is a whole number already."""
    return isinstance(end, Num) and end.value.denominator == 1
