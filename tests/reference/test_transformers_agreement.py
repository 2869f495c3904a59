"""Our forward pass, through the paged pool, against Hugging Face transformers on small random weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from minisgl.models import BaseLLMModel, ModelConfig, create_model, load_weights
from minisgl.utils import torch_dtype
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from tests.reference.small_engine import SmallEngine, build_engine, identity_page_table, new_batch, new_req

SIZES: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 99,
    "max_position_embeddings": 64,
}
# head_dim 32 != 64 / 4, as in Qwen3-0.6B
QWEN3_SMALL = (Qwen3ForCausalLM, Qwen3Config, {"head_dim": 32, "tie_word_embeddings": True})
FAMILIES = [
    QWEN3_SMALL,
    (Qwen3ForCausalLM, Qwen3Config, {"head_dim": 32, "tie_word_embeddings": False}),
    (Qwen2ForCausalLM, Qwen2Config, {"tie_word_embeddings": True}),
    (LlamaForCausalLM, LlamaConfig, {"tie_word_embeddings": False}),
]


def build_pair(
    family: tuple[Any, Any, dict[str, Any]], dtype: torch.dtype = torch.float32
) -> tuple[Any, BaseLLMModel, SmallEngine]:
    """Theirs and ours with one set of weights (norms and biases not trivial), and our engine."""
    torch.manual_seed(0)
    model_class, config_class, extra = family
    theirs = model_class(config_class(**SIZES, **extra, rms_norm_eps=1e-6, attn_implementation="eager"))
    theirs = theirs.to(dtype).eval()
    with torch.no_grad():
        for name, weight in theirs.named_parameters():
            weight.copy_(torch.randn_like(weight) * (0.3 if weight.dim() == 1 else 0.15) + ("norm" in name))
    config = ModelConfig.from_hf(theirs.config)
    with torch.device("meta"), torch_dtype(dtype):
        ours = create_model(config)
    load_weights(ours, config, theirs.state_dict().items())
    engine = build_engine(config, rows=4, dtype=dtype)
    identity_page_table(engine, 4)
    return theirs, ours, engine


def their_logits(theirs: Any, ids: Sequence[int]) -> torch.Tensor:
    """[n, V] after each of the ids, without any cache."""
    with torch.inference_mode():
        logits: torch.Tensor = theirs(torch.tensor([list(ids)]), use_cache=False).logits[0]
    return logits


def random_ids(length: int) -> list[int]:
    return torch.randint(SIZES["vocab_size"], (length,)).tolist()


@pytest.mark.parametrize("family", FAMILIES, ids=["qwen3", "qwen3-untied", "qwen2", "llama"])
def test_a_prefill_of_several_lengths_agrees(family: tuple[Any, Any, dict[str, Any]]) -> None:
    theirs, ours, engine = build_pair(family)
    prompts = [random_ids(n) for n in (7, 1, 12)]
    batch = new_batch(engine, [new_req(ids, row) for row, ids in enumerate(prompts)])
    with torch.inference_mode(), engine.context.forward_batch(batch):
        got = ours.forward()
    want = torch.stack([their_logits(theirs, ids)[-1] for ids in prompts])
    assert got.shape == (3, SIZES["vocab_size"])
    assert want.abs().max() > 1  # large enough for the tolerance to mean something
    torch.testing.assert_close(got, want, atol=2e-5, rtol=1e-5)


def test_chunked_prefill_then_decode_agrees_at_every_step() -> None:
    theirs, ours, engine = build_pair(QWEN3_SMALL)
    whole = [random_ids(20), random_ids(15)]
    cuts = [[0, 6, 7, 13], [0, 1, 9, 12]]  # chunk bounds; afterwards one token a step
    for step in range(3):
        reqs = [
            new_req(ids[: c[step + 1]], i, c[step])
            for i, (ids, c) in enumerate(zip(whole, cuts, strict=True))
        ]
        check_step(theirs, ours, engine, reqs, "prefill")
    for extra in range(3):
        reqs = [
            new_req(ids[: c[3] + extra + 1], i, c[3] + extra)
            for i, (ids, c) in enumerate(zip(whole, cuts, strict=True))
        ]
        check_step(theirs, ours, engine, reqs, "decode")


def check_step(theirs: Any, ours: BaseLLMModel, engine: SmallEngine, reqs: list[Any], phase: Any) -> None:
    dummy = new_req([0], 3)
    batch = new_batch(engine, reqs, phase, padded=[*reqs, dummy] if phase == "decode" else None)
    with torch.inference_mode(), engine.context.forward_batch(batch):
        got = ours.forward()
    want = torch.stack([their_logits(theirs, req.input_ids.tolist())[-1] for req in reqs])
    assert len(got) == batch.padded_size  # decode keeps the rows of dummies
    torch.testing.assert_close(got[: len(reqs)], want, atol=2e-5, rtol=1e-5)


def test_greedy_generation_gives_the_same_tokens() -> None:
    theirs, ours, engine = build_pair(QWEN3_SMALL)
    prompt = random_ids(5)
    with torch.inference_mode():
        want = theirs.generate(
            torch.tensor([prompt]), max_new_tokens=10, do_sample=False, eos_token_id=None, pad_token_id=0
        )
    req = new_req(prompt, 2, output_len=10)
    while req.can_decode:
        batch = new_batch(engine, [req], "prefill" if req.cached_len == 0 else "decode")
        with torch.inference_mode(), engine.context.forward_batch(batch):
            token = ours.forward()[0].argmax().view(1)
        req.complete_one()
        req.append_host(token)
    assert req.input_ids.tolist() == want[0].tolist()


def test_bfloat16_stays_within_its_rounding() -> None:
    theirs, ours, engine = build_pair(QWEN3_SMALL, torch.bfloat16)
    ids = random_ids(16)
    batch = new_batch(engine, [new_req(ids, 1)])
    with torch.inference_mode(), engine.context.forward_batch(batch):
        got = ours.forward()[0].float()
    want = their_logits(theirs, ids)[-1].float()
    assert (got - want).abs().max() < 0.04 * want.abs().max()
