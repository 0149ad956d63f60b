"""`symroof model import`: a preset printed or written, a refusal in one line, and nothing half-way."""

import json
import os
from pathlib import Path

import pytest

CONFIGS = Path(__file__).parents[1] / "models" / "configs"
LLAMA = str(CONFIGS / "llama31-8b.json")


def test_a_preset_is_printed_and_nothing_else(run):
    ran = run("model", "import", LLAMA)
    assert ran.status == 0
    assert ran.out.startswith("# From llama31-8b.json by `symroof model import`")
    assert 'head_dim = { value = 128, source = "llama31-8b.json: hidden_size / num_attention_heads"' in ran.out
    assert ran.err == f"symroof: {LLAMA}: head_dim = 128: hidden_size / num_attention_heads, because head_dim is not given; " + (
        "4096 / 32, as LlamaConfig does\n"
    )


def test_a_preset_is_written_and_can_be_asked(run, tmp_path):
    file = tmp_path / "mine.toml"
    ran = run("model", "import", str(CONFIGS / "qwen3-30b-a3b.json"), "-o", str(file))
    assert ran.status == 0
    assert "stored_parameters      30,532,122,624 parameter" in ran.out
    asked = run("eval", "stored_parameters", "model_flops_per_token", "-p", str(file), "--set", "context=8192", "--set", "doc_length=8192", "--set", "estimator=torchtitan", "--json")  # fmt: skip # noqa: E501
    values = asked.json["values"]
    assert values["stored_parameters"]["value"] == 30_532_122_624
    assert values["model_flops_per_token"]["value"] == 37_578_559_488


def test_json_has_the_preset_and_where_its_values_came_from(run):
    data = run("model", "import", str(CONFIGS / "mixtral-8x7b.json"), "--json").json
    assert data["model_type"] == "mixtral"
    assert data["usual_run"] == "64-gpu-4k"
    assert data["written"] is None
    assert data["values"]["experts"] == {"value": 8, "source": "num_local_experts", "note": ""}
    assert data["blocks"]["moe"] == "every Mixtral has it"
    assert data["shows"]["stored_parameters"]["value"] == 46_702_792_704
    assert data["preset"].startswith("# From ")


def test_a_model_that_fits_no_run_is_imported_and_said_to(run, tmp_path):
    config = json.loads((CONFIGS / "mixtral-8x7b.json").read_text()) | {"num_local_experts": 7}
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config))
    ran = run("model", "import", str(file), "--json")
    assert ran.status == 0
    assert ran.json["usual_run"] == ""
    assert ran.json["shows"] == {}
    assert "fits none of the runs that were tried" in ran.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["import", "none.json"], "none.json: cannot be read: no such file or directory"),
        (["import", LLAMA, "-p", "kimi-k3"], "model import takes no -p: the file says everything of its preset"),
        (["import", LLAMA, "--set", "EP=8"], "model import takes no --set: the file says everything of its preset"),
        (["export", LLAMA], "model: import: invalid choice: 'export'"),
        (["import"], "model needs CONFIG_JSON, as in `symroof model import config.json -o mine.toml`"),
        (["import", LLAMA, "--book", "tests/books/sound"], "sound imports no model: it has no imports.toml"),
    ],
)
def test_a_request_that_cannot_be_answered_is_refused_in_one_line(run, arguments, says):
    ran = run("model", *arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert says in ran.err
    assert ran.err.count("\n") == 1


def test_a_refused_configuration_leaves_the_file_that_was_there(run, tmp_path):
    target, config = tmp_path / "mine.toml", tmp_path / "config.json"
    target.write_text("mine")
    config.write_text('{"model_type": "llama"}')
    ran = run("model", "import", str(config), "-o", str(target))
    assert ran.status == 2
    assert ran.err == f"symroof: {config}: num_hidden_layers is missing\n"
    assert target.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["config.json", "mine.toml"]


def test_a_folder_that_cannot_be_written_is_said(run, tmp_path):
    ran = run("model", "import", LLAMA, "-o", str(tmp_path / "none" / "mine.toml"))
    assert ran.status == 2
    assert "cannot be written: no such file or directory" in ran.err
