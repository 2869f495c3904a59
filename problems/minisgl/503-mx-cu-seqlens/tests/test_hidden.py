"""Hidden cases, fresh inputs for each judgement. Those made for one mistake say which by ``because``."""

from __future__ import annotations

from typing import Any

import pytest

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from . import sums
from .sums import Request, behind_prefix, decoding, fresh


def mixed(rng: Rng) -> list[Request]:
    """A batch with two requests of each kind, in any order."""
    every = [*decoding(rng, 2), *fresh(rng, 2), *behind_prefix(rng, 2)]
    return [every[place] for place in rng.permutation(len(every)).tolist()]


# --- choose_path ---


@case(part="choose_path", points=2)
def test_path_pure(submission: Any, rng: Rng) -> None:
    for reqs in (decoding(rng, 5), fresh(rng, 4), behind_prefix(rng, 3), mixed(rng)):
        sums.verify_path(submission.choose_path(reqs), reqs)


@case(part="choose_path", points=4)
@pytest.mark.parametrize("place", ["first", "last", "middle"])
def test_path_one_differs(submission: Any, rng: Rng, place: str) -> None:
    """One request among many breaks the rule, at every place that somebody might not look at."""
    for many, one in (
        (decoding, fresh),
        (fresh, behind_prefix),
        (fresh, decoding),
        (decoding, behind_prefix),
    ):
        reqs = many(rng, 6)
        reqs.insert({"first": 0, "last": 6, "middle": 3}[place], one(rng, 1)[0])
        sums.verify_path(submission.choose_path(reqs), reqs)


@case(part="choose_path", points=1)
def test_path_both_hold(submission: Any, rng: Rng) -> None:
    """Prompts of one token, then the same with a longer one among them."""
    reqs = [(0, 1)] * int(rng.integers(3, 9))
    sums.verify_path(submission.choose_path(reqs), reqs)
    longer = [*reqs, *fresh(rng, 1), (0, 1)]
    sums.verify_path(submission.choose_path(longer), longer)


@case(part="choose_path", points=1)
def test_path_two_queries(submission: Any, rng: Rng) -> None:
    """Two queries are one too many for a decode, however long the prefix."""
    reqs = [(start, start + 2) for start in rng.integers(1, 90, 4).tolist()]
    sums.verify_path(submission.choose_path(reqs), reqs)


@case(part="choose_path", points=2, means={"RE": "path-empty-fails"})
def test_path_empty(submission: Any, rng: Rng) -> None:
    """And a batch with something in it, lest one answer for all be right."""
    sums.verify_path(submission.choose_path([]), [], because="path-empty")
    reqs = mixed(rng)
    sums.verify_path(submission.choose_path(reqs), reqs)


# --- make_cu_seqlens; first of all what is kept from one call to the next ---


@case(part="make_cu_seqlens", points=3)
def test_sums_of_two_batches(submission: Any, rng: Rng) -> None:
    """Two batches of one size, then a smaller one: whatever is kept between calls shows."""
    pairs = [
        (behind_prefix(rng, 6), behind_prefix(rng, 6)),
        (mixed(rng), mixed(rng)),
        (fresh(rng, 7), fresh(rng, 3)),
    ]
    for first, second in pairs:
        got = submission.harness.make_twice(first, second, "cpu")
        sums.verify(got[1], second, because="state-between-calls", named_first=True)
        sums.verify(got[0], first, because="result-overwritten", named_first=True)


@case(part="make_cu_seqlens", points=2)
@pytest.mark.parametrize("kind", ["decode", "no-prefix", "behind-prefix", "mixed"])
def test_sums_of(submission: Any, rng: Rng, kind: str) -> None:
    made = {"decode": decoding, "no-prefix": fresh, "behind-prefix": behind_prefix}
    reqs = made[kind](rng, 6) if kind in made else mixed(rng)
    sums.verify(submission.make_cu_seqlens(reqs, "cpu"), reqs)


@case(part="make_cu_seqlens", points=2)
def test_sums_one_differs(submission: Any, rng: Rng) -> None:
    """What is true of all requests but one."""
    for many, one in ((decoding, fresh), (fresh, behind_prefix), (decoding, behind_prefix)):
        for place in (0, 2, 4):
            reqs = many(rng, 4)
            reqs.insert(place, one(rng, 1)[0])
            sums.verify(submission.make_cu_seqlens(reqs, "cpu"), reqs)


@case(part="make_cu_seqlens", points=2, means={"RE": "empty-fails"})
def test_sums_empty(submission: Any, rng: Rng) -> None:
    sums.verify(submission.make_cu_seqlens([], "cpu"), [], because="empty-batch")
    reqs = fresh(rng, 1)
    sums.verify(submission.make_cu_seqlens(reqs, "cpu"), reqs)


@case(part="make_cu_seqlens", points=2)
def test_sums_beyond_float32(submission: Any, rng: Rng) -> None:
    """Sums over 2**24, all odd and even numbers alike; the last is just within int32."""
    ends = rng.integers(1 << 25, 1 << 26, 31).tolist()
    reqs = [(int(rng.integers(0, end // 2)), end) for end in ends]
    sums.verify(submission.make_cu_seqlens(reqs, "cpu"), reqs, because="float-sums")


@case(part="make_cu_seqlens", points=2, means={"RE": "reads-the-device"})
def test_sums_on_meta(submission: Any, rng: Rng) -> None:
    reqs = mixed(rng)
    sums.verify(submission.make_cu_seqlens(reqs, "meta"), reqs, device="meta")


@case(part="make_cu_seqlens", points=2)
@pytest.mark.parametrize("kind", ["no-prefix", "one-token"])
def test_sums_share_nothing(submission: Any, rng: Rng, kind: str) -> None:
    reqs = fresh(rng, 5) if kind == "no-prefix" else [(0, 1)] * int(rng.integers(4, 9))
    for first in (0, 1):
        got = submission.harness.make_then_fill(reqs, "cpu", first, int(rng.integers(1000, 2000)))
        sums.verify(tuple(got) if isinstance(got, list) else got, reqs, because="shares-memory")


@case(part="make_cu_seqlens", points=4)
def test_inputs_stay(submission: Any, rng: Rng) -> None:
    reqs = mixed(rng)
    after = submission.harness.call_and_show_inputs(reqs, "cpu")
    check.equal(after["reqs"], reqs, field="reqs", mistake="requests-changed")
    sums.verify_path(after["path"], reqs)
    sums.verify(after["sums"], reqs)
