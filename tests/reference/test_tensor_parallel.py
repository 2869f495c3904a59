"""Two real ranks give the logits of one, and generate what one does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import torch
from minisgl.distributed import TPInfo
from minisgl.models import ModelConfig, RotaryConfig

from tests.reference.tp_worker import generated, logits

ROOT = Path(__file__).resolve().parents[2]
LAYERS, HIDDEN, VOCAB, INNER = 2, 32, 51, 24  # an odd vocabulary: the last rank holds fewer rows


def checkpoint(num_qo: int, num_kv: int) -> tuple[ModelConfig, dict[str, torch.Tensor]]:
    """A random model of head size 8, in the names of a Hugging Face checkpoint."""
    rope = RotaryConfig(8, 8, 64, 1e4, None)
    config = ModelConfig(
        "qwen2", LAYERS, num_qo, num_kv, 8, HIDDEN, VOCAB, INNER, 1e-6, "silu", False, True, False, rope
    )
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens": (VOCAB, HIDDEN), "lm_head": (VOCAB, HIDDEN)}
    shapes["model.norm"] = (HIDDEN,)
    for i in range(LAYERS):
        layer = f"model.layers.{i}"
        sizes = {"q": num_qo * 8, "k": num_kv * 8, "v": num_kv * 8}
        shapes |= {f"{layer}.self_attn.{p}_proj": (n, HIDDEN) for p, n in sizes.items()}
        shapes |= {
            f"{layer}.self_attn.o_proj": (HIDDEN, num_qo * 8),
            f"{layer}.mlp.down_proj": (HIDDEN, INNER),
        }
        shapes |= {f"{layer}.mlp.{p}_proj": (INNER, HIDDEN) for p in ("gate", "up")}
        shapes |= {f"{layer}.{p}_layernorm": (HIDDEN,) for p in ("input", "post_attention")}
    weights = {f"{name}.weight": 0.3 * torch.randn(shape) for name, shape in shapes.items()}
    biases = {
        f"{n}.bias": torch.randn(s[0]) for n, s in shapes.items() if n[-6:] in ("q_proj", "k_proj", "v_proj")
    }
    return config, weights | biases


def test_two_ranks_agree_with_one(tmp_path: Path) -> None:
    torch.manual_seed(0)
    models = [checkpoint(num_qo=4, num_kv=2), checkpoint(num_qo=4, num_kv=1)]  # KV heads split, copied
    torch.save(models, tmp_path / "models.pt")
    env = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'reference_impl'}"}
    command = [sys.executable, "-m", "tests.reference.tp_worker"]
    ranks = [
        subprocess.Popen([*command, str(rank), "2", str(tmp_path)], cwd=ROOT, env=env, stderr=subprocess.PIPE)
        for rank in range(2)
    ]
    try:
        for rank in ranks:
            _, errors = rank.communicate(timeout=100)
            assert rank.returncode == 0, errors.decode()
    finally:
        for rank in ranks:
            rank.kill()
    want = [logits(*model) for model in models]
    for i in range(2):
        got, counts = torch.load(tmp_path / f"logits-{i}.pt")
        torch.testing.assert_close(got, want, atol=2e-5, rtol=1e-4)
        # the embedding, and each layer's attention and MLP; the logits once
        assert counts == {"all_reduce": 2 * (2 * LAYERS + 1), "all_gather": 2}
    alone = [generated(*model, TPInfo(0, 1)) for model in models]
    first, second = (torch.load(tmp_path / f"tokens-{i}.pt") for i in range(2))
    assert first == second  # sampled ones too: each rank draws for itself, from one seed
    assert [greedy for greedy, _ in first] == [greedy for greedy, _ in alone]
    assert all(greedy != sampled for greedy, sampled in first)
