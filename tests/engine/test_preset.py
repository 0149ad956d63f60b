"""Presets: where a value comes from, what replaces it, and every way in which a file can be wrong."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

import symroof
from symroof.errors import PresetError, SymroofError, UnitError, UnknownNameError


def test_a_point_is_a_model_a_machine_and_a_run(parcels: symroof.Book) -> None:
    point = parcels.at()
    assert point.parts == ("parcel", "road", "weekday")
    assert (point["size"].exact, point["far_speed"].exact, point["share"].exact) == (3584, 12_500_000_000, Fraction(4, 5))
    assert (point["side"].source, point.given["side"].note) == ("measured", "with the lid on")
    assert (point["members"].source, point.given["members"].origin) == ("the post office", "parcel")


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("town", ("parcel", "road", "weekday")),
        ("large-parcel", ("large-parcel", "road", "weekday")),
        ("market", ("parcel", "road", "market")),
        ("market+large-parcel", ("large-parcel", "road", "market")),
        ("large-parcel+road+weekday", ("large-parcel", "road", "weekday")),
    ],
)
def test_a_bare_part_replaces_that_part_of_the_default(parcels: symroof.Book, name: str, parts: tuple[str, ...]) -> None:
    assert parcels.at(name).parts == parts


def test_a_base_gives_what_the_file_leaves_out(parcels: symroof.Book) -> None:
    point = parcels.at("large-parcel")
    assert (point["side"].exact, point["members"].exact) == (9, 96)
    assert (point["side"].source, point["members"].source) == ("the large counter", "the post office")
    assert (point.choices["weighing"], parcels.at().choices["weighing"]) == ("held", "all")


def test_a_list_and_its_stand_in_replace_each_other_through_bases(parcels: symroof.Book) -> None:
    assert parcels.at("weekday")["mean_house"].exact == 30
    market = parcels.at("market")
    assert market["mean_house"].exact == Fraction(20**2 + 40**2 + 60**2, 120)
    assert "house" not in market.given
    after = parcels.at("after-market")
    assert (after["mean_house"].exact, "houses" in after.given) == (40, False)


def test_a_composed_file_replaces_a_list_of_its_run(parcels: symroof.Book, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('run = "market"\nsource = "me"\n[values]\nhouse = 60\nfar_speed = "25 GB/s"')
    point = parcels.at(str(file))
    assert (point.preset, point["mean_house"].exact, point["far_speed"].exact) == ("mine", 60, 25 * 10**9)
    assert (point.parts, point["far_speed"].source) == (("parcel", "road", "market"), "me")


def test_decimals_of_a_file_are_exact(write_book) -> None:
    book = symroof.load(write_book(values="speed = 0.1\nn = 3"))
    assert (book.at()["speed"].exact, book.at(speed="0.30")["speed"].exact) == (Fraction(1, 10), Fraction(3, 10))


HEAD = 'source = "a test"\n[values]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('souce = "x"', "plain.toml:1: unknown key 'souce'; did you mean source?"),
        ('source = "x"\n\n[vlues]\nn = 1', "plain.toml:3: unknown key 'vlues'; did you mean values?"),
        (HEAD + "n = 6\nm = 3", "plain.toml:4: no symbol 'm'"),
        (HEAD + "n = 6\n'spede' = 3", "plain.toml:4: no symbol 'spede'; did you mean speed?"),
        ("[values]\nn = 6", "plain.toml:2: n has no source, and the file has none for all"),
        (HEAD + 'n = { valu = 6, source = "x" }', "plain.toml:3: n: unknown field 'valu'; did you mean value?"),
        (HEAD + 'n = { source = "x" }', "plain.toml:3: n has no value"),
        (HEAD + "n = true", "plain.toml:3: n = True is no number"),
        (HEAD + "n = [1, 2]", "plain.toml:3: n = [1, 2] is no number"),
        (HEAD + 'n = "many"', "plain.toml:3: n = 'many' is no value: write an integer"),
        (HEAD + "n = nan", "plain.toml:3: n = 'NaN' is no value: write an integer"),
        (HEAD + "n = 2026-01-01", "plain.toml:3: n = '2026-01-01'"),
        (HEAD + 'n = 6\nspeed = "5 GB"', "plain.toml:4: speed is in byte@nvlink/s, but '5 GB' is in byte"),
        (HEAD + 'n = "6 GB"', "plain.toml:3: n is in 1, but '6 GB' is in byte"),
        (HEAD + 'speed = "5 GB@hbm/s"', "plain.toml:3: speed is in byte@nvlink/s, but '5 GB@hbm/s' is in byte@hbm/s"),
        (HEAD + 'size = "5 GBs"', "plain.toml:3: size = '5 GBs': unit 'GBs': 'GBs' is no unit"),
        (HEAD + 'parts = [1, "x"]', "plain.toml:3: parts = 'x' is no value"),
        ("n = = 1", "plain.toml: not TOML: Invalid value (at line 1, column 5)"),
        ("[values\nn = 1", "plain.toml: not TOML: Expected ']' at the end of a table declaration (at line 1, column 8)"),
        ("values = 3", "plain.toml: values must be a table, [values]"),
        ('[conventions]\nway = "x"', "plain.toml:2: no convention 'way'"),
        ('base = "plain"', "plain.toml: base goes round in a circle: plain -> plain"),
        ('\nbase = "nothing"', "plain.toml:2: no run 'nothing' beside it to build on"),
        ('model = "plain"', "plain.toml:1: a run names no model: a file directly in presets/ composes them"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(write_book, text: str, message: str) -> None:
    book = symroof.load(write_book(files={"presets/runs/plain.toml": text}))
    with pytest.raises(SymroofError) as raised:
        book.at()
    assert str(raised.value).startswith(f"book/presets/runs/{message}")
    assert "\n" not in str(raised.value)


def test_a_file_in_another_encoding_is_refused(write_book) -> None:
    folder = write_book()
    (folder / "presets/runs/plain.toml").write_bytes(b'says = "\xff"')
    with pytest.raises(PresetError, match=r"plain\.toml: .*utf-8"):
        symroof.load(folder).at()


def test_bases_in_a_circle_are_named_in_order(write_book) -> None:
    files = {f"presets/runs/{name}.toml": f'base = "{base}"' for name, base in (("plain", "b"), ("b", "c"), ("c", "plain"))}
    with pytest.raises(PresetError, match="base goes round in a circle: plain -> b -> c -> plain"):
        symroof.load(write_book(files=files)).at()


def test_a_list_and_its_stand_in_are_not_given_together(parcels: symroof.Book, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('source = "me"\n[values]\nhouse = 60\nhouses = [60, 60]')
    with pytest.raises(PresetError, match=re.escape(f"{file}:4: give house or houses, not both")):
        parcels.at(str(file))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("twon", "no preset 'twon'; did you mean town?"),
        ("zzz", "no preset 'zzz'; presets are town, large-parcel, parcel, road, after-market, market, weekday"),
        ("market+weekday", "preset 'market+weekday' names two runs: market and weekday"),
        ("market+roda", "no preset 'roda'; did you mean road?"),
        ("", None),
        ("nowhere.toml", "nowhere.toml: no such file"),
        ("./nowhere", "./nowhere: no such file"),
        ("presets/", "presets/: no such file"),
    ],
)
def test_names_that_are_no_preset(parcels: symroof.Book, name: str, message: str | None) -> None:
    if message is None:
        assert parcels.at(name).preset == "town"
        return
    with pytest.raises(SymroofError) as raised:
        parcels.at(name)
    assert str(raised.value).startswith(message)


def test_a_composition_names_what_exists(parcels: symroof.Book, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('\nmachine = "raod"')
    with pytest.raises(PresetError, match=re.escape(f"{file}:2: no machine 'raod'; did you mean road?")):
        parcels.at(str(file))
    file.write_text("machine = 5")
    with pytest.raises(PresetError, match=re.escape(f"{file}:1: no machine 5")):
        parcels.at(str(file))


@pytest.mark.parametrize(
    ("name", "value", "kind", "message"),
    [
        ("weighing", "both", UnknownNameError, "convention weighing has no choice 'both'; it has all, held"),
        ("memebrs", 3, UnknownNameError, "no quantity or symbol 'memebrs'; did you mean members"),
        ("share", 0.5, PresetError, "share = 0.5 is a float, which is not exact: write a text such as '0.5' or a Fraction"),
        ("share", None, PresetError, "share = 'None' is no value"),
        ("share", [1], PresetError, "share = [1] is no number"),
        ("share", True, PresetError, "share = True is no number"),
        ("size", "3 s", UnitError, "size is in byte, but '3 s' is in s"),
        ("houses", "1,two", PresetError, "houses = 'two' is no value"),
        ("houses", 3.5, SymroofError, "houses must be a list of positive integers, not 3.5"),
    ],
)
def test_values_that_are_none_of_their_name(town: symroof.Point, name: str, value: object, kind: type, message: str) -> None:
    with pytest.raises(kind) as raised:
        town.set(**{name: value})
    assert str(raised.value).startswith(message)


SIZES = """
    from symroof import LENGTHS, symbol
    n = symbol("1", "a count")
    k = symbol("1", "another count")
    sizes = symbol("byte", "sizes", domain=LENGTHS)
"""


def test_a_list_of_any_unit_is_read_in_it_wherever_it_is_given(write_book) -> None:
    folder = write_book(
        symbols=SIZES,
        values='n = 6\nk = 2\nsizes = ["1 GiB", 3]',
        ch01_a="""
            @quantity("byte", ref="a test")
            def all_sizes(sizes):
                "All of them."
                return total(sizes, lambda s: s)
            """,
    )
    point = symroof.load(folder).at()
    assert point["all_sizes"].exact == 2**30 + 3
    assert point.set(sizes="[1 GiB, 2 GiB]")["all_sizes"].exact == 3 * 2**30
    assert point.set(sizes=["1 KiB", 24])["all_sizes"].exact == 1048
    with pytest.raises(UnitError, match="sizes is in byte, but '3 tokens' is in 1"):
        point.set(sizes="[3 tokens]")
