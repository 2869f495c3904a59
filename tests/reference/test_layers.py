"""The weight tree and the layers' shapes and choices."""

from __future__ import annotations

import pytest
import torch
from minisgl.core import Batch
from minisgl.layers import BaseOP, OPList, ParallelLMHead, RMSNorm, VocabParallelEmbedding, vocab_shard
from minisgl.models import MODELS, ModelConfig, create_model
from minisgl.utils import cached_load_hf_config, torch_dtype

from tests.reference.small_engine import QWEN3, build_engine, identity_page_table, new_batch, new_req


class Leaf(BaseOP):
    def __init__(self, size: int) -> None:
        self.weight = torch.zeros(size)
        self._cache = torch.zeros(3)
        self.note = "not a weight"


class Tree(BaseOP):
    def __init__(self) -> None:
        self.scale = torch.tensor(2.0)
        self.leaves = OPList([Leaf(i + 1) for i in range(11)])
        self.nested = OPList([OPList([Leaf(2)])])
        self._hidden = Leaf(1)


def test_names_are_dotted_in_the_order_of_definition() -> None:
    names = list(Tree().state_dict())
    assert names == ["scale", *[f"leaves.{i}.weight" for i in range(11)], "nested.0.0.weight"]
    assert next(iter(Leaf(1).state_dict("model.norm"))) == "model.norm.weight"


def test_the_state_holds_the_weights_themselves() -> None:
    leaf = Leaf(2)
    assert leaf.state_dict()["weight"] is leaf.weight


def test_loading_replaces_weights_even_on_the_meta_device() -> None:
    with torch.device("meta"):
        tree = Tree()
    given = {name: torch.ones(w.shape) for name, w in tree.state_dict().items()}
    names = list(given)
    tree.load_state_dict(given)
    assert all(w is given[name] for name, w in tree.state_dict().items())
    assert list(given) == names


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"leaves.3.weight": None}, KeyError, "missing weights: leaves.3.weight"),
        ({"leaves.11.weight": torch.zeros(1)}, KeyError, "unknown weights: leaves.11.weight"),
        ({"nested.0.0.weight": torch.zeros(3)}, ValueError, "nested.0.0.weight: need .*2,.* got .*3,"),
        ({"scale": torch.tensor(2)}, ValueError, "scale: .*float32, got .*int64"),
    ],
)
def test_wrong_states_are_refused_and_change_nothing(
    change: dict[str, torch.Tensor | None], error: type[Exception], says: str
) -> None:
    tree = Tree()
    before = tree.state_dict()
    given = {name: torch.ones_like(w) for name, w in before.items()} | change
    with pytest.raises(error, match=says):
        tree.load_state_dict({name: w for name, w in given.items() if w is not None})
    assert all(w is before[name] for name, w in tree.state_dict().items())


@pytest.mark.parametrize(
    ("vocab", "size", "lengths"), [(10, 4, [3, 3, 3, 1]), (5, 4, [2, 2, 1, 0]), (8, 1, [8])]
)
def test_vocabulary_shards_cover_every_token_once(vocab: int, size: int, lengths: list[int]) -> None:
    shards = [vocab_shard(vocab, rank, size) for rank in range(size)]
    assert [len(s) for s in shards] == lengths
    assert [token for s in shards for token in s] == list(range(vocab))


def test_the_head_keeps_last_rows_in_prefill_and_all_rows_in_decode() -> None:
    engine = build_engine(rows=4)
    identity_page_table(engine, 4)
    head = ParallelLMHead(7, 5)
    head.weight = torch.randn(7, 5)
    reqs = [new_req(range(3), 0), new_req(range(4), 1, cached_len=2)]
    x = torch.randn(5, 5)
    with engine.context.forward_batch(new_batch(engine, reqs)):
        torch.testing.assert_close(head.forward(x), x[[2, 4]] @ head.weight.T)
    decoding = [new_req(range(3), row, cached_len=2) for row in (0, 1)]
    padded: Batch = new_batch(engine, decoding, "decode", padded=[*decoding, new_req([0], 3)])
    with engine.context.forward_batch(padded):
        torch.testing.assert_close(head.forward(x[:3]), x[:3] @ head.weight.T)


def test_a_tied_head_has_no_weight_of_its_own() -> None:
    embedding = VocabParallelEmbedding(7, 5)
    head = ParallelLMHead(7, 5, tied_to=embedding)
    assert head.state_dict() == {}
    embedding.weight = torch.eye(7, 5)  # loaded after it was tied
    engine = build_engine(rows=1)
    identity_page_table(engine, 1)
    with engine.context.forward_batch(new_batch(engine, [new_req(range(1), 0)])):
        assert head.forward(torch.ones(1, 5)).tolist() == [[1, 1, 1, 1, 1, 0, 0]]


def test_new_weights_take_the_default_dtype_and_device() -> None:
    with torch.device("meta"), torch_dtype(torch.bfloat16):
        weight = RMSNorm(4, 1e-6).weight
    assert (weight.dtype, weight.device.type) == (torch.bfloat16, "meta")


def test_qwen3_has_596_million_weights() -> None:
    config = ModelConfig.from_hf(cached_load_hf_config(QWEN3))
    with torch.device("meta"):
        weights = create_model(config).state_dict()
    assert sum(w.numel() for w in weights.values()) == 596_049_920
    assert weights["model.layers.27.self_attn.qkv_proj.weight"].shape == (4096, 1024)
    assert "lm_head.weight" not in weights


def test_an_unknown_model_lists_the_known_ones() -> None:
    with pytest.raises(
        KeyError, match="unknown model type 'gpt2'; supported: qwen3, qwen2, llama, qwen3_moe"
    ):
        MODELS["gpt2"]
