"""Published configurations become the presets that the book has of the same models, each value with its key."""

import copy
import json
import tomllib
from pathlib import Path

import pytest

import symroof
from symroof.importing.config import ConfigError
from symroof.importing.importer import Importer, preset_text

CONFIGS = Path(__file__).parents[1] / "models" / "configs"
BOOK = symroof.load()
IMPORTER = Importer(BOOK)
NAMES = sorted(file.stem for file in CONFIGS.glob("*.json"))
PRESETS = [name for name in NAMES if name in BOOK.presets.names("model")]


def config(name, **changes):
    """A published configuration with some keys changed; None takes a key out, a dot goes into a table."""
    data = json.loads((CONFIGS / f"{name}.json").read_text())
    for key, value in changes.items():
        table = data
        *path, last = key.split("__")
        for step in path:
            table = table[step]
        table.pop(last, None)
        if value is not ...:
            table[last] = value
    return data


def imported(name, **changes):
    return IMPORTER.convert(config(name, **changes), "config.json")


def refusal(name, **changes):
    with pytest.raises(ConfigError) as error:
        imported(name, **changes)
    text = str(error.value)
    assert text.startswith("config.json: ")
    assert "\n" not in text
    return text.removeprefix("config.json: ")


@pytest.mark.parametrize("name", PRESETS)
def test_a_published_configuration_gives_the_numbers_of_the_preset(name):
    preset = BOOK.presets.read("model", "kimi-k3-released" if name == "kimi-k3" else name)
    found = imported(name)
    vision = {"vision_parameters", "projector_parameters"}
    assert {n: f.value for n, f in found.values.items()} == {n: g.value for n, g in preset.values.items() if n not in vision}
    assert set(found.blocks) == set(preset.blocks) - {"vision"}
    assert IMPORTER.on_a_run(found)[0] == preset.usual_run


@pytest.mark.parametrize("name", BOOK.presets.names("model"))
def test_every_model_of_the_book_has_its_published_configuration_here(name):
    varies = "base" in tomllib.loads((BOOK.presets.folder / "models" / f"{name}.toml").read_text())
    assert varies or name in NAMES, (
        f"model {name} has no published configuration to be held against: add its config.json, tests/models/configs/{name}.json, "
        "or name the model that it varies as its base"
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_preset_is_read_as_the_same_model(name, tmp_path):
    found = imported(name)
    file = tmp_path / "mine.toml"
    usual_run, ours = IMPORTER.on_a_run(found)
    file.write_text(preset_text(found, usual_run))
    point = BOOK.at(str(file))
    assert point.book is BOOK.having(found.blocks)
    assert {n: point.given[n].value for n in found.values} == {n: f.value for n, f in found.values.items()}
    assert all(point.given[n].source for n in found.values)
    assert point.evaluator.number("stored_parameters") == ours.evaluator.number("stored_parameters")


def test_the_text_of_a_preset_names_the_key_of_each_value_and_says_what_was_derived(golden):
    golden("import-gemma3-4b.toml", preset_text(imported("gemma3-4b")).replace(symroof.__version__, "VERSION"))


def test_nothing_of_the_default_model_is_left_under_an_imported_one(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(preset_text(imported("deepseek-v3")).replace("mla_period", "# mla_period"))
    with pytest.raises(symroof.errors.MissingValueError, match="mla_period"):
        BOOK.at(str(file))["interior_stage_flops_per_token"].value  # noqa: B018


def test_both_spellings_of_a_key_are_read_and_may_stand_together():
    other = imported("qwen3-30b-a3b", num_experts_per_tok=..., num_experts_per_token=8)
    assert other.values["top_k"].value == 8
    assert other.values["top_k"].says == "num_experts_per_token"
    assert imported("qwen3-30b-a3b", num_experts_per_token=8).values["top_k"].value == 8


def test_spellings_that_contradict_each_other_are_refused():
    says = refusal("qwen3-30b-a3b", num_experts_per_token=6)
    assert says == "num_experts_per_tok = 8 and num_experts_per_token = 6 say different things"


def test_a_head_width_that_is_not_given_is_derived_where_the_model_does_so():
    found = imported("llama31-8b").values["head_dim"]
    assert (found.value, found.says) == (128, "hidden_size / num_attention_heads")
    assert found.note == "head_dim is not given; 4096 / 32, as LlamaConfig does"
    assert imported("llama31-8b", head_dim=64).values["head_dim"].value == 64
    assert imported("llama31-8b", head_dim=None).values["head_dim"].value == 128


def test_a_head_width_that_is_not_given_is_missing_where_the_model_does_not_divide():
    assert refusal("qwen3-30b-a3b", head_dim=...) == "head_dim is missing"
    assert refusal("gpt-oss-20b", head_dim=None) == "head_dim is null"


def test_a_head_width_that_divides_unevenly_is_refused():
    assert refusal("llama31-8b", hidden_size=4097) == "hidden_size / num_attention_heads = 4,097 / 32 is no whole number"
    assert refusal("llama31-8b", num_attention_heads=0) == "hidden_size / num_attention_heads = 4,096 / 0 is no whole number"


def test_key_heads_that_are_not_given_are_as_many_as_query_heads_where_the_model_says_so():
    assert imported("llama2-7b", num_key_value_heads=...).values["kv_heads"].value == 32
    assert refusal("mistral-7b", num_key_value_heads=...) == "num_key_value_heads is missing"


def test_layers_that_come_at_no_equal_distances_are_refused():
    full, kda = [4, 9, *range(12, 93, 4), 93], [*range(1, 4), *range(5, 9), 10, 11]
    kda += [n for n in range(12, 93) if n % 4]
    table = config("kimi-k3")["text_config"]["linear_attn_config"] | {"full_attn_layers": full, "kda_layers": kda}
    assert refusal("kimi-k3", text_config__linear_attn_config=table).endswith("mla layers do not come at equal distances")


def test_a_tie_is_read_outside_the_text_model_too_and_must_be_the_same_inside():
    assert "tied" in imported("gemma3-27b").blocks
    assert "tied" not in imported("gemma3-27b", tie_word_embeddings=False).blocks
    says = refusal("gemma3-27b", tie_word_embeddings=False, text_config__tie_word_embeddings=True)
    assert says == "text_config.tie_word_embeddings = true and tie_word_embeddings = false say different things"


def test_what_a_file_leaves_to_the_code_of_its_model_is_said_and_not_silent():
    found = imported("gemma3-4b")
    assert found.values["heads"].value == 8
    assert not found.values["heads"].keyed
    assert found.values["heads"].note == "text_config.num_attention_heads is not given"
    assert "is not given: Gemma3TextConfig has it so" in found.blocks["tied"]


def test_what_is_left_out_is_said():
    assert imported("kimi-k3").cautions == ("vision_config is left out: the vision tower and its projector are in no count",)
    assert imported("kimi-k2").cautions == ()


@pytest.mark.parametrize(
    ("name", "changes", "dense"),
    [
        ("deepseek-v3", {"first_k_dense_replace": 0}, None),
        ("deepseek-v3", {"moe_layer_freq": 2}, 32),
        ("deepseek-v3", {"moe_layer_freq": ...}, 3),
        ("qwen3-30b-a3b", {"mlp_only_layers": [0, 5]}, 2),
        ("qwen3-30b-a3b", {"decoder_sparse_step": 2}, 24),
        ("qwen3-30b-a3b", {"decoder_sparse_step": 2, "mlp_only_layers": [0, 1]}, 25),
        ("glm5-744b", {"first_k_dense_replace": ..., "mlp_layer_types": ["dense"] * 4 + ["sparse"] * 74}, 4),
        ("glm5-744b", {"mlp_layer_types": ["dense"] * 3 + ["sparse"] * 75}, 3),
    ],
)
def test_dense_layers_are_counted_over_every_kind_of_pattern(name, changes, dense):
    found = imported(name, **changes)
    assert ("dense" in found.blocks) == (dense is not None)
    assert (found.values["dense_layers"].value if dense else None) == dense


def test_a_model_whose_layers_are_all_dense_has_no_experts():
    found = imported("deepseek-v3", first_k_dense_replace=61, n_routed_experts=..., num_nextn_predict_layers=0)
    assert "moe" not in found.blocks
    assert "experts" not in found.values


@pytest.mark.parametrize(
    ("name", "changes", "windowed"),
    [
        ("gemma2-9b", {}, 21),
        ("gemma2-9b", {"layer_types": ["sliding_attention"] * 40 + ["full_attention"] * 2}, 40),
        ("gemma3-1b", {}, 22),
        ("gemma3-1b", {"sliding_window_pattern": ..., "_sliding_window_pattern": 2}, 13),
        ("mistral-7b", {}, 32),
        ("mistral-7b", {"sliding_window": None}, None),
        ("gpt-oss-20b", {"layer_types": ...}, 12),
    ],
)
def test_windowed_layers_are_counted_over_every_kind_of_pattern(name, changes, windowed):
    found = imported(name, **changes)
    assert ("window" in found.blocks) == (windowed is not None)
    assert (found.values["windowed_layers"].value if windowed else None) == windowed


@pytest.mark.parametrize(
    ("name", "changes", "says"),
    [
        ("llama31-8b", {"model_type": "gpt2"}, 'model_type = "gpt2" is unknown'),
        ("llama31-8b", {"model_type": "lama"}, 'model_type = "lama" is unknown; did you mean llama'),
        ("llama31-8b", {"model_type": ...}, "model_type is missing"),
        ("llama31-8b", {"model_type": ["llama"]}, "model_type = a list of 1 is unknown"),
        ("llama31-8b", {"architectures": ["LlamaForSequenceClassification"]}, "which is no class that ends with ForCausalLM"),
        ("llama31-8b", {"vocab_size": ...}, "vocab_size is missing"),
        ("llama31-8b", {"vocab_size": None}, "vocab_size is null"),
        ("llama31-8b", {"vocab_size": "128256"}, 'vocab_size = "128256" is no whole number'),
        ("llama31-8b", {"vocab_size": True}, "vocab_size = true is no whole number"),
        ("llama31-8b", {"vocab_size": [128256]}, "vocab_size = a list of 1 is no whole number"),
        ("llama31-8b", {"vocab_size": -1}, "vocab_size = -1 is not a number from 0 to 1,000,000,000"),
        ("llama31-8b", {"vocab_size": 10**30}, "is not a number from 0 to 1,000,000,000"),
        ("llama31-8b", {"vocab_size": 0}, "vocab_size = 0: vocab must be a positive integer"),
        ("llama31-8b", {"mlp_bias": True}, "mlp_bias = true: the book describes Llama with false only"),
        ("llama31-8b", {"attention_bias": "no"}, 'attention_bias = "no" is neither true nor false'),
        ("llama31-8b", {"num_key_value_heads": 5}, "kv_heads = 5 does not divide heads = 32"),
        ("qwen3-8b", {"use_sliding_window": True}, "use_sliding_window = true: the book describes Qwen3 with false only"),
        ("qwen3-30b-a3b", {"num_experts": ...}, "n_routed_experts is missing, and so is num_experts and num_local_experts"),
        ("qwen3-30b-a3b", {"num_experts_per_tok": 200}, "top_k = 200 is above experts = 128"),
        ("qwen3-30b-a3b", {"mlp_only_layers": [48]}, "mlp_only_layers has 48, which is not a layer from 0 to 47"),
        ("qwen3-30b-a3b", {"mlp_only_layers": [1, 1]}, "mlp_only_layers names a layer twice"),
        ("qwen3-30b-a3b", {"decoder_sparse_step": 0}, "decoder_sparse_step is no period of layers"),
        ("qwen3-30b-a3b", {"num_hidden_layers": 10_001}, "10,001 layers: a model has at most 10,000"),
        ("qwen3-next-80b-a3b", {"linear_value_head_dim": 64}, "the book describes Qwen3-Next with one width for both"),
        ("qwen3-next-80b-a3b", {"full_attention_interval": ...}, "layer_types is missing"),
        ("gpt-oss-20b", {"layer_types": ["full_attention"]}, "layer_types has 1 entries for 24 layers"),
        ("gpt-oss-20b", {"layer_types": ["odd"] * 24}, 'layer_types[0] = "odd" is none of sliding_attention, full_attention'),
        ("gpt-oss-20b", {"layer_types": "full"}, 'layer_types = "full" is no list'),
        ("deepseek-v3", {"first_k_dense_replace": ...}, "first_k_dense_replace is missing"),
        ("deepseek-v3", {"topk_method": "greedy"}, 'topk_method = "greedy" is none of noaux_tc'),
        ("deepseek-v3", {"n_shared_experts": 10**6, "moe_intermediate_size": 10**6}, "is more than any model has"),
        (
            "glm5-744b",
            {"mlp_layer_types": ["dense"] * 4 + ["sparse"] * 74},
            "layer 3 (counted from 0): mlp_layer_types says dense",
        ),
        ("glm5-744b", {"indexer_types": ["full", "shared"]}, 'indexer_types = "shared": the book describes GLM-5'),
        ("glm5-744b", {"index_topk_pattern": "FFS"}, 'index_topk_pattern = "FFS": the book describes GLM-5 without it'),
        ("kimi-k3", {"text_config": ...}, "text_config is missing"),
        ("kimi-k3", {"text_config": 3}, "text_config = 3 is no table"),
        ("kimi-k3", {"text_config__vocab_size": ...}, "text_config.vocab_size is missing"),
        ("kimi-k3", {"text_config__linear_attn_config": {}}, "text_config.linear_attn_config.kda_layers is missing"),
        ("kimi-k3", {"text_config__linear_attn_config__use_full_rank_gate": ...}, "use_full_rank_gate is missing"),
        ("kimi-k3", {"text_config__model_type": "llama"}, 'text_config.model_type = "llama": the book describes Kimi K3'),
        ("kimi-k3", {"text_config__linear_attn_config__kda_layers": [1]}, "layer 2 (counted from 1) is in none of"),
        ("kimi-k3", {"text_config__linear_attn_config__full_attn_layers": [1]}, "layer 1 is kda already"),
        ("kimi-k3", {"text_config__linear_attn_config__kda_layers": [0]}, "has 0, which is not a layer from 1 to 93"),
        ("kimi-k3", {"text_config__latent_moe_use_norm": False}, "latent_moe_use_norm = false: the book describes Kimi K3"),
    ],
)
def test_a_configuration_that_cannot_be_right_is_refused_with_its_key(name, changes, says):
    assert says in refusal(name, **changes)


@pytest.mark.parametrize("name", NAMES)
def test_a_key_that_decides_a_number_is_refused_where_it_is_missing_or_decided_aloud(name):
    whole = imported(name)
    for path in paths(config(name)):
        data = config(name)
        drop(data, path)
        found = attempt(data)
        if isinstance(found, str):
            assert path[-1] in found or "is missing" in found
            continue
        changed = {*whole.blocks} ^ {*found.blocks}
        for symbol in {*whole.values, *found.values}:
            # A block that is said by the presence of a key goes with it, and so does what belongs to it.
            if BOOK.symbols[symbol].block not in changed and found.values[symbol].value != whole.values[symbol].value:
                assert "is not given" in found.values[symbol].note, (path, symbol)


def attempt(data):
    """What a configuration becomes, or the refusal in words."""
    try:
        return IMPORTER.convert(data, "config.json")
    except ConfigError as error:
        return str(error)


def paths(data, start=()):
    for key, value in data.items():
        yield (*start, key)
        if isinstance(value, dict):
            yield from paths(value, (*start, key))


def drop(data, path):
    for step in path[:-1]:
        data = data[step]
    del data[path[-1]]


def test_a_model_that_fits_no_run_is_imported_without_one():
    found = imported("qwen3-30b-a3b", num_experts=127, num_experts_per_tok=7)
    assert IMPORTER.on_a_run(found) == ("", None)


def test_a_configuration_is_not_changed_by_reading_it():
    data = config("kimi-k3")
    kept = copy.deepcopy(data)
    IMPORTER.convert(data, "config.json")
    assert data == kept


def test_a_file_name_that_no_toml_can_hold_is_still_a_preset():
    text = preset_text(IMPORTER.convert(config("llama31-8b"), '/tmp/a"b\n\x7f\udce9\U0001f600.json'))
    assert tomllib.loads(text)["values"]["hidden"]["value"] == 4096
