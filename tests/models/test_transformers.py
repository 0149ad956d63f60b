"""Parameters, module by module, against the code that builds each model: no weights are loaded, every tensor is a shape."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import symroof
from symroof.importing.importer import Importer, preset_text

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'symroof[transformers]'")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: pip install 'symroof[transformers]'")

CONFIGS = Path(__file__).parent / "configs"
# Published files whose model_type names code that comes with the checkpoint: the same architecture by its name in transformers.
SAME_CODE = {"kimi_k2": "deepseek_v3"}
# Families of tensors, first match first, each with the quantity that counts them.
FAMILIES = {
    r"\bvision_tower\.": "vision_parameters",
    r"\bmulti_modal_projector\.": "projector_parameters",
    r"\bembed_tokens\.weight$": "embedding_parameters",
    r"\blm_head\.weight$": "lm_head_parameters",
    r"e_score_correction_bias$": "correction",
    r"\.indexer\.(wq_b|wk|weights_proj)\.weight$": "indexer_parameters",
    r"\.linear_attn\.(in_proj_\w+|out_proj)\.weight$": "gdn_parameters",
    r"\.self_attn\.(q_a|q_b|kv_a|kv_b)_proj\w*\.weight$": "mla_parameters",
    r"\.self_attn\.(q|k|v|o)_proj\.weight$": "softmax",
    r"\.experts\..*bias$": "small",
    r"\.experts\.": "routed_total_parameters",
    r"\.shared_expert": "shared_expert_parameters",
    r"\.(gate|router)\.weight$": "router_parameters",
    r"\.mlp\.(gate|up|down)_proj\.weight$": "dense_ffn_parameters",
    "": "small",
}
NAMES = sorted(file.stem for file in CONFIGS.glob("*.json"))


@pytest.fixture(scope="module")
def book() -> symroof.Book:
    return symroof.load()


@pytest.mark.parametrize("name", NAMES)
def test_every_family_of_tensors_has_as_many_parameters_as_the_code_that_builds_the_model_gives_it(name, book, tmp_path):
    built = families(built_model(json.loads((CONFIGS / f"{name}.json").read_text())))
    assert built == derived(book.at(preset_of(book, name, tmp_path)))


def built_model(config):
    kind = SAME_CODE.get(config["model_type"], config["model_type"])
    if kind not in transformers.CONFIG_MAPPING:
        pytest.skip(f"transformers {transformers.__version__} has no {kind}")
    settings = transformers.AutoConfig.for_model(**{**config, "model_type": kind})
    build = transformers.AutoModelForImageTextToText if "vision_config" in config else transformers.AutoModelForCausalLM
    with torch.device("meta"):
        return build.from_config(settings)


def families(model):
    """Parameters of each family; a weight that two modules share counts once, under its first name."""
    found, seen = Counter(), set()
    buffers = ((n, b) for n, b in model.named_buffers() if n.endswith("e_score_correction_bias"))
    for name, tensor in [*model.named_parameters(), *buffers]:
        if id(tensor) not in seen:
            seen.add(id(tensor))
            found[next(family for pattern, family in FAMILIES.items() if re.search(pattern, name))] += tensor.numel()
    # Query and output projections have the same names with and without latent compression.
    softmax = found.pop("softmax")
    found["mla_parameters" if found["mla_parameters"] else "gqa_parameters"] += softmax
    return {name: count for name, count in sorted(found.items()) if count}


def derived(point):
    """What the book derives for the same families; what it has of none is not there."""

    def value(name):
        return point.evaluator.number(name) if name in point.book.quantities or name in point.book.symbols else 0

    found = {n: value(n) for n in FAMILIES.values() if n in point.book.quantities or n in point.book.symbols}
    found |= {n: value(n) for n in ("gqa_parameters", "mla_parameters")}
    if "tied" in point.book.blocks:
        del found["lm_head_parameters"]
    biases = value("moe_layers") * value("experts") * value("expert_bias_parameters") - value("active_expert_bias_parameters")
    found["small"] = value("non_matrix_parameters") + biases
    found["correction"] = value("moe_layers") * value("experts") if "correction_bias" in point.book.blocks else 0
    assert sum(found.values()) == value("stored_parameters")
    return {name: count for name, count in sorted(found.items()) if count}


def preset_of(book, name, folder):
    """The preset of the book, or, where it has none of this model, the one that is imported."""
    if name in book.presets.names("model"):
        return name
    file = folder / f"{name}.toml"
    file.write_text(preset_text(Importer(book).read(CONFIGS / f"{name}.json")))
    return str(file)
