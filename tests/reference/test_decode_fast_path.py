"""Exercise 1 of chapter 5: one padded call for all decode requests, equal to the loop."""

from __future__ import annotations

import pytest
import torch
from minisgl.attention import torch_backend
from minisgl.attention.torch_backend import TorchAttnMetadata, attend_decode, attend_varlen

from tests.reference.small_engine import build_engine, identity_page_table, new_batch, new_req, random_qkv

SCALE = 16**-0.5


def pools_and_metadata(
    lengths: list[int], junk: int, poison: float = float("nan")
) -> tuple[torch.Tensor, torch.Tensor, TorchAttnMetadata]:
    """Pools [64, 2, 16] with poison in every unowned slot; table cells past a length hold junk."""
    slots = torch.split(torch.randperm(64)[: sum(lengths)], lengths)
    table = torch.full((len(lengths), max(lengths) + 3), junk, dtype=torch.int32)
    k_pool, v_pool = torch.full((2, 64, 2, 16), poison)
    for row, own in zip(table, slots, strict=True):
        row[: len(own)] = own
        k_pool[own], v_pool[own] = torch.randn(2, len(own), 2, 16)
    cu = torch.arange(len(lengths) + 1, dtype=torch.int32)
    return k_pool, v_pool, TorchAttnMetadata(cu, torch.tensor(lengths, dtype=torch.int32), table, 1)


@pytest.mark.parametrize("lengths", [[1], [1, 1, 1], [9, 1, 4], [7, 7], [20, 3, 1, 11, 2]])
@pytest.mark.parametrize("junk", [0, -1, 2**31 - 1])
def test_it_equals_the_loop_whatever_lies_past_the_lengths(lengths: list[int], junk: int) -> None:
    torch.manual_seed(len(lengths))
    k_pool, v_pool, metadata = pools_and_metadata(lengths, junk)
    q = 4 * torch.randn(len(lengths), 8, 16)
    fast, loop = (attend(q, k_pool, v_pool, metadata, SCALE) for attend in (attend_decode, attend_varlen))
    assert not fast.isnan().any()
    torch.testing.assert_close(fast, loop, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("poison", [float("nan"), float("inf"), float("-inf"), 1e38])
def test_unowned_slots_never_reach_the_result(poison: float) -> None:
    outs = []
    for fill in (0.0, poison):
        torch.manual_seed(5)
        k_pool, v_pool, metadata = pools_and_metadata([6, 2, 5], junk=63, poison=fill)
        outs.append(attend_decode(torch.randn(3, 4, 16), k_pool, v_pool, metadata, SCALE))
    assert torch.equal(*outs)


def test_nan_inside_a_request_stays_with_that_request() -> None:
    torch.manual_seed(2)
    k_pool, v_pool, metadata = pools_and_metadata([4, 6], junk=-1)
    v_pool[metadata.page_table[0, 2].long()] = torch.nan
    out = attend_decode(torch.randn(2, 4, 16), k_pool, v_pool, metadata, SCALE)
    assert out[0].isnan().all()
    assert not out[1].isnan().any()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_stays_at_the_rounding_of_the_output(dtype: torch.dtype) -> None:
    torch.manual_seed(3)
    k_pool, v_pool, metadata = pools_and_metadata([40, 17], junk=0)
    q = 4 * torch.randn(2, 8, 16)
    q, k_pool, v_pool = (x.to(dtype) for x in (q, k_pool, v_pool))
    got = attend_decode(q, k_pool, v_pool, metadata, SCALE)
    want = attend_varlen(q.double(), k_pool.double(), v_pool.double(), metadata, SCALE)
    assert got.dtype == dtype
    torch.testing.assert_close(got.double(), want, atol=4e-3, rtol=8e-3)


def test_only_batches_of_single_queries_take_it(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []

    def spy_on(name: str) -> None:
        real = getattr(torch_backend, name)

        def spy(*args: object) -> torch.Tensor:
            taken.append(name)
            return real(*args)  # type: ignore[no-any-return]

        monkeypatch.setattr(torch_backend, name, spy)

    spy_on("attend_decode")
    spy_on("attend_varlen")
    engine = build_engine(rows=3)
    identity_page_table(engine, 3)
    for lengths in ([1, 1], [1, 2], [3, 1, 1]):
        batch = new_batch(engine, [new_req(range(n), row) for row, n in enumerate(lengths)])
        engine.attn_backend.forward(*random_qkv(engine, sum(lengths)), 0, batch)
    assert taken == ["attend_decode", "attend_varlen", "attend_varlen"]


def test_the_loop_leaves_room_for_a_request_without_queries() -> None:
    torch.manual_seed(4)
    k_pool, v_pool, metadata = pools_and_metadata([3, 5, 2], junk=0)
    q = torch.randn(2, 4, 16)
    want = attend_varlen(torch.stack([q[0], q[0], q[1]]), k_pool, v_pool, metadata, SCALE)
    metadata.cu_seqlens_q = torch.tensor([0, 1, 1, 2], dtype=torch.int32)
    got = attend_varlen(q, k_pool, v_pool, metadata, SCALE)
    assert torch.equal(got, want[[0, 2]])
