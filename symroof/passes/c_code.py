"""A program as C99: functions of doubles, with nothing but math.h."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from symroof.errors import EvaluationError
from symroof.limits import filled
from symroof.passes.code import WIDTH, indented
from symroof.passes.module import inputs_of, ordered, said
from symroof.passes.scalar_code import ScalarPrinter, block, listed
from symroof.passes.straighten import Program
from symroof.passes.whole import Wholes
from symroof.term import Largest, Term

if TYPE_CHECKING:
    from symroof.point import Point

# Ties of more values than this make a table that nobody reads.
_MOST_TIED = 8

_FLOOR = """\
/* The integer below x; a value that is within rounding of an integer is that integer. */
static double floor_(double x) {
    return floor(x + fmin($slack * fabs(x), $grain));
}"""

_CEILING = """\
/* The integer above x; a value that is within rounding of an integer is that integer. */
static double ceiling_(double x) {
    return 0 - floor_(-x);
}"""

_LARGER = """\
/* The larger of two numbers; nan where one is nan. */
static double larger_(double a, double b) {
    return a > b || isnan(a) ? a : b;
}"""

_SMALLER = """\
/* The smaller of two numbers; nan where one is nan. */
static double smaller_(double a, double b) {
    return a < b || isnan(a) ? a : b;
}"""

_DIVIDES = """\
/* True where the whole number b is a multiple of the whole number a. */
static int divides_(double a, double b) {
    return floor(b / a) * a == b;
}"""

_MEASURES = """\
/* True where b is a whole multiple of a, within rounding. */
static int measures_(double a, double b) {
    const double times = b / a;
    return fabs(times - floor(times + 0.5)) <= fmin($slack * fabs(times), $grain);
}"""

_DIFFERENCE = """\
/* What a is more than b; zero where that is within rounding of a. */
static double difference_(double a, double b) {
    return fabs(a - b) <= $slack * fabs(a) ? 0 : a - b;
}"""

_SAME = """\
/* True where a and b are equal within rounding. */
static int same_(double a, double b) {
    return fabs(a - b) <= $slack * fabs(b);
}"""

_AT_MOST = """\
/* True where a is not above b, within rounding. */
static int at_most_(double a, double b) {
    return a - b <= $slack * fabs(b);
}"""

_POWER = """\
/* A power; to a small whole number by multiplication, so that whole numbers stay whole. */
static double power_(double x, double n) {
    double product = 1;
    if (n != floor(n) || fabs(n) > 64) {
        return pow(x, n);
    }
    for (double i = 0; i < fabs(n); i += 1) {
        product *= x;
    }
    return n < 0 ? 1 / product : product;
}"""

_DRAWS = """\
/* True for a whole k from 0 to $said_draws: for another there is no binomial. */
static int draws_(double k) {
    return k >= 0 && k <= $draws && k == floor(k);
}"""

_CHOOSE = """\
/* The binomial coefficient, for whole k; each step is a binomial itself, so whole numbers stay whole. */
static double choose_(double n, double k) {
    double found = draws_(k) ? 1 : NAN;
    for (double j = 0; j < k && !isnan(found); j += 1) {
        found = found * (n - j) / (j + 1);
    }
    return found;
}"""

_HIT = """\
/* The chance 1 - binomial(a, k)/binomial(b, k), as a sum of what each draw adds, which loses no digits. */
static double hit_(double a, double b, double k) {
    double chance = draws_(k) ? 0 : NAN;
    for (double j = 0; j < k && !isnan(chance); j += 1) {
        chance += (1 - chance) * ((b - a) / (b - j));
    }
    return chance;
}"""

_NONE = """\
/* What a sum begins with: 0, or nan where an end is nan or there are more than $said_terms numbers between them. */
static double none_(double start, double stop) {
    return stop - start <= $terms ? 0 : NAN;
}"""

_LARGEST = """\
/* The name of the largest value; names with a comma between them where values are the same within rounding. */
static const char *largest_(const double *values, int count, const char *const *names) {
    double top = values[0];
    int bits = 0;
    for (int i = 1; i < count; ++i) {
        top = top > values[i] || isnan(top) ? top : values[i];
    }
    for (int i = 0; i < count; ++i) {
        bits |= (values[i] == top || top - values[i] < $tie * fabs(top)) << i;
    }
    return names[bits];
}"""

# Keywords, macros and functions of C and of the headers that a program is likely to include beside this code.
_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register restrict
return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Complex _Imaginary
alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual asm fortran main
complex imaginary I NULL EOF errno assert signgam offsetof size_t ptrdiff_t wchar_t float_t double_t va_list FILE fpos_t
stdin stdout stderr abort abs atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs lldiv malloc
mblen mbtowc qsort rand realloc srand strtod strtof strtol strtold strtoll strtoul strtoull system wctomb remove rename
tmpfile tmpnam fclose fflush fopen freopen setbuf setvbuf printf scanf sprintf snprintf sscanf vprintf putc puts putchar getc
gets getchar ungetc fread fwrite fseek ftell rewind clearerr feof ferror perror memchr memcmp memcpy memmove memset strcat
strchr strcmp strcoll strcpy strcspn strerror strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm
isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper
clock difftime mktime time asctime ctime gmtime localtime strftime clock_t time_t tm signal raise longjmp setjmp jmp_buf
index rindex read write open close link unlink pipe fork wait sleep pause access stat
"""
_MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin fmod
frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward
pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma
"""
_OTHERS = """
fpclassify isfinite isinf isnan isnormal signbit isgreater isgreaterequal isless islessequal islessgreater isunordered
NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO FP_FAST_FMA FP_ILOGB0 FP_ILOGBNAN
MATH_ERRNO MATH_ERREXCEPT math_errhandling gamma j0 j1 jn y0 y1 yn drem finite significand scalb exp10 pow10 sincos
M_E M_PI linux unix results compute all
"""
_RESERVED = frozenset(
    [*_KEYWORDS.split(), *_OTHERS.split(), *(f"{name}{kind}" for name in _MATH.split() for kind in ("", "f", "l"))]
)


class CPrinter(ScalarPrinter):
    """Prints C99."""

    helpers = MappingProxyType(
        {
            name: filled(source, "0x1p{}")
            for name, source in {
                "floor_": _FLOOR,
                "ceiling_": _CEILING,
                "larger_": _LARGER,
                "smaller_": _SMALLER,
                "divides_": _DIVIDES,
                "measures_": _MEASURES,
                "difference_": _DIFFERENCE,
                "same_": _SAME,
                "at_most_": _AT_MOST,
                "power_": _POWER,
                "draws_": _DRAWS,
                "choose_": _CHOOSE,
                "hit_": _HIT,
                "none_": _NONE,
                "largest_": _LARGEST,
            }.items()
        }
    )
    reserved = _RESERVED | frozenset(helpers)
    declares = ("const double", "double", "double")
    nan = "NAN"
    joins = MappingProxyType({"and": "&&", "or": "||"})

    def __init__(self, whole: Wholes) -> None:
        super().__init__(whole)
        self._ties: dict[tuple[str, ...], str] = {}

    def guard(self, word: str) -> str:
        """The name of a helper: a name that begins with a stroke is not ours to give in C."""
        return self.use(f"{word}_")

    def letters(self, name: str) -> str:
        """A name in ASCII."""
        return "".join(c if c.isascii() else f"u{ord(c):04x}" for c in name)

    def number(self, value: Fraction) -> str:
        """A number as a literal that is a double: one of an int would be computed with as one."""
        text = super().number(value)
        return text if "." in text or "e" in text else f"{text}.0"

    def extreme(self, function: str, parts: tuple[Term, ...]) -> str:
        """C's own fmax and fmin leave out a nan, and take two numbers."""
        name, text = self.guard("larger" if function == "Max" else "smaller"), self.text(parts[0])
        for part in parts[1:]:
            text = f"{name}({text}, {self.text(part)})"
        return text

    def largest(self, names: tuple[str, ...]) -> str:
        """A string out of a table: `ties` has one for every set of names.

        Raises:
            EvaluationError: there are too many names.
        """
        if len(names) > _MOST_TIED:
            raise EvaluationError(f"the largest of {len(names)} values cannot be named in C: {_MOST_TIED} are the most")
        table = self._ties.setdefault(names, self.name(f"ties_{len(self._ties) + 1}_"))
        values = ", ".join(self.name(n) for n in names)
        return f"{self.guard('largest')}((const double[]){{{values}}}, {len(names)}, {table})"

    def ties(self) -> list[str]:
        """The tables that are in use: where bit i of its place is set, the i-th name is in a string."""
        lines: list[str] = []
        for names, table in self._ties.items():
            sets = (", ".join(n for i, n in enumerate(names) if bits >> i & 1) for bits in range(1, 2 ** len(names)))
            rows = [f'"{s}",' for s in ("none", *sets)]
            lines += ["", f"static const char *const {table}[] = {{", *indented(rows), "};"]
        return lines


def c_module(point: Point, program: Program, printer: CPrinter, about: Iterable[str], names: Iterable[str]) -> str:
    """The source of a C file: a function for each quantity and, where they are several, `compute` with all of them.

    Args:
        about: what stands at its top, a paragraph each.
        names: the outputs that get a function of their own, in the arguments on which they depend.
    """
    names = tuple(names)
    print_ = _several if len(names) > 1 else _single
    declared, defined = print_(point, program, printer, names)
    helpers = [line for source in printer.helper_sources() for line in ("", source)]
    return "\n".join([*block(about), "", "#include <math.h>", *declared, *helpers, *printer.ties(), *defined, ""])


def _single(point: Point, program: Program, printer: CPrinter, names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The declaration and the definition of one function that computes one quantity."""
    (name,) = names
    inputs = ordered(point, program)
    signature = _signature(program, printer, name, inputs)
    arguments = [_order(point), *listed(point, program, printer, inputs)] if inputs else ["No arguments."]
    declared = ["", *block([_what(point, name), *arguments]), *_prototype(signature)]
    body = [*_lines(point, program, printer), f"return {printer.result(program.outputs[name])};"]
    return declared, ["", *_function(signature, body)]


def _several(point: Point, program: Program, printer: CPrinter, names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """`compute`, the struct that it returns, and a function for each quantity that asks it."""
    inputs = ordered(point, program)
    everything = _signature(program, printer, "compute", inputs)
    arguments = [_order(point), *listed(point, program, printer, inputs)] if inputs else ["No arguments."]
    declared = ["", *_struct(point, program, printer), "", *block(["All results at once.", *arguments]), *_prototype(everything)]
    results = [f"all.{printer.name(n)} = {printer.result(t)};" for n, t in program.outputs.items()]
    body = ["struct results all;", *_lines(point, program, printer), *results, "return all;"]
    defined = ["", *_function(everything, body)]
    for name in names:
        own = inputs_of(point, program, name)
        signature = _signature(program, printer, name, own)
        declared += ["", *block([_what(point, name), "Arguments as of compute."]), *_prototype(signature)]
        defined += ["", *_function(signature, _asked(program, printer, name, inputs, own))]
    return declared, defined


def _what(point: Point, name: str) -> str:
    return f"{said(point, name)}. Source: {point.book.quantities[name].ref}."


def _order(point: Point) -> str:
    return f"Arguments, in this order, in base units (bytes, seconds, FLOPs), each with its value of {point.label}:"


def _kind(program: Program, name: str) -> str:
    if name == "compute":
        return "struct results "
    return "const char *" if isinstance(program.outputs[name], Largest) else "double "


def _struct(point: Point, program: Program, printer: CPrinter) -> list[str]:
    fields: list[str] = []
    for name in program.outputs:
        fields += [*printer.comment(said(point, name)), f"{_kind(program, name)}{printer.name(name)};"]
    return ["/* All results, in base units. */", "struct results {", *indented(fields), "};"]


def _signature(program: Program, printer: CPrinter, name: str, inputs: Iterable[str]) -> list[str]:
    head = f"{_kind(program, name)}{name if name == 'compute' else printer.name(name)}("
    parameters = ", ".join(f"double {printer.name(n)}" for n in inputs) or "void"
    if len(head) + len(parameters) < WIDTH:
        return [f"{head}{parameters})"]
    glued = textwrap.wrap(parameters.replace("double ", "double\0"), WIDTH - 4)
    return [head, *indented(line.replace("\0", " ") for line in glued), ")"]


def _prototype(signature: list[str]) -> list[str]:
    return [*signature[:-1], f"{signature[-1]};"]


def _function(signature: list[str], body: list[str]) -> list[str]:
    return [*signature[:-1], f"{signature[-1]} {{", *indented(body), "}"]


def _lines(point: Point, program: Program, printer: CPrinter) -> list[str]:
    """The statements, after a word for a compiler that wonders about arguments that no line reads."""
    unread = [f"(void){printer.name(n)};" for n in program.inputs if n not in program.used]
    return [*unread, *printer.lines(point, program.statements)]


def _asked(program: Program, printer: CPrinter, name: str, inputs: Iterable[str], own: Iterable[str]) -> list[str]:
    """What asks `compute` for one result: arguments on which it does not depend are nan."""
    passed = ", ".join(printer.name(n) if n in own else printer.nan for n in inputs)
    return textwrap.wrap(f"return compute({passed}).{printer.name(name)};", WIDTH - 8, subsequent_indent="    ")
