"""`explain` on the command line: its JSON, what a reader sees, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

OF = ("--of", "model_flops_per_token")
QWEN = ("-p", "qwen3-30b-a3b", "--set", "context=8192")
EXPLANATION = {"choices", "sets", "beside", "mistakes", "value", "relative_error", "departures", "counted", "factor", "same"}


def test_json(run: Callable) -> None:
    answer = run("explain", "37578559488", *OF, *QWEN, "--json")
    assert (answer.status, answer.err) == (0, "")
    found = answer.json
    assert (found["value"], found["of"], found["unit"], found["within"]) == (
        37578559488,
        "model_flops_per_token",
        "FLOP/token",
        0,
    )
    assert found["combinations"] >= 10_000
    assert found["how"] == "exact"
    (match,) = found["matches"]
    assert match.keys() == EXPLANATION
    assert (match["sets"], match["beside"], match["mistakes"]) == ({"estimator": "torchtitan"}, {}, [])
    assert (match["value"], match["relative_error"], match["departures"]) == (37578559488, 0, 1)
    assert all(m.keys() == EXPLANATION for m in found["nearest"])
    settings = [part for c, choice in match["choices"].items() for part in ("--set", f"{c}={choice}")]
    again = run("eval", "model_flops_per_token", *QWEN, *settings, "--json").json
    assert again["values"]["model_flops_per_token"]["value"] == found["value"]


def test_text_of_a_number_with_mistakes(run: Callable) -> None:
    lines = run("explain", "192856412160", *OF, *QWEN).out.splitlines()
    assert lines[:7] == [
        "qwen3-30b-a3b context=8192; 192856412160 of model_flops_per_token",
        "",
        "192,856,412,160 FLOP/token (192.86 GFLOP/token)  exactly",
        "  estimator = torchtitan       torchtitan: every active parameter, attention over the configured length without a "
        "causal half",
        "  contractions = three         mistake: one of two forward: the product with the values is forgotten",
        "  counted_experts = all        mistake: all that are stored",
        "  counted_embedding = counted  as if it were a matrix",
    ]
    assert lines[8] == "or"
    assert lines[-3:-1] == [
        "23,082,958,848 FLOP/token (23.083 GFLOP/token)  by the conventions in force",
        "in force: estimator = model",
    ]
    assert lines[-1].endswith("combinations of 11 conventions looked at")


def test_text_where_nothing_matches(run: Callable) -> None:
    answer = run("explain", "260410000000", *OF, "-p", "deepseek-v3")
    assert answer.status == 0
    lines = answer.out.splitlines()
    assert lines[2:5] == ["no convention matches", "", "nearest"]
    # The nearest first, the plainest last.
    assert lines[5].startswith("  260.49 GFLOP/token  off by 0.03%   estimator = ")
    assert "  250.46 GFLOP/token  off by 3.8%    the conventions in force" in lines


def test_text_with_a_factor(run: Callable) -> None:
    lines = run("explain", "4103370952409088", *OF, "-p", "deepseek-v3", "--set", "rows=4").out.splitlines()
    assert lines[2] == "4,103,370,952,409,088 FLOP/token (4.1034 PFLOP/token)  exactly"
    assert lines[3].startswith("  estimator = maxtext  MaxText since")
    assert lines[4] == "  x 16,384             of the tokens of a microbatch, printed as of one token"


def test_text_of_a_figure_that_is_cut_off(run: Callable) -> None:
    answer = run("explain", "2.4B", "--of", "active_parameters", "-p", "deepseek-v2-lite")
    assert "2,451,435,008 parameter  2.4B is cut off, not rounded\n  as the conventions in force have it\n" in answer.out


def test_a_decimal_without_its_prefix_is_read_at_the_scale_of_the_quantity(run: Callable) -> None:
    answer = run("explain", "249.8121", *OF, "-p", "deepseek-v3", "--json")
    assert answer.err == "symroof: 249.8121 was read as 249.81 GFLOP/token\n"
    assert answer.json["matches"][0]["sets"] == {"estimator": "megatron_lm"}


def test_what_the_reader_set_stays(run: Callable) -> None:
    answer = run("explain", "259.993 GFLOP", *OF, "-p", "deepseek-v3", "--set", "counted_mtp=counted", "--json").json
    assert answer["matches"][0]["sets"] == {"estimator": "megatron_lm"}
    assert answer["matches"][0]["beside"] == {}
    assert "counted_mtp" not in answer["in_force"]["choices"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("explain", "5"), "explain needs --of, as in `symroof explain 645209985600 --of model_flops_per_token`"),
        (("explain", "5", "--of", "modl_flops_per_token"), "did you mean model_flops_per_token"),
        (("explain", "5", "--of", "causal"), "causal is a convention, not a quantity"),
        (("explain", "5", "--of", "binding_resource"), "binding_resource is no number, so there is none to explain"),
        (
            ("explain", "5", "--of", "MFU", "--set", "MFU=0.5"),
            "MFU is pinned: its definition, and with it every convention, is not",
        ),
        (("explain", "a lot", *OF), "'a lot' is no figure of model_flops_per_token: write it as it was printed"),
        (("explain", "5 GB", *OF), "model_flops_per_token is in FLOP, but '5 GB' is in byte"),
        (("explain", "1" * 400, *OF), "is no figure of model_flops_per_token"),
    ],
)
def test_what_is_refused(run: Callable, arguments: tuple[str, ...], message: str) -> None:
    answer = run(*arguments)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err


def test_no_algebra_system_is_loaded(program: Callable) -> None:
    import subprocess
    import sys

    from cli.conftest import ROOT

    code = (
        "import sys; from symroof.cli import main; "
        "assert main(['explain', '645209985600', '--of', 'model_flops_per_token']) == 0; sys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False).returncode == 0


def test_a_tool_that_was_not_checked_at_a_model_is_named_with_a_word_about_it(run: Callable) -> None:
    said = (
        "estimator = automodel has the rules for Llama, Mixtral, Qwen3, Qwen3-Next, GLM, DeepSeek-V3, Kimi and gpt-oss; it has a "
    )
    note = f"symroof: {said}generic formula for other models; it was not checked for gemma3-27b\n"
    answer = run("eval", "model_flops_per_token", "-p", "gemma3-27b", "--set", "estimator=automodel", "--json")
    assert (answer.status, answer.err) == (0, note)
    value = str(answer.json["values"]["model_flops_per_token"]["value"])
    found = run("explain", value, *OF, "-p", "gemma3-27b", "--json")
    assert found.json["matches"][0]["sets"] == {"estimator": "automodel"}
    assert found.err == note
    assert note in run("diff", "model_flops_per_token", "model", "automodel", "-p", "gemma3-27b").err
    assert run("eval", "model_flops_per_token", "-p", "gpt-oss-120b", "--set", "estimator=automodel").err == ""
