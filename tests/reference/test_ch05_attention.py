"""Chapter 5: the torch backend on mixed batches, and the chapter's example."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from minisgl.attention.base import BaseAttnMetadata
from minisgl.attention.torch_backend import TorchAttnBackend, TorchAttnMetadata

from tests.reference.small_engine import (
    QWEN3,
    build_engine,
    dense_causal,
    identity_page_table,
    new_batch,
    new_req,
    random_qkv,
)

EXAMPLE = Path(__file__).resolve().parents[2] / "reference_impl/examples/ch05_attention.py"
PRINTED = """\
cu_seqlens_q : [0, 6, 9, 10]  (每个请求本轮的 query 起止)
cache_seqlens: [6, 7, 9]   (每个请求的 KV 总长)
page_table   : [[0, 1, 2, 3, 4, 5, 0, 0, 0], [40, 41, 42, 43, 20, 21, 22, 0, 0], \
[50, 51, 52, 53, 54, 55, 56, 57, 58]]
out_loc      : [0, 1, 2, 3, 4, 5, 20, 21, 22, 58]
最后位置下标 : [5, 8, 9]
与完整因果注意力的最大误差: """


def test_torch_backend_mixed_batch_with_prefix_hits() -> None:
    engine = build_engine(QWEN3)
    identity_page_table(engine, 2)
    layer, scale = 5, 128**-0.5
    torch.manual_seed(0)
    full_a, full_b = random_qkv(engine, 6), random_qkv(engine, 7)
    engine.kv_cache.store_kv(full_b[1][:4], full_b[2][:4], engine.page_table[1, :4], layer)
    batch = new_batch(engine, [new_req(range(6), 0), new_req(range(7), 1, cached_len=4)])

    q, k, v = (torch.cat([a, b[4:]]) for a, b in zip(full_a, full_b, strict=True))
    out = engine.attn_backend.forward(q, k, v, layer, batch)

    assert torch.allclose(out[:6], dense_causal(*full_a, scale), atol=1e-5)
    assert torch.allclose(out[6:], dense_causal(*full_b, scale)[4:], atol=1e-5)
    assert batch.attn_metadata.get_last_indices(2).tolist() == [5, 8]
    engine.shutdown()


def test_the_example_prints_what_the_chapter_prints_from_any_directory(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-I", str(EXAMPLE)], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120
    )
    assert run.returncode == 0, run.stderr
    metadata, error = run.stdout[: len(PRINTED)], run.stdout[len(PRINTED) :]
    assert metadata == PRINTED
    assert 0 <= float(error) < 1e-6


def test_metadata_is_int32_contiguous_and_owns_its_table() -> None:
    engine = build_engine(rows=3)
    identity_page_table(engine, 3)
    reqs = [new_req(range(2), 2), new_req(range(3), 0, cached_len=2)]
    metadata = new_batch(engine, reqs).attn_metadata
    assert isinstance(metadata, TorchAttnMetadata)
    tensors = (metadata.cu_seqlens_q, metadata.cache_seqlens, metadata.page_table)
    assert all(t.dtype == torch.int32 and t.is_contiguous() for t in tensors)
    assert metadata.get_last_indices(2).dtype == torch.int32
    engine.page_table.zero_()
    # by table_idx, not by place in the batch; cut to the longest KV, cells past a length verbatim
    assert metadata.page_table.tolist() == [[64, 65, 66], [0, 1, 2]]
    assert metadata.max_seqlen_q == 2


def test_dummies_that_pad_a_batch_get_metadata_too() -> None:
    engine = build_engine(rows=3)
    identity_page_table(engine, 3)
    real, dummy = new_req(range(4), 0, cached_len=3), new_req([0], 2)
    metadata = new_batch(engine, [real], "decode", padded=[real, dummy, dummy]).attn_metadata
    assert isinstance(metadata, TorchAttnMetadata)
    assert metadata.cu_seqlens_q.tolist() == [0, 1, 2, 3]
    assert metadata.cache_seqlens.tolist() == [4, 1, 1]
    assert metadata.get_last_indices(1).tolist() == [0]


def test_kv_is_stored_before_it_is_read() -> None:
    engine = build_engine(rows=1)
    identity_page_table(engine, 1)
    batch = new_batch(engine, [new_req(range(3), 0)])
    q, k, v = random_qkv(engine, 3)
    out = engine.attn_backend.forward(q, k, v, 0, batch)  # the slots hold NaN until stored
    assert not out.isnan().any()
    assert torch.equal(engine.kv_cache.v_cache(0).flatten(0, 1)[:3], v)
    assert engine.kv_cache.v_cache(1).isnan().all()


def test_metadata_of_another_backend_is_refused() -> None:
    class Other(BaseAttnMetadata):
        def get_last_indices(self, bs: int) -> torch.Tensor:
            return torch.arange(bs)

    engine = build_engine(rows=1)
    identity_page_table(engine, 1)
    batch = new_batch(engine, [new_req(range(3), 0)])
    batch.attn_metadata = Other()
    with pytest.raises(TypeError, match="Other"):
        engine.attn_backend.forward(*random_qkv(engine, 3), 0, batch)


@pytest.mark.parametrize("page_size", [4, 8])
def test_the_page_size_does_not_change_the_result(page_size: int) -> None:
    outs = []
    for size in (1, page_size):
        torch.manual_seed(1)
        engine = build_engine(rows=2, page_size=size)
        identity_page_table(engine, 2)
        batch = new_batch(engine, [new_req(range(9), 1), new_req(range(5), 0)])
        outs.append(engine.attn_backend.forward(*random_qkv(engine, 14), 0, batch))
        engine.shutdown()
    assert torch.equal(*outs)


def test_a_backend_without_a_context_says_what_to_do() -> None:
    engine = build_engine(rows=1)
    engine.shutdown()
    with pytest.raises(RuntimeError, match="set_global_ctx"):
        TorchAttnBackend(engine.config)
