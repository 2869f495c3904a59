"""Reading a model's configuration."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from minisgl.models import ModelConfig
from minisgl.utils import cached_load_hf_config

SMALL = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "hidden_size": 64,
    "vocab_size": 100,
    "intermediate_size": 96,
    "max_position_embeddings": 128,
    "rms_norm_eps": 1e-5,
    "hidden_act": "silu",
    "rope_theta": 5e5,
}


def test_the_shipped_qwen3_is_read_from_any_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = ModelConfig.from_hf(cached_load_hf_config("models/Qwen3-0.6B"))
    assert (config.num_layers, config.hidden_size, config.intermediate_size) == (28, 1024, 3072)
    assert (config.num_qo_heads, config.num_kv_heads, config.head_dim) == (16, 8, 128)
    assert (config.vocab_size, config.tie_word_embeddings, config.rms_norm_eps) == (151936, True, 1e-6)
    assert (config.use_qk_norm, config.attention_bias) == (True, False)
    rope = config.rotary_config
    assert (rope.base, rope.max_position, rope.rotary_dim, rope.scaling) == (1e6, 40960, 128, None)


def test_a_model_folder_in_the_working_directory_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "models/Qwen3-0.6B"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(SMALL))
    monkeypatch.chdir(tmp_path)
    assert cached_load_hf_config("models/Qwen3-0.6B").num_hidden_layers == 2
    assert cached_load_hf_config(str(folder)).num_hidden_layers == 2


def test_changing_a_loaded_configuration_does_not_change_the_next() -> None:
    first = cached_load_hf_config("models/Qwen3-0.6B")
    first.num_hidden_layers = 1
    first.architectures.append("Other")
    second = cached_load_hf_config("models/Qwen3-0.6B")
    assert second.num_hidden_layers == 28
    assert second.architectures == ["Qwen3ForCausalLM"]


def test_a_missing_folder_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"'models/none': looked for .* and ") as error:
        cached_load_hf_config("models/none")
    assert str(tmp_path) in str(error.value)


@pytest.mark.parametrize(("text", "says"), [("{", "is not JSON"), ("[1]", "one JSON object")])
def test_a_broken_file_is_named(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ValueError, match=f"config.json .*{says}"):
        cached_load_hf_config(str(tmp_path))


def test_older_models_imply_head_dim_and_kv_heads() -> None:
    config = ModelConfig.from_hf(SimpleNamespace(**SMALL))
    assert (config.head_dim, config.num_kv_heads) == (16, 4)
    assert (config.tie_word_embeddings, config.attention_bias, config.use_qk_norm) == (False, False, False)


def test_both_layouts_of_rope_are_understood() -> None:
    old = SMALL | {"rope_scaling": {"type": "yarn", "factor": 4.0}}
    new = {k: v for k, v in SMALL.items() if k != "rope_theta"}
    new["rope_parameters"] = {"rope_type": "yarn", "factor": 4.0, "rope_theta": 5e5}
    for fields in (old, new):
        rope = ModelConfig.from_hf(SimpleNamespace(**fields)).rotary_config
        assert rope.base == 5e5
        assert rope.scaling is not None and rope.scaling["factor"] == 4.0
    plain = new | {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}
    rope = ModelConfig.from_hf(SimpleNamespace(**plain)).rotary_config
    assert (rope.base, rope.scaling) == (1e4, None)


def test_qwen2_has_biases_without_saying_so() -> None:
    assert ModelConfig.from_hf(SimpleNamespace(**SMALL | {"model_type": "qwen2"})).attention_bias


def test_a_missing_field_is_named() -> None:
    fields = {k: v for k, v in SMALL.items() if k != "vocab_size"}
    with pytest.raises(AttributeError, match="vocab_size"):
        ModelConfig.from_hf(SimpleNamespace(**fields))
