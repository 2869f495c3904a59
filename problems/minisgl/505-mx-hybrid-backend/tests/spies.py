"""What the spies should have noted, and the checks that name what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judge.grading.author import check, wrong
from judge.grading.seeds import Rng

Batch = list[Any]  # label, phase, spans of (cached_len, device_len)
Op = list[Any]  # method, which batch, a number
HOOKS = ("init_capture_graph", "prepare_for_capture", "prepare_for_replay")
BY_PHASE = ("prepare_metadata", "forward")


def batch(label: str, phase: str, *spans: tuple[int, int]) -> Batch:
    """A batch as the harness takes it."""
    return [label, phase, [list(span) for span in spans]]


def usual(rng: Rng) -> list[Batch]:
    """A prefill of several tokens and a decode."""
    start = int(rng.integers(3, 30))
    return [batch("P", "prefill", (0, 6), (4, 7)), batch("D", "decode", (start, start + 1), (8, 9))]


def as_usual(rng: Rng, count: int) -> list[Op]:
    """Each of ``count`` batches is prepared and goes through a layer; then the hooks."""
    steps: list[Op] = [[name, which, int(rng.integers(2, 99))] for which in range(count) for name in BY_PHASE]
    return [*steps, *([hook, count - 1, int(rng.integers(2, 99))] for hook in HOOKS)]


def every_method(rng: Rng, count: int) -> list[Op]:
    """Each method with each of ``count`` batches, in any order, with random numbers."""
    ops = [[name, which, int(rng.integers(2, 99))] for name in (*BY_PHASE, *HOOKS) for which in range(count)]
    return [ops[place] for place in rng.permutation(len(ops)).tolist()]


def verify(
    done: Sequence[Any],
    batches: Sequence[Batch],
    ops: Sequence[Op],
    names: tuple[str, str],
    because: str = "",
) -> None:
    """Every operation went to the right one of ``names`` (prefill, decode), with its arguments, and came back."""
    for outcome, op in zip(done, ops, strict=True):
        want, arguments = _wanted(batches, op, names)
        _verify_one(outcome, op[0], want, arguments, because)


def verify_raised(done: Sequence[Any], batches: Sequence[Batch], ops: Sequence[Op]) -> None:
    """The spies raised LookupError each time: one call for each operation, and that error came out."""
    for outcome, op in zip(done, ops, strict=True):
        want, _ = _wanted(batches, op, ("prefill", "decode"))
        called = [who for who, _, _ in outcome["log"]]
        check.that("raised" in outcome, mistake="error-swallowed", field=op[0])
        same = "LookupError" in outcome["raised"] and "KeyError" not in outcome["raised"]
        check.that(same, mistake="error-changed", field=op[0], got=outcome["raised"])
        check.that(len(called) == 1, mistake="error-retried", field=op[0], got=called)
        check.equal(called[0], want, field=op[0], mistake="wrong-backend")


def _wanted(batches: Sequence[Batch], op: Op, names: tuple[str, str]) -> tuple[str, list[Any]]:
    """Who is to be called for an operation, and with what."""
    method, which, number = op
    label, phase, _ = batches[which]
    prefill = method in BY_PHASE and phase == "prefill"
    return names[0] if prefill else names[1], _arguments(method, label, number)


def _arguments(method: str, label: str, number: int) -> list[Any]:
    if method == "forward":
        return ["q", "k", "v", number, label]
    return [number, "bs_list"] if method == "init_capture_graph" else [label]


def _verify_one(outcome: Any, method: str, want: str, arguments: list[Any], because: str) -> None:
    log = outcome["log"]
    hook = method in HOOKS
    called = [who for who, _, _ in log]
    if len(set(called)) > 1:
        wrong("hooks-to-both" if hook else "both-called", field=method, got=called, want=[want])
    if not log:
        check.that("value" in outcome, mistake="raises", field=method, got=outcome.get("text"))
        wrong("not-passed-on", field=method)
    if called[0] != want:
        wrong(
            because or ("hooks-not-to-decode" if hook else "wrong-backend"),
            field=method,
            got=called[0],
            want=want,
        )
    check.equal([name for _, name, _ in log], [method], field=method, mistake="another-method")
    check.equal(log[0][2], arguments, field=method, mistake="arguments-changed")
    check.that("value" in outcome, mistake="raises", field=method, got=outcome.get("text"))
    returned = f"output of {want}" if method == "forward" else None
    check.equal(outcome["value"], returned, field=method, mistake="result-lost")


def run(submission: Any, batches: Sequence[Batch], ops: Sequence[Op], because: str = "") -> None:
    """Plays ``ops`` on a HybridBackend and verifies all of them."""
    got = submission.harness.play(list(batches), list(ops))
    verify(got["done"], batches, ops, ("prefill", "decode"), because)
    check.that(got["is_backend"], mistake="no-backend", field="HybridBackend")


def verify_created(
    outcome: Any, text: str, names: Sequence[str], batches: Sequence[Batch], ops: Sequence[Op]
) -> None:
    """What `create_backend` made of ``text``."""
    parts = text.split(",", 1)
    unknown = next((part for part in parts if part not in names), None)
    if unknown is not None:
        _verify_refused(outcome, unknown)
        return
    check.that("value" in outcome, mistake="create-raises", field="create_backend", got=outcome.get("text"))
    prefill, decode = parts[0], parts[-1]
    wanted = sorted({prefill, decode})
    made = sorted(name for name, _ in outcome["made"])
    if prefill == decode and len(made) > 1:
        wrong("equal-made-twice", field="create_backend", got=made, want=wanted)
    check.equal(made, wanted, field="create_backend", mistake="made-others")
    check.that(
        all(given == "config" for _, given in outcome["made"]), mistake="config-lost", field="create_backend"
    )
    if prefill == decode:
        check.that(outcome["spy"], mistake="single-wrapped", field="create_backend")
    elif outcome["spy"]:
        wrong("pair-not-hybrid", field="create_backend")
    if prefill != decode and _swapped(outcome["done"], batches, ops, (prefill, decode)):
        wrong("halves-swapped", field="create_backend")
    verify(outcome["done"], batches, ops, (prefill, decode))
    check.equal(outcome["hybrid"], prefill != decode, field="create_backend", mistake="pair-not-hybrid")


def _swapped(
    done: Sequence[Any], batches: Sequence[Batch], ops: Sequence[Op], names: tuple[str, str]
) -> bool:
    """Whether each call went just where it would go with the halves the other way round."""
    wanted = [_wanted(batches, op, names[::-1])[0] for op in ops]
    return [[who for who, _, _ in outcome["log"]] for outcome in done] == [[want] for want in wanted]


def _verify_refused(outcome: Any, unknown: str) -> None:
    check.that("raised" in outcome, mistake="unknown-accepted", field="create_backend")
    check.that(
        not outcome["made"], mistake="made-before-checked", field="create_backend", got=outcome["made"]
    )
    kind = "ArgumentTypeError" in outcome["raised"]
    check.that(kind, mistake="unknown-error", field="create_backend", got=outcome["raised"])
    check.that(
        unknown in outcome["text"], mistake="unknown-text", field="create_backend", got=outcome["text"]
    )


def create(submission: Any, rng: Rng, texts: Sequence[str], names: Sequence[str]) -> None:
    """Calls `create_backend` for each of ``texts`` and verifies what it made."""
    batches = usual(rng)
    ops = as_usual(rng, len(batches))
    found = submission.harness.create(list(texts), list(names), "", batches, ops)
    for outcome, text in zip(found, texts, strict=True):
        verify_created(outcome, text, names, batches, ops)
