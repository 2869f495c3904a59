"""Hidden cases with fresh numbers and orders for each judgement. Those made for one mistake say so by ``because``."""

from __future__ import annotations

from typing import Any

import pytest

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from . import spies
from .spies import Op

NAMES = ["torch", "fa", "fi", "trtllm"]


@case(part="hybrid", points=6)
def test_overlapped(submission: Any, rng: Rng) -> None:
    """The next batch is prepared before this one's layers run, in either order."""
    batches = spies.usual(rng)
    for first, second in ((0, 1), (1, 0)):
        layers: list[Op] = [
            ["forward", which, int(rng.integers(0, 28))] for which in (first, first, second, first)
        ]
        ops: list[Op] = [["prepare_metadata", first, 0], ["prepare_metadata", second, 0], *layers]
        spies.run(submission, batches, ops, because="phase-remembered")


@case(part="hybrid", points=5)
def test_phase_not_lengths(submission: Any, rng: Rng) -> None:
    """Prefills of one query, and a decode whose requests have no prefix or several queries."""
    start = int(rng.integers(3, 40))
    batches = [
        spies.batch("A", "prefill", (0, 1), (0, 1)),
        spies.batch("B", "prefill", (start, start + 1)),
        spies.batch("C", "decode", (start, start + 3)),
        spies.batch("D", "decode", (0, 1)),
        spies.batch("E", "prefill", (start, start + 5), (start, start + 1)),
    ]
    ops: list[Op] = [[name, which, int(rng.integers(28))] for which in range(5) for name in spies.BY_PHASE]
    spies.run(submission, batches, ops, because="phase-by-lengths")


@case(part="hybrid", points=4)
def test_empty_batch(submission: Any, rng: Rng) -> None:
    """A batch without requests has a phase all the same."""
    batches = [spies.batch("none", "prefill"), spies.batch("none at all", "decode")]
    ops: list[Op] = [[name, which, int(rng.integers(28))] for which in (0, 1) for name in spies.BY_PHASE]
    spies.run(submission, batches, ops, because="phase-by-lengths")


@case(part="hybrid", points=6)
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_hooks(submission: Any, rng: Rng, phase: str) -> None:
    """The graph hooks, whatever the batch and whatever came before."""
    batches = [spies.batch("dummies", phase, (0, 1), (0, 1)), *spies.usual(rng)]
    ops: list[Op] = []
    for hook in rng.permutation(spies.HOOKS).tolist():
        ops += [["prepare_metadata", int(rng.integers(1, 3)), 0], [hook, 0, int(rng.integers(2, 2000))]]
    spies.run(submission, batches, ops)


@case(part="hybrid", points=4)
def test_everything(submission: Any, rng: Rng) -> None:
    """All methods with several batches in any order."""
    batches = [*spies.usual(rng), spies.batch("Q", "prefill", (0, 3)), spies.batch("E", "decode", (5, 6))]
    spies.run(submission, batches, spies.every_method(rng, len(batches)))


@case(part="hybrid", points=4)
def test_errors_pass_through(submission: Any, rng: Rng) -> None:
    batches = spies.usual(rng)
    ops = spies.every_method(rng, len(batches))
    got = submission.harness.play(batches, ops, True)
    spies.verify_raised(got["done"], batches, ops)


# --- create_backend ---


@case(part="create", points=4)
def test_create_single(submission: Any, rng: Rng) -> None:
    spies.create(submission, rng, rng.permutation(NAMES).tolist(), NAMES)


@case(part="create", points=5)
def test_create_pairs(submission: Any, rng: Rng) -> None:
    """All pairs of three names, equal ones among them."""
    names = rng.permutation(NAMES).tolist()[:3]
    pairs = [f"{first},{second}" for first in names for second in names]
    spies.create(submission, rng, rng.permutation(pairs).tolist(), NAMES)


@case(part="create", points=6)
def test_create_unknown(submission: Any, rng: Rng) -> None:
    """Nothing may be made before both halves are known."""
    known = rng.pick(NAMES)
    texts = [f"{known},typo", f"typo,{known}", "typo", f"{known}, {known}", f"{known},", f",{known}", ""]
    texts += [f"{known},{known},{known}", f"{known},typo,{known}", "typo,other", f"{known}"]
    spies.create(submission, rng, texts, NAMES)


@case(part="create", points=4)
def test_create_makes_anew(submission: Any, rng: Rng) -> None:
    """The same option three times: each time the factories are called."""
    text = ",".join(rng.permutation(NAMES).tolist()[:2])
    spies.create(submission, rng, [text, text, text, text.split(",")[0], text.split(",")[0]], NAMES)


@case(part="create", points=6)
def test_create_broken_factory(submission: Any, rng: Rng) -> None:
    """A factory that finds its library missing: that error and no other, and only when it is called."""
    broken, *others = rng.permutation(NAMES).tolist()
    batches, texts = spies.usual(rng), [f"{others[0]},{broken}", broken, f"{others[0]},{others[1]}"]
    ops = spies.as_usual(rng, len(batches))
    *failed, fine = submission.harness.create(texts, NAMES, broken, batches, ops)
    for outcome in failed:
        check.that("raised" in outcome, mistake="error-swallowed", field="create_backend")
        check.that(
            "ImportError" in outcome["raised"],
            mistake="error-changed",
            field="create_backend",
            got=outcome["raised"],
        )
    spies.verify_created(fine, texts[-1], NAMES, batches, ops)
