"""`export`: modules that run without symroof and give what the book gives."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy
import pytest
from toolchains import CFunction, JsModule, c_values, needs_c, needs_node, needs_tex

import symroof
from symroof.errors import SymroofError

BOOK = symroof.load()
POINT = BOOK.at()
RUNS = [{}, {"EP": 32}, {"EP": 8, "M": 17, "PP": 4, "checkpoint": 0}, {"world": 1024, "PP": 16, "domain_ranks": 32}]


def alone(folder: Path, source: str, code: str) -> object:
    """What code prints as JSON with a module that stands alone in a folder, in a Python that cannot find symroof.

    Without `site` an interpreter reads no .pth file, which is what an editable install is; NumPy's folder is added by hand.
    """
    (folder / "exported.py").write_text(source)
    paths = [str(folder), str(Path(numpy.__file__).parent.parent)]
    prelude = f"import sys, json\nsys.path += {paths!r}\ntry:\n    import symroof\n    sys.exit('symroof is there')\n"
    prelude += "except ImportError:\n    pass\n"
    isolated = [sys.executable, "-I", "-S", "-c", prelude + code]
    found = subprocess.run(isolated, cwd=folder, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    return json.loads(found.stdout)


def valued(point: symroof.Point) -> list[str]:
    found = []
    for name in BOOK.quantities:
        try:
            point[name].exact  # noqa: B018
        except SymroofError:
            continue
        found.append(name)
    return found


def test_python_is_exact_for_every_quantity(run, tmp_path: Path) -> None:
    names = valued(POINT)
    source = run("export", *names, "--format", "python").out
    code = f"import exported\nprint(json.dumps([{{n: str(v) for n, v in exported.compute(**r).items()}} for r in {RUNS!r}]))"
    for values, got in zip(RUNS, alone(tmp_path, source, code), strict=True):
        point = POINT.set(**values)
        assert got == {n: str(point[n].exact) for n in names}


def test_numpy_takes_arrays(run, tmp_path: Path) -> None:
    names = [n for n in valued(POINT) if n != "deduplication_saving"]
    source = run("export", *names, "--format", "numpy").out
    code = "import exported\nfound = exported.compute(EP=[8, 32, 64], M=17)\n"
    code += "print(json.dumps({n: v.tolist() if hasattr(v, 'tolist') else v for n, v in found.items()}))"
    found = alone(tmp_path, source, code)
    for position, ep in enumerate([8, 32, 64]):
        point = POINT.set(EP=ep, M=17)
        for name in names:
            got = found[name][position] if isinstance(found[name], list) else found[name]
            exact = point[name].exact
            assert got == exact or abs(Fraction(got) - exact) <= Fraction(1, 10**12) * abs(exact), name


@pytest.mark.parametrize("form", ["python", "numpy"])
def test_each_quantity_is_a_function_of_what_it_depends_on(run, tmp_path: Path, form: str) -> None:
    source = run("export", "remote_copies", "step_time", "--format", form).out
    code = "import exported, inspect\nprint(json.dumps([list(inspect.signature(exported.remote_copies).parameters), "
    code += "float(exported.remote_copies()), float(exported.remote_copies(top_k=8, EP=2)), float(exported.step_time(EP=32))]))"
    parameters, *values = alone(tmp_path, source, code)
    assert parameters == ["top_k", "EP"]
    assert values == [15.75, 4, pytest.approx(float(POINT.set(EP=32)["step_time"].exact), rel=1e-12)]


def test_the_arguments_can_be_chosen(run) -> None:
    source = run("export", "step_time", "--free", "M,EP", "--format", "numpy").out
    assert "def compute(M=64, EP=64):" in source
    assert "M: microbatches of an optimizer update [microbatch]" in source
    assert "# resource_time + bubble_time  [s" in source
    assert all(said in source for said in ("; conventions: ", "dispatch = assignments", "fsdp_lifecycle = pipeline_never"))
    assert "symroof" not in source.replace("Printed by symroof", "")


def test_a_symbol_without_a_value_is_an_argument_without_a_default(run) -> None:
    assert "def packet_bytes(stage, " in run("export", "packet_bytes").out.replace("\n    ", "")


def test_settings_and_lists_are_part_of_the_code(run) -> None:
    assert "def compute():" in run("export", "S_eff", "--set", "documents=[1024,3072]").out
    assert run("export", "S_eff", "--set", "documents=[1024,3072]").out.count("2560") == 1


@pytest.mark.parametrize("form", ["python", "numpy"])
def test_a_module_says_what_it_does_not_do(run, form: str) -> None:
    source = run("export", "step_time", "--format", form, "--set", "hbm_time=1 s").out
    about = ast.get_docstring(ast.parse(source))
    assert "\nhbm_time is pinned at 1 s: its definition is not used.\n" in about
    assert "\nConstraints are not checked: arguments of a run that may not exist give numbers all the same.\n" in about


def test_a_docstring_is_broken_between_paragraphs_alone(run) -> None:
    names = valued(POINT)[:20]
    about = ast.get_docstring(ast.parse(run("export", *names).out))
    first, below = about.split("\n\n")
    assert " ".join(first.split()) == f"{', '.join(names)}, from {BOOK.title}. Printed by symroof {symroof.__version__}."
    assert below.startswith("Whatever is no argument has its value of ")


@pytest.mark.parametrize("form", ["python", "numpy"])
def test_a_quantity_asks_for_nothing_that_it_does_not_rest_on(run, tmp_path: Path, form: str) -> None:
    source = run("export", "remote_copies", "packet_bytes", "--format", form).out
    code = "import exported\nprint(json.dumps([float(exported.remote_copies(EP=2)), float(exported.packet_bytes(stage=7))]))"
    assert alone(tmp_path, source, code) == [8, float(POINT.set(stage=7)["packet_bytes"].exact)]


@pytest.mark.parametrize("form", ["python", "numpy", "c", "js"])
def test_what_is_part_of_the_code_is_said_with_its_source(run, form: str) -> None:
    source = " ".join(run("export", "remote_copies", "--free", "EP", "--format", form).out.replace(" * ", " ").split())
    top_k = POINT["top_k"]
    assert f"Fixed at k3-gb200-4k, with their sources: top_k = 16 [expert]: {top_k.source}" in source
    assert "conventions: " not in source


@needs_c
def test_c_gives_what_the_book_gives(run, tmp_path: Path) -> None:
    names = ["step_time", "binding_resource", "MFU", "expert_FSDP"]
    source = run("export", *names, "--free", "EP,M", "--format", "c").out
    texts = {n: n == "binding_resource" for n in names}
    function = CFunction(tmp_path, source, ["EP", "M"], texts, str)
    for ep, m in [(64, 64), (32, 17), (8, 300)]:
        assert_given(function(EP=ep, M=m), POINT.set(EP=ep, M=m))
    function.close()


@needs_node
def test_javascript_gives_what_the_book_gives(run, tmp_path: Path) -> None:
    names = ["step_time", "binding_resource", "MFU", "expert_FSDP"]
    module = JsModule(tmp_path, run("export", *names, "--free", "EP,M", "--format", "js").out)
    for ep, m in [(64, 64), (32, 17), (8, 300)]:
        assert_given(module("compute", {"EP": ep, "M": m}), POINT.set(EP=ep, M=m))
        assert module("step_time", ep, m) == module("compute", {"EP": ep, "M": m})["step_time"]
    assert module("step_time") == module("step_time", 64, 64)
    module.close()


def assert_given(found: dict[str, float | str], point: symroof.Point) -> None:
    for name, got in found.items():
        exact = point[name].exact
        assert got == exact or abs(Fraction(got) - exact) <= Fraction(1, 10**12) * abs(exact), name


@needs_c
def test_one_c_function_stands_alone(run, tmp_path: Path) -> None:
    source = run("export", "remote_copies", "--format", "c").out
    assert "struct" not in source
    assert "double remote_copies(double top_k, double EP);" in source
    assert c_values(tmp_path, source, 'int main(void) { printf("%g", remote_copies(8, 2)); return 0; }\n') == "4"


@needs_tex
def test_every_formula_is_set_by_latex(run, tmp_path: Path) -> None:
    formulas = run("export", *valued(POINT), "--format", "latex").out
    head = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n"
    (tmp_path / "it.tex").write_text(f"{head}{formulas}\\end{{document}}\n")
    command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "it.tex"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert found.returncode == 0, (tmp_path / "it.log").read_text(errors="replace")[-2000:]


def test_python_refuses_floats(run, tmp_path: Path) -> None:
    code = "import exported\ntry:\n    exported.bubble_overhead(PP=8, M=6.5)\n"
    code += "except TypeError as error:\n    print(json.dumps(str(error)))"
    found = alone(tmp_path, run("export", "bubble_overhead").out, code)
    assert found == "6.5 is a float: give an int, a Fraction or a text such as '1/20'"


def test_formulas(run) -> None:
    assert r"\[ \rho = k" in run("export", "remote_copies", "--format", "latex").out
    found = json.loads(run("export", "remote_copies", "--format", "json").out)
    assert found["remote_copies"]["formula"] == "top_k*(1 - 1/EP)"
    assert found["remote_copies"]["arguments"] == {"top_k": "expert", "EP": "rank"}


def test_files(run, tmp_path: Path) -> None:
    assert run("export", "step_time", "--format", "python,numpy,c,js,latex,json", "-o", str(tmp_path)).status == 0
    endings = [".c", ".json", ".mjs", ".py", ".tex", "_numpy.py"]
    assert sorted(os.listdir(tmp_path)) == [f"step_time{ending}" for ending in endings]
    assert run("export", "MFU", "-o", str(tmp_path / "mfu.py")).out == f"{tmp_path / 'mfu.py'}\n"


def test_json_has_the_texts(run) -> None:
    found = run("export", "MFU", "--format", "python,numpy", "--json").json
    assert list(found["formats"]) == ["python", "numpy"]
    assert found["names"] == ["MFU"]


MESSAGES = {
    "a format": (["MFU", "--format", "pyton"], "no format 'pyton'; did you mean python"),
    "another format": (["MFU", "--format", "rust"], "no format 'rust'; formats are python, numpy, c, js, latex, json"),
    "a symbol": (["EP"], "EP is a symbol: there is nothing to compute"),
    "a convention": (["dispatch"], "dispatch is a convention, not a quantity"),
    "an unknown name": (["MFUU"], "no quantity or symbol 'MFUU'; did you mean MFU"),
    "an argument of another": (["remote_copies", "--free", "M"], "--free M: remote_copies does not depend on it"),
    "a list as argument": (["S_eff", "--free", "documents"], "documents is a list, not a number to vary"),
    "no value": (["packet_bytes", "--free", "PP"], "has no value in k3-gb200-4k"),
    "a folder that is none": (["MFU", "--format", "python,numpy", "-o", "/none"], "several formats need a folder that exists"),
    "no folder": (["MFU", "-o", "/none/mfu.py"], "/none/mfu.py: cannot be written: no such file or directory"),
}  # fmt: skip


@pytest.mark.parametrize("case", MESSAGES)
def test_messages(run, case: str) -> None:
    arguments, message = MESSAGES[case]
    found = run("export", *arguments)
    assert (found.status, found.out) == (2, "")
    assert message in found.err


def test_a_convention_may_be_an_argument(run):
    answer = run("export", "attended_keys", "--format", "python", "--free", "causal,doc_length")
    assert answer.status == 0
    assert "causal: how many keys a token of a document of S tokens is charged for: 0 = exact, 1 = half, 2 = full" in answer.out
    assert "# choose(causal, exact=(S_eff + 1)/2, half=S_eff/2, full=S_eff, windowed=S_eff)  [key/token]" in answer.out
    module: dict = {}
    exec(compile(answer.out, "exported", "exec"), module)
    assert [module["attended_keys"](causal=i, doc_length=1001) for i in range(3)] == [501, Fraction(1001, 2), 1001]
    assert module["attended_keys"](doc_length=1001) == 501
    for form in ("numpy", "js", "c"):
        assert "causal" in run("export", "attended_keys", "--format", form, "--free", "causal").out


def test_a_convention_is_no_argument_of_a_formula(run):
    answer = run("export", "attended_keys", "--format", "python,json", "--free", "causal")
    assert answer == (2, "", "symroof: --free causal: a convention can be an argument of code, not of latex or json\n")
    assert "attended_keys does not depend on it" in run("export", "attended_keys", "--free", "dispatch").err
