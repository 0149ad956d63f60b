"""Every message that a user can meet: one line, what and where and what would be valid, and exit status 2."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from symroof.cli import main

SOUND = Path(__file__).parents[1] / "books" / "sound"


def definition(body: str, head: str = 'n = symbol("rank", "ranks")', **changes: str) -> str:
    """A chapter whose line 6 is the decorator of one quantity, `it`."""
    parts = {"unit": "1", "fields": 'ref="r"', "arguments": "n", "docstring": '    """It."""\n'} | changes
    return (
        f"from symroof import *\n{head}\n\n\n\n"
        f'@quantity("{parts["unit"]}", {parts["fields"]})\n'
        f"def it({parts['arguments']}):\n{parts['docstring']}    return {body}\n"
    )


TWO = 'n = symbol("byte", "bytes"); speed = symbol("{}", "a rate")'
COUNTING = 'counting = convention("whom", default="{}", ref="r", all="all", one="one"); n = symbol("rank", "ranks")'

CHAPTERS = {
    "a cycle": (
        dedent('''
            from symroof import quantity
            @quantity("1", ref="r")
            def a(b):
                """A."""
                return b + 1
            @quantity("1", ref="r")
            def b(c):
                """B."""
                return c + 1
            @quantity("1", ref="r")
            def c(a):
                """C."""
                return a + 1
            ''').lstrip(),
        "book/ch01_a.py:2: a: cycle: a -> b -> c -> a",
    ),
    "a formula that raises": (
        definition('n + {}["missing"]'),
        "book/ch01_a.py:6: it: the formula raises KeyError: 'missing'",
    ),
    "a formula that returns nothing": (definition("None"), "book/ch01_a.py:6: it: None is no part of a formula"),
    "a float": (
        definition("n * 0.5"),
        "book/ch01_a.py:6: it: the float 0.5 is not exact: write a fraction of integers, such as Fraction(1, 2)",
    ),
    "an if": (
        definition("n if n > 1 else 1"),
        "book/ch01_a.py:6: it: a formula has no truth value while it is derived: write where(condition, then, otherwise)",
    ),
    "an unknown name": (
        definition("nn", arguments="nn"),
        "book/ch01_a.py:6: it: unknown name 'nn'; did you mean n?",
    ),
    "an unknown field": (
        definition("n", fields='ref="r", latx="i"'),
        "book/ch01_a.py:6: it: unknown field 'latx'; did you mean latex?",
    ),
    "an unknown unit": (
        definition("n", unit="byts"),
        "book/ch01_a.py:6: it: unit 'byts': 'byts' is no unit; did you mean byte? "
        '(a label of your own goes into book/book.toml: labels = ["..."])',
    ),
    "an unknown carrier": (
        definition("n", unit="byte@nvlnk"),
        "book/ch01_a.py:6: it: unit 'byte@nvlnk': no carrier 'nvlnk'; did you mean nvlink?",
    ),
    "no docstring": (definition("n", docstring=""), "book/ch01_a.py:6: it: no docstring: say what it is"),
    "no source": (
        definition("n", fields='latex="i"'),
        "book/ch01_a.py:6: it: no source: say where the formula comes from with ref=...",
    ),
    "a default argument": (
        definition("n", arguments="n=1"),
        "book/ch01_a.py:6: it: argument n must be a plain name of the book",
    ),
    "another unit than declared": (
        definition("n / speed", TWO.format("FLOP/s"), unit="s", arguments="n, speed"),
        "book/ch01_a.py:6: it: declared in s, but its formula is in byte s/FLOP",
    ),
    "a sum of two units": (
        definition("n + speed", TWO.format("FLOP/s"), arguments="n, speed"),
        "book/ch01_a.py:6: it: adds byte and FLOP/s",
    ),
    "a swapped carrier": (
        definition("n * nvlink / speed", TWO.format("byte@hbm/s"), unit="s", arguments="n, speed"),
        "book/ch01_a.py:6: it: mixes hbm and nvlink: bytes go over the bandwidth that carries them",
    ),
    "no carrier": (
        definition("n / speed", TWO.format("byte@hbm/s"), unit="s", arguments="n, speed"),
        "book/ch01_a.py:6: it: bytes without a carrier meet hbm: place them with * hbm or another carrier",
    ),
    "a reserved name": (
        definition("n", 'n = symbol("rank", "ranks"); second = symbol("s", "a second")'),
        "book/ch01_a.py:2: second is a reserved unit symbol",
    ),
    "a name twice": (
        'from symroof import symbol\nn = symbol("rank", "ranks")\nn = symbol("rank", "more")\n',
        "book/ch01_a.py:3: n is declared already at book/ch01_a.py:2",
    ),
    "an argument that does not reach": (
        definition("n(m=2)", 'n = symbol("rank", "ranks"); m = symbol("rank", "others")'),
        "book/ch01_a.py:6: it: n does not depend on 'm'",
    ),
    "an unknown choice": (
        definition("counting.choose(all=n, on=n)", COUNTING.format("all"), arguments="counting, n"),
        "book/ch01_a.py:6: it: convention counting has no choice 'on'; did you mean one?",
    ),
    "a missing choice": (
        definition("counting.choose(all=n)", COUNTING.format("all"), arguments="counting, n"),
        "book/ch01_a.py:6: it: no formula for counting = one",
    ),
    "an unknown default": (
        definition("n", COUNTING.format("none")),
        "book/ch01_a.py:2: the default 'none' is none of the choices all, one",
    ),
    "a constraint that is no condition": (
        'from symroof import *\nn = symbol("rank", "ranks")\n@constraint\ndef it(n):\n    """It."""\n    return n + 1\n',
        "book/ch01_a.py:3: it: a constraint returns a condition, such as divides(a, b)",
    ),
    "broken Python": ("n = = 3\n", "book/ch01_a.py:1: invalid syntax"),
    "a module that cannot be loaded": (
        "import symbols_of_nobody\n",
        "book/ch01_a.py:1: loading it raises ModuleNotFoundError: No module named 'symbols_of_nobody'",
    ),
}


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a command line is refused with."""
    status = main(arguments)
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.startswith("symroof: ")
    assert err.count("\n") == 1
    return err.removeprefix("symroof: ").rstrip("\n")


@pytest.mark.parametrize(("source", "message"), CHAPTERS.values(), ids=CHAPTERS)
def test_a_definition_that_may_not_stand(source: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / "book.toml").write_text('title = "A book"\ndefault = "base"\n')
    (book / "ch01_a.py").write_text(source)
    assert refused(capsys, "list", "--book", str(book)) == message


FOLDERS = {
    "no such folder": (None, "{}: no such folder"),
    "no book.toml": ({"readme.txt": "nothing"}, "{} is no book: it has no book.toml"),
    "nothing declared": (
        {"book.toml": 'title = "t"\ndefault = "base"\n'},
        "{} is no book: no module in it declares anything",
    ),
    "no title": ({"book.toml": 'default = "base"\n'}, "{}/book.toml: no title"),
    "broken book.toml": ({"book.toml": 'title = "t\n'}, "{}/book.toml: Illegal character '\\n' (at line 1, column 11)"),
}


@pytest.mark.parametrize(("files", "message"), FOLDERS.values(), ids=FOLDERS)
def test_a_folder_that_is_no_book(
    files: dict[str, str] | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = tmp_path / "book"
    if files is not None:
        book.mkdir()
    for name, text in (files or {}).items():
        (book / name).write_text(text)
    assert refused(capsys, "list", "--book", str(book)) == message.format(book)


SOURCED = 'says = "x"\nsource = "s"\n[values]\n'
PRESETS = {
    "broken TOML": (
        'says = "x"\n[values\n',
        "{}: not TOML: Expected ']' at the end of a table declaration (at line 2, column 8)",
    ),
    "an unknown key": ('say = "x"\n', "{}:1: unknown key 'say'; did you mean says?"),
    "an unknown part": ('says = "x"\nmodel = "smal"\n', "{}:2: no model 'smal'; did you mean small?"),
    "an unknown symbol": (SOURCED + "wrok = 4\n", "{}:4: no symbol 'wrok'; did you mean work?"),
    "an unknown choice": (
        '[conventions]\ncounting = "nobody"\n',
        "{}:2: convention counting has no choice 'nobody'; it has everyone, others",
    ),
    "an unknown convention": (
        '[conventions]\ncountin = "others"\n',
        "{}:2: no convention 'countin'; did you mean counting?",
    ),
    "a value without a source": ("[values]\nn = 4\n", "{}:2: n has no source, and the file has none for all"),
    "a symbol without a value": (SOURCED + 'n = { note = "forgotten" }\n', "{}:4: n has no value"),
    "an unknown field": (SOURCED + 'n = { value = 4, sorce = "s" }\n', "{}:4: n: unknown field 'sorce'; did you mean source?"),
    "another unit": (
        SOURCED + 'bandwidth = "100 GFLOP/s"\n',
        "{}:4: bandwidth is in byte@hbm/s, but '100 GFLOP/s' is in FLOP/s",
    ),
    "a truth value": (SOURCED + "n = true\n", "{}:4: n = True is no number"),
    "a list and what stands in for it": (
        SOURCED + "length = 1024\nlengths = [1024, 3072]\n",
        "{}:5: give length or lengths, not both",
    ),
    "a missing base": ('base = "nothing"\n', "{}:1: no preset 'nothing' beside it to build on"),
    "a base of itself": ('base = "it"\n', "{}: base goes round in a circle: it -> it"),
    "no table": ("values = 3\n", "{}: values must be a table, [values]"),
}


@pytest.mark.parametrize(("text", "message"), PRESETS.values(), ids=PRESETS)
def test_a_preset_that_cannot_be_used(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "it.toml"
    file.write_text(text)
    assert refused(capsys, "eval", "n", "-p", str(file), "--book", str(SOUND)) == message.format(file)


REQUESTS = {
    "an unknown quantity": (("eval", "step_tme"), "no quantity or symbol 'step_tme'; did you mean step_time or compute_time?"),
    "a convention": (
        ("eval", "counting"),
        "counting is a convention, not a quantity: choose with --set counting=..., one of everyone, others",
    ),
    "an unknown preset": (("eval", "n", "-p", "shrt"), "no preset 'shrt'; did you mean short?"),
    "a preset far from all": (
        ("eval", "n", "-p", "zzz"),
        "no preset 'zzz'; presets are base, small, box, others, short",
    ),
    "two runs": (("eval", "n", "-p", "short+others"), "preset 'short+others' names two runs: short and others"),
    "a missing file": (("eval", "n", "-p", "none.toml"), "none.toml: no such file"),
    "an unknown name set": (("eval", "n", "--set", "wrok=1"), "no quantity or symbol 'wrok'; did you mean work?"),
    "an unknown choice set": (
        ("eval", "n", "--set", "counting=nobody"),
        "convention counting has no choice 'nobody'; it has everyone, others",
    ),
    "no setting": (("eval", "n", "--set", "n"), "--set 'n' is no setting: write --set NAME=VALUE"),
    "no name": (("eval", "n", "--set", "=3"), "--set '=3' is no setting: write --set NAME=VALUE"),
    "no value": (("eval", "n", "--set", "n="), "--set 'n=' is no setting: write --set NAME=VALUE"),
    "a name set twice": (("eval", "n", "--set", "n=2", "--set", "n=4"), "--set n is given twice: 2 and 4"),
    "a list and what stands in for it": (
        ("eval", "n", "--set", "length=1024", "--set", "lengths=4096"),
        "give length or lengths, not both",
    ),
    "outside the domain": (("eval", "n", "--set", "n=3.5"), "n must be a positive integer, not 3.5"),
    "below the domain": (("eval", "n", "--set", "peak=-1"), "peak must be a positive number, not -1"),
    "a broken constraint": (("eval", "n", "--set", "n=7"), "2 does not divide n = 7; nearest valid: 6, 8"),
    "another unit": (("eval", "n", "--set", "peak=3 GB"), "peak is in FLOP/s, but '3 GB' is in byte"),
    "another carrier": (
        ("eval", "n", "--set", "bandwidth=3 GB@nvlink/s"),
        "bandwidth is in byte@hbm/s, but '3 GB@nvlink/s' is in byte@nvlink/s",
    ),
    "no unit": (("eval", "n", "--set", "size=3 gib"), "size = '3 gib': unit 'gib': 'gib' is no unit; did you mean GiB or GB?"),
    "a division by zero set": (("eval", "n", "--set", "n=1/0"), "n = '1/0' divides by zero"),
    "a symbol without a value": (
        ("eval", "hop_bytes"),
        "hop (which hop) has no value in base; hop_bytes needs it: give it with --set hop=...",
    ),
    "a division by zero": (
        ("eval", "per_rank_beyond_two", "--set", "n=2"),
        "per_rank_beyond_two has no value at base n=2: it divides by zero",
    ),
    "an unknown chapter": (("list", "--chapter", "step_"), "no chapter 'step_'; did you mean step?"),
    "an unknown free symbol": (("show", "step_time", "--in", "wrok"), "no quantity or symbol 'wrok'; did you mean work?"),
    "an empty entry": (
        ("show", "step_time", "--in", "n,"),
        "--in 'n,' is no list: write names between commas, such as --in a,b",
    ),
    "an unknown format": (("report", "--format", "docx"), "no report format 'docx'; formats are md, tex, html, pdf"),
    "an unknown chapter of a report": (("report", "--chapters", "9"), "no chapter '9'; chapters are step, hops"),
    "no name to evaluate": (
        ("eval",),
        "eval needs NAME, as in `symroof eval remote_copies local_tokens --set EP=32 --json`",
    ),
    "one name too many": (("show", "n", "peak"), "show: one argument too many: 'peak'"),
    "an unknown option": (("eval", "n", "--jsn"), "eval: no option '--jsn'; did you mean --json?"),
    "an option without its value": (("eval", "n", "-p"), "eval: -p/--preset: expected one argument"),
    "a value for a switch": (("eval", "n", "--json=yes"), "eval: --json: ignored explicit argument 'yes'"),
}


@pytest.mark.parametrize(("arguments", "message"), REQUESTS.values(), ids=REQUESTS)
def test_a_request_that_is_wrong(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, *rest = arguments
    assert refused(capsys, command, "--book", str(SOUND), *rest) == message


NUMBERS = [
    "nan",
    "inf",
    "-inf",
    "1e999999",
    "9" * 5000,
    "9**9",
    "0x10",
    "٣",
    "²",
    "\0",
    "1\0",
    "1e",
    "--",
    "1 2",
    "(1)",
    "\udcff",
]


@pytest.mark.parametrize("text", NUMBERS, ids=ascii)
def test_what_is_no_number_is_refused_in_one_short_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "eval", "n", "--set", f"n={text}", "--book", str(SOUND))
    assert message.startswith("n = ")
    assert len(message) < 160


@pytest.mark.parametrize("name", ["", " ", "\0", "n\0", "ñ", "n" * 5000, "--", "-1", "\udcff"], ids=ascii)
def test_what_is_no_name_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, "show", "--book", str(SOUND), name)
    refused(capsys, "eval", "n", "--book", str(SOUND), "--set", f"{name}=1")
    refused(capsys, "eval", "n", "--book", str(SOUND), "-p", f"{name}x")


def test_the_nearest_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "evla") == "no command 'evla'; did you mean eval?"
    assert refused(capsys, "qqq").startswith("no command 'qqq'; commands are list, show, why, eval, check, presets, report")
    assert refused(capsys, "-p", "x").startswith("options follow the command, as in `symroof eval ")


CLAIMS = {
    "broken TOML": ("[[claim]\n", "book/claims.toml: Expected ']]' at the end of an array declaration (at line 1, column 8)"),
    "an unknown field": ('[[claim]]\nsay = "x"\n', "book/claims.toml: claim: unknown field 'say'; did you mean says?"),
    "no figure": (
        '[[claim]]\nsays = "x"\nquantity = "n"\nplace = "p"\n',
        "book/claims.toml: claim 'x': no expect",
    ),
    "an unknown quantity": (
        '[[claim]]\nsays = "x"\nquantity = "step_tme"\nplace = "p"\nexpect = 1\n',
        "book/claims.toml: claim 'x': no quantity or symbol 'step_tme'; did you mean step_time or compute_time?",
    ),
}


@pytest.fixture
def book_with_claims(tmp_path: Path) -> Callable[[str], Path]:
    """The sound book with other claims."""

    def book(claims: str) -> Path:
        shutil.copytree(SOUND, tmp_path / "book", ignore=shutil.ignore_patterns("__pycache__"))
        (tmp_path / "book" / "claims.toml").write_text(claims)
        return tmp_path / "book"

    return book


@pytest.mark.parametrize(("claims", "message"), CLAIMS.values(), ids=CLAIMS)
def test_claims_that_cannot_be_read(
    claims: str, message: str, book_with_claims: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, "check", "--book", str(book_with_claims(claims))) == message


def test_a_claim_that_does_not_hold(book_with_claims: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    claims = """
        [[claim]]
        says = "A step of eight ranks takes 2 ms"
        quantity = "compute_time"
        place = "line 9"
        at_each = { n = [4, 8] }
        expect = [0.003, 0.002]
        within = 0.01

        [[claim]]
        says = "Three ranks work"
        quantity = "compute_time"
        place = "line 10"
        at = { n = 3 }
        expect = 1
        """
    status = main(["check", "--book", str(book_with_claims(dedent(claims)))])
    assert status == 1
    assert capsys.readouterr().out == dedent("""\
        claim does not hold: A step of eight ranks takes 2 ms
          quantity    compute_time
          place       line 9
          claimed     n=8: 2 ms (1/500 s), within 1%
          derived     n=8: 1.5 ms (3/2,000 s)
          difference  -500 µs, -25%

        claim does not hold: Three ranks work
          quantity  compute_time
          place     line 10
          claimed   1 s, exactly
          error     2 does not divide n = 3; nearest valid: 2, 4

        claims       0 of 2 hold: 2 stated, 0 computed from what is stated
        units        12 of 12 formulas have the FLOPs, seconds and bytes by carrier that they declare
        constraints  5 of 5 hold, over 5 presets
        domains      50 of 50 values are what their quantities may be
        """)


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    message = refused(capsys, "report", "-o", str(tmp_path / "file"), "--book", str(SOUND))
    assert message == f"{tmp_path / 'file'}: cannot be written: file exists"
