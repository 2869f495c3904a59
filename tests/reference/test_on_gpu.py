"""What only a GPU can show: no waiting for the device, and a real CUDA graph of a decode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
from minisgl.core import Batch
from minisgl.models import ModelConfig, RotaryConfig, create_model

from tests.reference.small_engine import (
    WIDTH,
    SmallEngine,
    build_engine,
    identity_page_table,
    new_batch,
    new_req,
    random_qkv,
)

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
SMALL = ModelConfig(
    model_type="qwen3",
    num_layers=2,
    num_qo_heads=4,
    num_kv_heads=2,
    head_dim=32,
    hidden_size=64,
    vocab_size=99,
    intermediate_size=96,
    rms_norm_eps=1e-6,
    hidden_act="silu",
    tie_word_embeddings=True,
    attention_bias=False,
    use_qk_norm=True,
    rotary_config=RotaryConfig(32, 32, 64, 1e6, None),
)
DTYPES = [torch.float32, torch.float16, torch.bfloat16]


@pytest.fixture
def gpu() -> torch.device:
    return torch.device("cuda:0")


@contextmanager
def no_waiting() -> Iterator[None]:
    """An operation that waits for the device raises."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def engine_with_caches(config: ModelConfig, device: torch.device) -> SmallEngine:
    """Every slot holds something, so that any row may decode at once."""
    engine = build_engine(config, rows=5, device=device)
    identity_page_table(engine, 5)
    for layer in range(config.num_layers):
        engine.kv_cache.k_cache(layer).normal_()
        engine.kv_cache.v_cache(layer).normal_()
    return engine


@pytest.mark.parametrize("dtype", DTYPES)
def test_attention_agrees_with_the_cpu(gpu: torch.device, dtype: torch.dtype) -> None:
    outs = []
    for device in (torch.device("cpu"), gpu):
        torch.manual_seed(0)
        engine = build_engine(SMALL, rows=2, dtype=dtype, device=device)
        identity_page_table(engine, 2)
        reqs = [new_req(range(6), 1), new_req(range(3), 0)]
        prefill = engine.attn_backend.forward(*random_qkv(engine, 9), 0, new_batch(engine, reqs))
        for req in reqs:
            req.complete_one()
            req.append_host(torch.tensor([0]))
        decode = engine.attn_backend.forward(*random_qkv(engine, 2), 0, new_batch(engine, reqs, "decode"))
        outs.append(torch.cat([prefill, decode]).float().cpu())
        engine.shutdown()
    tolerance = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}[dtype]
    torch.testing.assert_close(outs[1], outs[0], atol=tolerance, rtol=tolerance)


def test_neither_metadata_nor_a_decode_waits_for_the_device(gpu: torch.device) -> None:
    engine = engine_with_caches(SMALL, gpu)
    batch = new_batch(engine, [new_req(range(5), 0, 4), new_req(range(9), 3, 8)], "decode")
    qkv = random_qkv(engine, 2)
    engine.attn_backend.forward(*qkv, 0, batch)  # the first call may load kernels
    with no_waiting():
        engine.attn_backend.prepare_metadata(batch)
        engine.attn_backend.forward(*qkv, 0, batch)


def test_replays_of_a_captured_model_equal_eager(gpu: torch.device) -> None:
    torch.manual_seed(0)
    engine = engine_with_caches(SMALL, gpu)
    with gpu:
        model = create_model(SMALL)
    model.load_state_dict({name: torch.randn_like(w) * 0.2 for name, w in model.state_dict().items()})
    dummy = new_req([0], 4)
    captured = Batch([dummy] * 4, "decode")
    for field in ("input_ids", "positions", "out_loc"):
        setattr(captured, field, torch.zeros(4, dtype=torch.int32, device=gpu))
    engine.attn_backend.init_capture_graph(WIDTH, [4])
    engine.attn_backend.prepare_for_capture(captured)
    graph = torch.cuda.CUDAGraph()
    with torch.inference_mode(), engine.context.forward_batch(captured):
        model.forward()  # warm-up: tables and kernels
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            logits = model.forward()

    reqs = [new_req(range(n), row, cached_len=n - 1) for row, n in enumerate((3, 8, 14))]
    seen = []
    for _ in range(5):
        batch = new_batch(engine, reqs, "decode", padded=[*reqs, dummy])
        for field in ("input_ids", "positions", "out_loc"):
            getattr(captured, field).copy_(getattr(batch, field))
        engine.attn_backend.prepare_for_replay(batch)
        graph.replay()
        got = logits[:3].clone()
        with torch.inference_mode(), engine.context.forward_batch(batch):
            want = model.forward()[:3]
        torch.testing.assert_close(got, want, atol=1e-4, rtol=1e-4)
        seen.append(got)
        for req, token in zip(reqs, want.argmax(dim=1).cpu(), strict=True):
            req.complete_one()
            req.append_host(token.view(1))
    assert not torch.allclose(seen[0], seen[-1], atol=1e-2)  # the replays saw new inputs
