"""What a derivation may declare, and every refusal, with the file and line of what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

import symroof
from symroof import COUNT, LENGTHS, NONNEGATIVE, POSITIVE, REAL, SHARE, SWITCH, TALLY
from symroof.definition import Domain
from symroof.errors import DefinitionError, SymroofError

# The modules that `write_book` writes begin with two import lines: the text of a test starts on line 3, after an empty one.
GOOD = """
    @quantity("1", ref="arithmetic")
    def double(n):
        \"\"\"Twice the count.\"\"\"
        return 2 * n
"""


def refusal(write_book, **modules: str) -> str:
    with pytest.raises(SymroofError) as raised:
        symroof.load(write_book(**modules))
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '@quantity("1", ref="r", latx="x")\ndef q(n):\n    "Says."\n    return n',
            "book/ch01.py:4: q: unknown field 'latx'; did you mean latex?",
        ),
        (
            '@quantity("1", ref="r", colour="red")\ndef q(n):\n    "Says."\n    return n',
            "book/ch01.py:4: q: unknown field 'colour'; fields are latex, ref, assumes",
        ),
        ('@quantity("1", ref="r")\ndef q(n):\n    return n', "book/ch01.py:4: q: no docstring: say what it is"),
        (
            '@quantity("1")\ndef q(n):\n    "Says."\n    return n',
            "book/ch01.py:4: q: no source: say where the formula comes from with ref=...",
        ),
        (
            '@quantity("1", ref="r")\ndef q(*names):\n    "Says."\n    return 1',
            "book/ch01.py:4: q: argument names must be a plain name of the book",
        ),
        (
            '@quantity("1", ref="r")\ndef q(n, **more):\n    "Says."\n    return n',
            "book/ch01.py:4: q: argument more must be a plain name of the book",
        ),
        (
            '@quantity("1", ref="r")\ndef q(n=3):\n    "Says."\n    return n',
            "book/ch01.py:4: q: argument n must be a plain name of the book",
        ),
        (
            '@quantity\ndef q(n):\n    "Says."\n    return n',
            'book/ch01.py:4: the unit comes first: @quantity("byte@hbm", ref=...)',
        ),
        ("@constraint\ndef c(n):\n    return n > 1", "book/ch01.py:4: c: no docstring: say what it is"),
        (
            '@constraint\ndef c(n):\n    "Says."\n    return n + 1',
            "book/ch01.py:4: c: a constraint returns a condition, such as divides(a, b)",
        ),
        (
            'way = convention("says", default="z", ref="r", x="one", y="other")',
            "book/ch01.py:4: the default 'z' is none of the choices x, y",
        ),
        (
            '@quantity("1", ref="r")\ndef q(n):\n    "Says."\n    return 0.5 * n',
            "book/ch01.py:4: q: the float 0.5 is not exact: write a fraction of integers, such as Fraction(1, 2)",
        ),
        (
            '@quantity("1", ref="r")\ndef q(n):\n    "Says."\n    return n if n > 1 else 1',
            "book/ch01.py:4: q: a formula has no truth value while it is derived: write where(condition, then, otherwise)",
        ),
        ('@quantity("1", ref="r")\ndef q(n):\n    "Says."\n    return None', "book/ch01.py:4: q: None is no part of a formula"),
        (
            '@quantity("1", ref="r")\ndef q(n):\n    "Says."\n    return n.up',
            "book/ch01.py:4: q: the formula raises AttributeError: 'Ref' object has no attribute 'up'",
        ),
        (
            '@quantity("byts", ref="r")\ndef q(n):\n    "Says."\n    return n',
            "book/ch01.py:4: q: unit 'byts': 'byts' is no unit; did you mean byte? "
            '(a label of your own goes into book/book.toml: labels = ["..."])',
        ),
        ('m = symbol("1 /", "says")', "book/ch01.py:4: m: unit '1 /' is none: write units"),
    ],
)
def test_refusals_have_file_line_and_name(write_book, text: str, message: str) -> None:
    found = refusal(write_book, ch01=f"\n{text}")
    # Once SymPy is loaded, it is asked first whether a value is a part of a formula, and names it by its type.
    assert found.replace("NoneType is", "None is").startswith(message)


WAY = 'way = convention("says", default="x", ref="r", x="one", y="other")\n'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("way.choose(x=n)", "no formula for way = y"),
        ("way.choose(x=n, y=1, yy=2)", "convention way has no choice 'yy'; did you mean y?"),
        ("way.choose(x=n, y=1, zebra=2)", "convention way has no choice 'zebra'; it has x, y"),
        ('n if way == "x" else 1', "way is not compared while a formula is derived: write way.choose(...)"),
        ("way", "no part of a formula"),
        ("way + 1", "the formula raises TypeError"),
    ],
)
def test_a_convention_needs_a_formula_for_every_choice(write_book, body: str, message: str) -> None:
    found = refusal(write_book, ch01=f'\n{WAY}@quantity("1", ref="r")\ndef q(n, way):\n    "Says."\n    return {body}')
    assert found.startswith("book/ch01.py:5: q: ")
    assert message in found


def test_choices_keep_the_order_of_the_convention(write_book) -> None:
    book = symroof.load(
        write_book(ch01=f'\n{WAY}@quantity("1", ref="r")\ndef q(n, way):\n    "Says."\n    return way.choose(y=1, x=n)')
    )
    assert [choice for choice, _ in book.formulas["q"].options] == ["x", "y"]
    assert (book.at()["q"].exact, book.at(way="y")["q"].exact) == (6, 1)


def test_a_declaration_is_still_a_function(write_book) -> None:
    book = symroof.load(write_book(ch01=GOOD))
    assert book.quantities["double"](21) == 42


def test_assumptions_are_one_sentence_or_several(write_book) -> None:
    text = '@quantity("1", ref="r", assumes={})\ndef {}(n):\n    "Says."\n    return n\n'
    book = symroof.load(write_book(ch01="\n" + text.format('"a b"', "one") + text.format('("a", "b")', "two")))
    assert (book.quantities["one"].assumes, book.quantities["two"].assumes) == (("a b",), ("a", "b"))


@pytest.mark.parametrize(
    ("domain", "inside", "outside", "assumptions"),
    [
        (COUNT, (1, 7), (0, -1, "1/2"), {"integer", "positive"}),
        (TALLY, (0, 7), (-1, "1/2"), {"integer", "nonnegative"}),
        (SWITCH, (0, 1), (2, -1, "1/2"), {"integer", "nonnegative"}),
        (POSITIVE, (1, "1/1000"), (0, -1), {"positive"}),
        (NONNEGATIVE, (0, 1, "1/1000"), (-1, "-1/1000"), {"nonnegative"}),
        (SHARE, (1, "1/3"), (0, "1001/1000", -1), {"positive"}),
        (REAL, (0, "1/3", -1), (), {"real"}),
        (LENGTHS, (1, 9), (0, "3/2"), {"integer", "positive"}),
        (Domain("at least -2", "a whole number from -2", Fraction(-2), whole=True), (-2, 3), (-3, "1/2"), {"integer"}),
    ],
    ids=lambda found: found.name if isinstance(found, Domain) else None,
)
def test_domains_admit_what_they_say(domain: Domain, inside: tuple, outside: tuple, assumptions: set[str]) -> None:
    assert all(domain.admits(Fraction(v)) for v in inside)
    assert not any(domain.admits(Fraction(v)) for v in outside)
    assert domain.assumptions == dict.fromkeys(assumptions, True)


@pytest.mark.parametrize(
    ("declaration", "says"),
    [
        ('m = symbol("1", "says", domain=REAL)', "says: an input may not be negative"),
        ('@argument("1", ref="r", domain=REAL)\ndef m(n):\n    "Says."\n    return n', "m: an input may not be negative"),
        ('@quantity("1", ref="r", domain="real")\ndef m(n):\n    "Says."\n    return n', "m: domain='real' is no domain"),
        ('m = symbol("1", "says", domain=-1)', "says: domain=-1 is no domain: say TALLY"),
    ],
)
def test_a_domain_is_one_and_inputs_are_not_negative(write_book, declaration: str, says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        symroof.load(write_book(ch01=declaration))


def test_a_bad_declaration_raises_where_python_meets_it() -> None:
    with pytest.raises(DefinitionError, match=r"test_definition\.py:\d+: the default"):
        symroof.convention("says", default="z", ref="r", x="one")
