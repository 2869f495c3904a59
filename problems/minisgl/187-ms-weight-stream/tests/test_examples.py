"""Cases that a learner sees in full: one layer, its parts scattered; one layer of four experts."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .streams import attention, mlp, verify


@case(part="merge", points=6)
def test_merge_book(submission: Any, rng: Rng) -> None:
    """v comes first, q last; an embedding and a norm in between."""
    found = dict(attention(rng, 0) + mlp(rng, "model.layers.0.mlp"))
    items = [
        ("model.layers.0.self_attn.v_proj.weight", found["model.layers.0.self_attn.v_proj.weight"]),
        ("model.embed_tokens.weight", rng.tensor(5, 3)),
        ("model.layers.0.mlp.up_proj.weight", found["model.layers.0.mlp.up_proj.weight"]),
        ("model.layers.0.self_attn.k_proj.weight", found["model.layers.0.self_attn.k_proj.weight"]),
        ("model.layers.0.mlp.gate_proj.weight", found["model.layers.0.mlp.gate_proj.weight"]),
        ("model.layers.0.mlp.down_proj.weight", found["model.layers.0.mlp.down_proj.weight"]),
        ("model.layers.0.self_attn.q_proj.weight", found["model.layers.0.self_attn.q_proj.weight"]),
        ("model.norm.weight", rng.tensor(3)),
    ]
    verify(submission, items)


@case(part="experts", points=5)
def test_experts_book(submission: Any, rng: Rng) -> None:
    items = [item for expert in (2, 0, 3, 1) for item in mlp(rng, f"model.layers.0.mlp.experts.{expert}")]
    verify(submission, items, 4)
