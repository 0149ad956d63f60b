"""Books and values that nobody should write: refused in a line, quickly, or simply computed."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import symroof
from symroof.errors import BookError, ConstraintError, DefinitionError, PresetError, SymroofError, UnknownNameError

HEAD = '"""One"""\nfrom symroof import quantity, symbol\nn = symbol("1", "a count")\n'


@pytest.fixture
def book(tmp_path: Path):
    """A folder with one chapter, of the given text after the usual head."""

    def write(text: str, values: str = "n = 1") -> Path:
        folder = tmp_path / "book"
        (folder / "presets").mkdir(parents=True, exist_ok=True)
        (folder / "book.toml").write_text('title = "t"\ndefault = "d"\n')
        (folder / "presets" / "d.toml").write_text(f'source = "s"\n[values]\n{values}\n')
        (folder / "ch01_one.py").write_text(HEAD + textwrap.dedent(text))
        return folder

    return write


def formula(body: str) -> str:
    return '@quantity("1", ref="r")\ndef q(n):\n    """Q."""\n' + textwrap.indent(textwrap.dedent(body), "    ")


def chain(length: int, backwards: bool) -> str:
    names = [f'@quantity("1", ref="r")\ndef q{i}(q{i - 1}):\n    """Q."""\n    return q{i - 1} + 1\n' for i in range(1, length)]
    first = '@quantity("1", ref="r")\ndef q0(n):\n    """Q."""\n    return n + 1\n'
    return "\n".join(reversed([first, *names]) if backwards else [first, *names])


@pytest.mark.parametrize("backwards", [False, True])
def test_a_chain_of_a_thousand_quantities_has_a_value_and_a_closed_form(book, backwards: bool) -> None:
    point = symroof.load(book(chain(1000, backwards))).at()
    assert point["q999"].value == 1001
    assert str(point["q999"].expr) == "n + 1000"


def test_a_chain_shows_a_tree_of_bounded_depth(book) -> None:
    from symroof.passes.why import DEEPEST, why

    node, depth = why(symroof.load(book(chain(300, False))).at(), "q299"), 0
    while node.parts:
        node, depth = node.parts[0], depth + 1
    assert depth == DEEPEST
    assert node.cut


@pytest.mark.parametrize(
    ("body", "error", "says"),
    [
        ("for _ in range(40):\n    n = n + n * n\nreturn n", DefinitionError, "parts"),
        ("for _ in range(3000):\n    n = 1 / (1 + n)\nreturn n", DefinitionError, "levels"),
        ("raise SystemExit(0)", DefinitionError, "the formula raises SystemExit: 0"),
        ("return n < 4", DefinitionError, "a condition is no value"),
        ("import sympy\nreturn sympy.Symbol('m') * 2", UnknownNameError, "unknown name 'm'"),
    ],
)
def test_formulas_that_are_refused_at_load(book, body: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=r"book/ch01_one\.py:4: q: ") as raised:
        symroof.load(book(formula(body)))
    assert says in str(raised.value)
    assert len(str(raised.value)) < 300


def test_a_module_that_exits_is_refused(book) -> None:
    with pytest.raises(BookError, match="loading it raises SystemExit"):
        symroof.load(book("import sys\nsys.exit(0)"))


def test_what_a_book_prints_goes_beside_the_answer(book, capsys: pytest.CaptureFixture[str]) -> None:
    symroof.load(book("print('loaded')\n" + formula("print('traced')\nreturn n")))
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "loaded\ntraced\n")


@pytest.mark.parametrize("name", ["Max", "Piecewise", "Sum", "floor"])
def test_functions_of_formulas_are_no_names(book, name: str) -> None:
    with pytest.raises(DefinitionError, match=f"{name} is the name of a function of formulas"):
        symroof.load(book(f'{name} = symbol("1", "x")'))


@pytest.mark.parametrize("value", ["9" * 20_000, "1e400", f"'{'9' * 300}'"])
def test_numbers_of_no_run_are_refused_shortly(book, value: str) -> None:
    with pytest.raises(PresetError) as raised:
        symroof.load(book(formula("return n"), values=f"n = {value}")).at()
    assert len(str(raised.value)) < 200


def test_toml_nested_without_end_is_refused(book) -> None:
    with pytest.raises(PresetError, match=r"nested too deep|not TOML"):
        symroof.load(book(formula("return n"), values="n = " + "[" * 100_000)).at()


def test_a_base_is_a_name_and_no_path(book) -> None:
    folder = book(formula("return n"))
    (folder / "presets" / "d.toml").write_text('base = "./d"\nsource = "s"\n')
    with pytest.raises(PresetError, match="must be the name of a preset"):
        symroof.load(folder).at()


K3 = symroof.load().at()


@pytest.mark.parametrize(
    "pins",
    [
        {"local_EP_ranks": 128},
        {"local_FSDP_ranks": 128},
        {"local_FSDP_ranks": "3.7"},
        {"cross_domain_copies": 100},
        {"expert_FSDP": "1/2"},
        {"stage_mla_layers": 40},
        {"domain_ranks": 16, "domain_nics": "1/10"},
        {"DP": "0.5"},
        {"S_eff": 8192},
        {"mla_period": 1000},
        {"virtual_stages": 100},
        {"step_time": -1},
    ],
)
def test_pins_and_values_that_fit_no_run_have_no_number(pins: dict[str, object]) -> None:
    with pytest.raises(ConstraintError):
        K3.set(**pins)


def test_what_names_something_cannot_be_set() -> None:
    with pytest.raises(SymroofError, match="binding_resource names something"):
        K3.set(binding_resource=3)


def test_fewer_nics_move_no_nvlink_bytes_away() -> None:
    wide, narrow = K3.set(domain_ranks=16), K3.set(domain_ranks=16, domain_nics=1)
    assert narrow["fsdp_bytes_nvlink"].exact == wide["fsdp_bytes_nvlink"].exact
    assert narrow["fsdp_bytes_scaleout"].exact == 16 * wide["fsdp_bytes_scaleout"].exact


@pytest.mark.parametrize("stem", ['a""";raise SystemExit(3)#', "b\\", 'c"', 'd\\"""x', "e'''"])
def test_the_name_of_a_file_is_text_in_compiled_code(tmp_path: Path, stem: str) -> None:
    file = tmp_path / f"{stem}.toml"
    file.write_text('source = "s"\n[values]\nM = 32\n')
    point = symroof.load().at(str(file))
    assert point.compile(["bubble_overhead"], ["PP"])(PP=[8])["bubble_overhead"].tolist() == [7 / 32]
