"""Hidden cases: stores of all kinds, judged by the bits of the whole pool; then offsets and widths."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from .launches import offsets, random_pair, view, widths
from .pools import make, store

HALF = torch.bfloat16


@case(part="store", points=5)
@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32], ids=["float16", "bfloat16", "float32"]
)
def test_store_split(submission: Any, rng: Rng, dtype: torch.dtype) -> None:
    """Slices of a merged projection; NaN and infinities are moved like any other bits."""
    store(submission, make(rng, int(rng.integers(5, 12)), 2, 8, dtype))


@case(part="store", points=6, means={"RuntimeError": "view-fails"})
def test_store_other_strides(submission: Any, rng: Rng) -> None:
    """K and V side by side in the pool; sources whose heads lie apart; a pool that does so, too."""
    store(submission, make(rng, 6, 3, 4, HALF, layout="interleaved"))
    store(submission, make(rng, 6, 3, 4, HALF, form="transposed"))
    store(submission, make(rng, 5, 2, 4, HALF, layout="heads"))


@case(part="store", points=5, means={"RE": "empty-fails"})
def test_store_nothing(submission: Any, rng: Rng) -> None:
    """No token; then one."""
    for tokens in (0, 1):
        store(submission, make(rng, tokens, 2, 4, HALF))


@case(part="store", points=5)
def test_store_odd_rows(submission: Any, rng: Rng) -> None:
    """Rows of 15 elements, 30 bytes."""
    store(submission, make(rng, 7, 3, 5, HALF))


@case(part="store", points=5)
def test_store_dummies(submission: Any, rng: Rng) -> None:
    """The rows that pad a batch all go to one slot, which may hold any of them afterwards."""
    call = make(rng, 8, 2, 4, HALF)
    call.out_loc[4:] = call.out_loc[4]
    store(submission, call, free=int(call.out_loc[4]))


@case(part="store", points=5)
def test_store_all_slots(submission: Any, rng: Rng) -> None:
    """As many tokens as slots, the first and the last among them."""
    store(submission, make(rng, 9, 1, 4, HALF, slots=9))


@case(part="store", points=6, means={"RE": "reads-the-device", "NotImplementedError": "reads-the-device"})
def test_store_on_meta(submission: Any, rng: Rng) -> None:
    """Tensors without values, as if a CUDA graph were captured; then the same with values."""
    call = make(rng, 6, 2, 4, HALF)
    rows, caches = call.rows(), call.caches(call.pool)
    result = submission.store_cache(*(x.to("meta") for x in (*rows, *caches, call.out_loc)))
    check.equal(result, None, field="store_cache", mistake="returns-something")
    store(submission, call)


@case(part="store", points=7, means={"TLE": "token-by-token"})
def test_store_many_tokens(submission: Any, rng: Rng) -> None:
    """65536 tokens of 4 elements."""
    tokens = 1 << 16
    k, v = rng.ints(0, 100, 2, tokens, 1, 4).to(HALF)
    out_loc = torch.from_numpy(rng.permutation(tokens)).int()
    got = submission.harness.store_plain(k, v, out_loc)
    for name, found, rows in zip(("k_cache", "v_cache"), got, (k, v), strict=True):
        want = torch.empty_like(rows)
        want[out_loc.long()] = rows
        check.tensor(found.view(torch.int16), like=want.view(torch.int16), field=name, mistake="pool-wrong")


@case(part="launch", points=10)
def test_launch_offsets(submission: Any, rng: Rng) -> None:
    for _ in range(4):
        k, cache = random_pair(rng)
        cache["rows"] = 50
        offsets(submission, k, cache, rng.ints(0, 50, k["rows"]))


@case(part="launch", points=10)
def test_launch_large_pool(submission: Any, rng: Rng) -> None:
    """A pool of more than 2**31 elements; then a prefill that is as large."""
    slots = 1 << 22
    cache = view(slots, 1024, 8, 128)
    offsets(submission, view(4, 1536, 8, 128, 512), cache, rng.ints(slots - 9, slots, 4))
    k = view(9, 1 << 30, 8, 128)
    offsets(submission, k, view(99, 1024, 8, 128, 1024), rng.ints(0, 99, 9))


@case(part="launch", points=10)
def test_launch_widths(submission: Any, rng: Rng) -> None:
    pairs = [random_pair(rng) for _ in range(24)]
    pairs[5][0]["rows"] = 1
    widths(submission, pairs)


@case(part="launch", points=5)
def test_launch_one_thing_in_the_way(submission: Any, rng: Rng) -> None:
    """Everything is a multiple of 32 bytes but one count."""
    fine = view(3, 256, 2, 64, 64)
    pairs = [(fine, fine), (fine, replace_in(fine, start=4)), (replace_in(fine, start=6), fine)]
    pairs += [(fine, replace_in(fine, stride=257)), (replace_in(fine, stride=258), fine)]
    pairs += [(replace_in(fine, dim=62), replace_in(fine, dim=62)), (fine, replace_in(fine, start=0))]
    pairs += [(replace_in(fine, heads=1, dim=4), replace_in(fine, heads=1, dim=4))]
    widths(submission, [pairs[int(place)] for place in rng.permutation(len(pairs))])


def replace_in(told: dict[str, Any], **changes: int) -> dict[str, Any]:
    """The same view with some numbers changed."""
    return {**told, **changes}
