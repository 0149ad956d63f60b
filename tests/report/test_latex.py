import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.book import Book
from symroof.report.latex import derivation, ems, formula_latex, number_latex, number_text_latex, symbol_latex, unit_latex
from symroof.term import (
    Add,
    At,
    Choose,
    Largest,
    Logic,
    Max,
    Min,
    Num,
    Ref,
    Term,
    binomial,
    ceiling,
    divides,
    either,
    equal,
    floor,
    hbm,
    total,
    total_range,
    where,
)

BOOK = symroof.load(Path(__file__).parent.parent / "books" / "report_fixture")
a, b, k, s, EP = (Ref(n) for n in ("row_bytes", "context", "top_k", "stage", "EP"))
half = Num(Fraction(1, 2))


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (k * (1 - 1 / EP), r"k \left( 1 - \frac{1}{\mathrm{EP}} \right)"),
        (a * b, r"\mathrm{row\_bytes}\, S"),
        (2 * hbm * k, r"2\, k"),
        (k * 3 * b, r"k \cdot 3\, S"),
        (b - k - s, "S - k - s"),
        (b - (k - s), "S - (k - s)"),
        (-b + k, "-S + k"),
        (-(b + k), "-(S + k)"),
        (b * -k, "S\\, (-k)"),
        (b / k / s, r"\frac{S}{k\, s}"),
        (b / (k / s), r"\frac{S}{k / s}"),
        (b / (k / (s * EP)), r"\frac{S}{k / (s\, \mathrm{EP})}"),
        (half * b, r"\frac{1}{2}\, S"),
        (b**2, "S^{2}"),
        ((b + 1) ** 2, "(S + 1)^{2}"),
        (Ref("keys") ** 2, r"(n^{\mathrm{key}})^{2}"),
        (b**half, r"\sqrt{S}"),
        (Max(b, k), r"\max(S, k)"),
        (b * Min(b / k, s), r"S \min\left( \frac{S}{k}, s \right)"),
        (ceiling(b / k), r"\left\lceil \frac{S}{k} \right\rceil"),
        (floor(b), r"\lfloor S \rfloor"),
        (binomial(b - b / EP, k), r"\binom{S - S / \mathrm{EP}}{k}"),
        (divides(EP, b), r"\mathrm{EP} \mid S"),
        (either(b <= k, equal(EP, 1)), r"S \le k \text{ or } \mathrm{EP} = 1"),
        (Logic("and", (either(b <= k, s > 1), b < s)), r"(S \le k \text{ or } s > 1) \text{ and } S < s"),
        (
            where(s >= 1, b / k, where(s >= 0, b, 0)),
            r"\begin{cases} \displaystyle \frac{S}{k} & \text{if } s \ge 1 \\ S & \text{if } s \ge 0 \\"
            r" 0 & \text{otherwise} \end{cases}",
        ),
        (
            Choose("counting", (("half", b / 2), ("full_one", b))),
            r"\begin{cases} \displaystyle \frac{S}{2} & \mathrm{half} \\ S & \mathrm{full\_one} \end{cases}",
        ),
        (At("hop_blocks", (("stage", EP - 1),)), r"n_{\mathrm{hop}}(\mathrm{EP} - 1)"),
        (At("hop_blocks", (("stage", EP), ("context", k))), r"n_{\mathrm{hop}}(s = \mathrm{EP}, S = k)"),
        (total(Ref("docs"), lambda one: one**2 + 1), r"\sum_{x \in \mathrm{docs}} (x^{2} + 1)"),
        (total_range(1, EP - 1, lambda hop: hop * b), r"\sum_{\mathrm{hop} = 1}^{\mathrm{EP} - 1} \mathrm{hop}\, S"),
        (total_range(1, EP, lambda i: i) * b, r"\left( \sum_{i = 1}^{\mathrm{EP}} i \right) S"),
        (Largest(("wire_time", "idle_time")), r"\mathop{\mathrm{arg\,max}}(t_{\mathrm{wire}}, t_{\mathrm{idle}})"),
        (Ref("payload_bytes") + 10**12, r"\mathrm{payload\_bytes} + 10^{12}"),
    ],
)
def test_formula(term: Term, expected: str) -> None:
    assert formula_latex(term, BOOK) == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (Num(Fraction(92)) * 16 * 3 * 3584 * 3072, r"92 \cdot 16 \cdot 3 \cdot 3584 \cdot 3072"),
        (Num(Fraction(16)) * (1 - 1 / Num(Fraction(64))), r"16 \cdot \left( 1 - \frac{1}{64} \right)"),
        (Num(Fraction(64, 7)) / Num(Fraction(5 * 10**10)), r"\frac{9.14286}{5 \times 10^{10}}"),
        (Num(Fraction(5 * 10**10)) ** 2, r"(5 \times 10^{10})^{2}"),
        (Num(Fraction(3)) + Num(Fraction(-2)), r"3 + (-2)"),
        (Add(tuple(Num(Fraction(i)) for i in range(40))), r"0 + 1 + 2 + \cdots + 39"),
    ],
)
def test_substituted_line(term: Term, expected: str) -> None:
    assert formula_latex(term, BOOK, values=True) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(0), "0"),
        (Fraction(3584), "3584"),
        (Fraction(48_620_371_968), "48{,}620{,}371{,}968"),
        (Fraction(2_500_000_000_000_000), r"2.5 \times 10^{15}"),
        (Fraction(10**9), "10^{9}"),
        (Fraction(12_345_678_901_234_567), r"1.23457 \times 10^{16}"),
        (Fraction(63, 4), "15.75"),
        (Fraction(-63, 4), "-15.75"),
        (Fraction(1_029, 1_000_000), "0.001029"),
        (Fraction(7, 71), "0.0985915"),
        (Fraction(1, 3 * 10**9), r"3.33333 \times 10^{-10}"),
        (Fraction(999_999_999_999, 10**12), "1"),
    ],
)
def test_number(value: Fraction, expected: str) -> None:
    assert number_latex(value) == expected


@given(st.fractions().filter(bool))
def test_nothing_that_is_not_zero_prints_as_zero(value: Fraction) -> None:
    assert any(c in "123456789" for c in number_latex(value).partition(r"\times")[0])


@given(st.fractions(max_denominator=10**30), st.integers(-40, 40))
def test_a_printed_number_is_right_to_six_digits(value: Fraction, power: int) -> None:
    value *= Fraction(10) ** power
    mantissa, _, exponent = number_latex(value).replace("{,}", "").partition(r" \times 10^{")
    if mantissa.startswith(("10^{", "-10^{")):
        mantissa, exponent = ("-1" if value < 0 else "1"), mantissa.lstrip("-").removeprefix("10^{")
    read = Fraction(mantissa) * Fraction(10) ** int(exponent.rstrip("}") or 0)
    assert abs(read - value) <= abs(value) * Fraction(5, 10**6)


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("copy/token", r"\mathrm{copy/token}"),
        ("GB@nvlink/s", r"\mathrm{GB_{nvlink}/s}"),
        ("µs", r"\mu\mathrm{s}"),
        ("%", r"\mathrm{\%}"),
    ],
)
def test_unit(unit: str, expected: str) -> None:
    assert unit_latex(unit) == expected


def test_number_text() -> None:
    assert number_text_latex("-12,345.6") == "-12{,}345.6"
    assert number_text_latex("1.2e-5") == r"1.2 \times 10^{-5}"


def test_derivation_is_symbol_formula_numbers_and_value() -> None:
    point = BOOK.at()
    formula, numbers = r"k \left( 1 - \frac{1}{\mathrm{EP}} \right)", r"8 \cdot \left( 1 - \frac{1}{8} \right)"
    assert derivation(point["copies"]) == rf"\rho = {formula} = {numbers} = 7\,\mathrm{{copy/token}}"
    assert derivation(point["top_k"]) == r"k = 8\,\mathrm{expert}"
    assert derivation(point["slowest"]).endswith(r"= t_{\mathrm{wire}}")


def test_a_rounded_value_is_not_called_equal() -> None:
    assert r"\approx 65.245\,\mu\mathrm{s}" in derivation(BOOK.at()["wire_time"])


def test_derivation_without_a_value_is_the_formula() -> None:
    assert derivation(BOOK.at()["observed_ratio"]) == r"\gamma = \frac{t_{\mathrm{obs}}}{t_{\mathrm{step}}}"


def test_a_pinned_quantity_shows_its_value_alone() -> None:
    assert derivation(BOOK.at(copies="3/2")["copies"]) == r"\rho = 1.5\,\mathrm{copy/token}"


def test_notebook_output_is_display_mathematics() -> None:
    assert BOOK.at()["copies"]._repr_latex_().startswith(r"$\displaystyle \rho = ")


wide = [Ref(n) for n in ("payload_bytes", "row_bytes", "wire_time", "idle_time", "step_time", "mean_length")]


LONG = [
    Add(tuple(wide * 3)),
    wide[0] * wide[1] * wide[2] * wide[0] * wide[1] * wide[2] * wide[0] * wide[1] * wide[0] * wide[1],
    wide[0] * Add(tuple(wide * 2)),
    Add(tuple(wide * 2)) / Add(tuple(wide)),
    Max(*wide, *wide),
    -(Add(tuple(wide * 2))) * wide[0] - wide[1] * (wide[2] + wide[3] * Add(tuple(wide * 2))),
    where(wide[2] <= wide[3], Add(tuple(wide * 2)), 0),
    binomial(b - b / EP, k) * total(Ref("docs"), lambda one: one ** Add(tuple(wide[:2]))) + ceiling(Add(tuple(wide * 2))),
]


@pytest.mark.parametrize("width", [18, 26, 45])
@pytest.mark.parametrize("term", LONG)
def test_long_formulas_break(term: Term, width: float) -> None:
    whole, broken = formula_latex(term, BOOK), formula_latex(term, BOOK, width=width)
    assert broken == whole or r"\begin{aligned}" in broken
    assert broken.count("{") == broken.count("}")
    assert broken.count(r"\left") == broken.count(r"\right")


def test_no_formula_is_wider_than_it_was_asked_to_be(pdflatex: Callable[[str, int], str]) -> None:
    """TeX itself measures the boxes: no estimate of a width is too small."""
    cases = [(formula_latex(t, BOOK, width=w), w) for t in LONG for w in (18, 26, 45)]
    assert [(tex, m) for (tex, w), m in zip(cases, _ems_in_tex([tex for tex, _ in cases], pdflatex), strict=True) if m > w] == []


def test_widths_are_estimated_closely(book: Book, pdflatex: Callable[[str, int], str]) -> None:
    """Too small an estimate overflows the page, too large a one breaks what would fit."""
    symbols = [symbol_latex(book, n) for n in book.declared]
    measured = zip(symbols, _ems_in_tex(symbols, pdflatex), strict=True)
    assert [(tex, real, ems(tex)) for tex, real in measured if not real * 0.98 <= ems(tex) <= real * 1.5 + 0.5] == []


def _ems_in_tex(formulas: Sequence[str], pdflatex: Callable[[str, int], str]) -> list[float]:
    boxes = "\n".join(rf"\sbox0{{$\displaystyle {tex}$}}\typeout{{WIDTH \the\wd0}}" for tex in formulas)
    log = pdflatex(rf"\documentclass{{article}}\usepackage{{amsmath}}\begin{{document}}{boxes}\end{{document}}", 1)
    return [float(w) / 10 for w in re.findall(r"WIDTH ([\d.]+)pt", log)]


def test_a_product_does_not_leave_a_short_factor_alone() -> None:
    broken = formula_latex(k * Add(tuple(wide * 2)), BOOK, width=30)
    assert broken.startswith(r"k \left( \begin{aligned}")
