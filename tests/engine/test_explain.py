"""Printed numbers: every combination is looked at, the plainest explanation comes first, and exact arithmetic decides."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.errors import BookError, RequestError
from symroof.factor import read_factors
from symroof.figure import read_figure
from symroof.passes import explain as explaining
from symroof.passes.explain import Explained, explain

CHAPTER = '''
    heads = convention("which heads", default="all", ref="r", mistaken=("double",), all="all", half="half", double="twice")
    ends = convention("whether ends count", default="out", ref="r", out="no ends", into="ends")
    again = convention("once more", default="once", ref="r", once="once", twice="twice", never="without a value")
    idle = convention("something that does not matter here", default="a", ref="r", a="one way", b="another")
    tool = named_sets(
        "tools",
        ours=("this book", {"heads": "all", "ends": "out", "again": "once"}),
        theirs=("another tool", {"heads": "half", "again": "twice"}),
    )

    @quantity("FLOP/token", ref="r")
    def width(heads, n):
        """Width."""
        return FLOP * heads.choose(all=n, half=n / 2, double=2 * n)

    @quantity("FLOP/token", ref="r", domain=REAL)
    def work(width, ends, again, idle, n, k, lacking):
        """Work."""
        times = again.choose(once=1, twice=2, never=lacking)
        return times * width + ends.choose(out=0, into=7 * FLOP) + idle.choose(a=0, b=(k - 2) * FLOP)

    @quantity("name", ref="r")
    def which(width, work):
        """Which is larger."""
        return largest(width=width, work=work)
'''
SYMBOLS = """
    from symroof import COUNT, symbol
    n = symbol("1", "a count")
    k = symbol("1", "another count")
    lacking = symbol("1", "what no preset has")
"""
FACTORS = """
    [[factor]]
    name = "thousand"
    says = "of a thousand tokens, printed as of one"
    by = "1000 * k / 2"
    units = ["FLOP/token"]

    [[factor]]
    name = "missing"
    says = "what has no value here"
    by = "lacking"
    units = ["*"]
"""


@pytest.fixture
def point(write_book) -> symroof.Point:
    return symroof.load(
        write_book(symbols=SYMBOLS, values="n = 1000\nk = 2", ch01_a=CHAPTER, files={"factors.toml": FACTORS})
    ).at()


def of(point: symroof.Point, text: str, name: str = "work") -> Explained:
    return explain(point, name, read_figure(name, text, point[name].unit))


def told(found: Explained) -> list[tuple[dict, dict, str | None]]:
    return [(dict(m.way.named), dict(m.way.beside), m.factor and m.factor.name) for m in found.matches]


def test_the_choices_in_force_explain_their_own_value(point: symroof.Point) -> None:
    found = of(point, "1000")
    assert found.how == "exact"
    assert told(found) == [({}, {}, None)]
    assert found.matches[0].departures == 0


def test_one_departure(point: symroof.Point) -> None:
    assert told(of(point, "1007")) == [({}, {"ends": "into"}, None)]


def test_a_named_set_is_one_departure_and_the_rest_is_told_from_it(point: symroof.Point) -> None:
    found = of(point, "507")
    assert told(found)[0] == ({}, {"heads": "half", "ends": "into"}, None)
    with_set = of(point.set(n=100), "107")
    assert told(with_set)[0] == ({}, {"ends": "into"}, None)
    both = of(point.set(heads="double"), "2000")
    assert told(both)[0] == ({}, {}, None)


def test_a_set_is_named_where_it_is_plainer(write_book) -> None:
    chapter = CHAPTER.replace("half=n / 2", "half=n / 3")
    point = symroof.load(write_book(symbols=SYMBOLS, values="n = 1000\nk = 2", ch01_a=chapter)).at()
    (match,) = of(point, "2000/3").matches
    assert (match.way.named, match.way.beside) == ({"tool": "theirs"}, {})
    assert dict(match.way.choices) == {"heads": "half", "again": "twice"}
    (match,) = of(point, "2021/3").matches
    assert (match.way.named, match.way.beside, match.departures) == ({"tool": "theirs"}, {"ends": "into"}, 2)


def test_mistakes_are_said_and_come_behind_what_is_none(point: symroof.Point) -> None:
    first, second = of(point, "2000").matches
    assert (first.way.beside, first.way.mistakes) == ({"again": "twice"}, ())
    assert (second.way.beside, second.way.mistakes) == ({"heads": "double"}, ("heads",))


def test_what_does_not_matter_here_is_not_told(point: symroof.Point) -> None:
    found = of(point, "1007")
    assert found.combinations == 3 * 2 * 3 * 2
    assert found.varied == ("idle", "ends", "heads", "again") or set(found.varied) == {"idle", "ends", "heads", "again"}
    assert all("idle" not in m.way.choices for m in (*found.matches, *found.nearest))
    assert told(of(point.set(k=5), "1003")) == [({}, {"idle": "b"}, None)]


def test_what_the_reader_set_stays(point: symroof.Point) -> None:
    found = of(point.set(ends="into"), "1000")
    assert (found.how, found.matches, "ends" in found.varied) == ("", (), False)
    assert of(point.set(tool="ours"), "1007").varied == ("idle",)


def test_a_choice_without_a_value_is_left_out(point: symroof.Point) -> None:
    found = of(point, "123")
    assert all(m.way.choices.get("again") != "never" for m in (*found.matches, *found.nearest))
    assert told(of(point.set(lacking=11), "11000")) == [({}, {"again": "never"}, None)]


def test_nothing_matches_and_the_nearest_is_told_for_each_number_of_departures(point: symroof.Point) -> None:
    found = of(point, "1100")
    assert (found.how, found.matches) == ("", ())
    assert [(m.departures, int(m.value)) for m in found.nearest] == [(1, 1007), (0, 1000)]
    assert [m.error for m in found.nearest] == sorted(m.error for m in found.nearest)


def test_a_rounded_figure_is_met_by_what_rounds_to_it(point: symroof.Point) -> None:
    found = of(point, "1.01 kFLOP")
    assert (found.how, told(found)) == ("rounded", [({}, {"ends": "into"}, None)])
    assert of(point, "1.0 kFLOP").how == "exact"


def test_a_figure_whose_last_digit_was_cut_off(point: symroof.Point) -> None:
    found = of(point.set(n=1090), "1.0 kFLOP")
    assert (found.how, told(found)[0]) == ("cut", ({}, {}, None))


def test_a_factor_beside_the_conventions(point: symroof.Point) -> None:
    (match,) = of(point, "1007000").matches
    assert (dict(match.way.beside), match.factor.name, match.by, match.counted) == ({"ends": "into"}, "thousand", 1000, 1007)
    assert match.departures == 2


def test_a_factor_is_not_told_where_a_convention_says_it_as_plainly(point: symroof.Point) -> None:
    assert told(of(point.set(lacking=1000), "1000000")) == [({}, {"again": "never"}, None)]


def test_zero_is_a_figure(point: symroof.Point) -> None:
    found = of(point, "0")
    assert (found.how, found.nearest[0].error) == ("", 1)


def test_blocks_of_any_size_find_the_same(point: symroof.Point, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {text: told(of(point, text)) for text in ("1007", "2014", "1000")}
    for block in (1, 2, 5):
        monkeypatch.setattr(explaining, "BLOCK", block)
        assert {text: told(of(point, text)) for text in whole} == whole


def test_too_many_combinations(point: symroof.Point, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "MOST", 10)
    with pytest.raises(RequestError, match="work has 18 combinations of 3 conventions: set some, as in --set"):
        of(point, "1")


@given(st.data())
def test_every_combination_is_found_from_its_exact_value(tmp_path_factory, data) -> None:
    book = _book(tmp_path_factory)
    point = book.at().set(k=data.draw(st.integers(1, 9)), n=data.draw(st.integers(1, 10**12)))
    chosen = {c: data.draw(st.sampled_from([x for x in book.conventions[c].choices if x != "never"])) for c in book.conventions}
    value = point.set(**chosen)["work"].exact
    found = of(point, str(value))
    assert found.how == "exact"
    best = found.matches[0]
    assert point.set(**best.way.choices)["work"].exact * best.by == value
    assert best.departures <= len([c for c in chosen if chosen[c] != point.choices[c]])
    assert best.departures == _fewest(point, value)


def _fewest(point: symroof.Point, value: Fraction) -> int:
    """By looking at every combination, one at a time."""
    names = list(point.book.conventions)
    choices = [[x for x in point.book.conventions[c].choices if x != "never"] for c in names]
    theirs = {"heads": "half", "ends": "out", "again": "twice", "idle": "a"}
    bases = [(0, dict(point.choices)), (1, theirs)]
    fewest = 99
    for combination in product(*choices):
        chosen = dict(zip(names, combination, strict=True))
        if point.trial(**chosen)["work"].exact == value:
            fewest = min(fewest, *(cost + sum(chosen[c] != base[c] for c in names) for cost, base in bases))
    return fewest


_BOOKS: list[symroof.Book] = []


def _book(tmp_path_factory) -> symroof.Book:
    if not _BOOKS:
        from textwrap import dedent

        folder = tmp_path_factory.mktemp("book")
        (folder / "presets" / "runs").mkdir(parents=True)
        (folder / "book.toml").write_text('title = "A book"\ndefault = "usual"')
        (folder / "presets" / "usual.toml").write_text('run = "plain"')
        (folder / "presets" / "runs" / "plain.toml").write_text('source = "a test"\n[values]\nn = 1000\nk = 2')
        (folder / "symbols.py").write_text(dedent(SYMBOLS))
        (folder / "ch01_a.py").write_text("from symroof import *\n" + dedent(CHAPTER))
        _BOOKS.append(symroof.load(folder))
    return _BOOKS[0]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('name = "a"\nsays = "b"\nby = "2"', "units must be a list of patterns"),
        ('name = "a"\nsays = "b"\nby = 2\nunits = []', "by must be a text"),
        ('name = "a"\nby = "2"\nunits = []', "says must be a text"),
        ('name = "a"\nsays = "b"\nby = "m"\nunits = []', "factor 'a': no quantity or symbol 'm'|factor 'a': .*m"),
        ('name = "a"\nsays = "b"\nby = "2"\nunits = []\nneeds = "nn"', "no quantity or symbol 'nn'; did you mean n"),
        ('name = "a"\nsay = "b"', "factor: unknown field 'say'; did you mean says"),
        ("name = ", "Invalid value"),
    ],
)
def test_a_broken_file_of_factors(write_book, entry: str, message: str) -> None:
    book = symroof.load(write_book(symbols=SYMBOLS, ch01_a=CHAPTER, files={"factors.toml": f"[[factor]]\n{entry}"}))
    with pytest.raises(BookError, match=message):
        read_factors(book)
