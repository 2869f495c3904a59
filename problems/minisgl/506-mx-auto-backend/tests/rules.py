"""The right rules, wrong ones by name, and a check that tells them apart over many inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

NAMES = ("torch", "fi", "fa")
HALF = (torch.float16, torch.bfloat16)
OTHERS = (torch.float32, torch.float64, torch.float8_e4m3fn, torch.int8)
Rule = Callable[..., Any]
ERROR = "ValueError"


def pick(capability: tuple[int, int] | None, dtype: torch.dtype) -> str:
    """What auto means."""
    if capability is None or dtype not in HALF:
        return "torch"
    return "fa,fi" if capability[0] == 9 else "fi"


def resolve(backend: str, capability: tuple[int, int] | None, dtype: torch.dtype) -> str:
    """What is created; `ERROR` where there is no such backend."""
    if backend == "auto":
        return pick(capability, dtype)
    names = backend.split(",", 1)
    if not set(names) <= set(NAMES):
        return ERROR
    if dtype not in HALF:
        return "torch"
    return ",".join(dict.fromkeys(names))


def _resolve_with(**changes: Rule) -> Rule:
    """`resolve` with another answer where ``when`` holds."""

    def rule(backend: str, capability: Any, dtype: torch.dtype) -> Any:
        if changes["when"](backend, capability, dtype):
            return changes["then"](backend, capability, dtype)
        return resolve(backend, capability, dtype)

    return rule


def _pick_with(condition: Rule, answer: str) -> Rule:
    def rule(capability: Any, dtype: torch.dtype) -> Any:
        if capability is not None and dtype in HALF and condition(capability, dtype):
            return answer
        return pick(capability, dtype)

    return rule


PICK_KNOWN: Mapping[str, Rule] = {
    "dtype-ignored": lambda cap, dtype: pick(cap, torch.float16),
    "only-float32": lambda cap, dtype: pick(cap, dtype if dtype == torch.float32 else torch.float16),
    "later-is-hopper": _pick_with(lambda cap, _: cap[0] >= 9, "fa,fi"),
    "hopper-is-90": _pick_with(lambda cap, _: cap[0] == 9 and cap[1], "fi"),
    "ampere-is-hopper": _pick_with(lambda cap, _: cap[0] >= 8, "fa,fi"),
    "pair-swapped": _pick_with(lambda cap, _: cap[0] == 9, "fi,fa"),
    "fa-alone": _pick_with(lambda cap, _: cap[0] == 9, "fa"),
    "old-cards-refused": _pick_with(lambda cap, _: cap[0] < 8, "torch"),
    "cpu-gets-kernels": lambda cap, dtype: "fi" if cap is None and dtype in HALF else pick(cap, dtype),
}

RESOLVE_KNOWN: Mapping[str, Rule] = {
    "auto-stays": _resolve_with(when=lambda b, c, d: b == "auto", then=lambda b, c, d: "auto"),
    "choice-overridden": lambda b, c, d: ERROR if resolve(b, c, d) == ERROR else pick(c, d),
    "cpu-overrides": _resolve_with(
        when=lambda b, c, d: c is None and resolve(b, c, d) != ERROR, then=lambda b, c, d: "torch"
    ),
    "no-fallback": _resolve_with(
        when=lambda b, c, d: b != "auto" and d not in HALF, then=lambda b, c, d: resolve(b, c, torch.float16)
    ),
    "pairs-not-replaced": _resolve_with(
        when=lambda b, c, d: "," in b and d not in HALF, then=lambda b, c, d: resolve(b, c, torch.float16)
    ),
    "half-replaced": _resolve_with(
        when=lambda b, c, d: b.startswith("torch,") and d not in HALF,
        then=lambda b, c, d: resolve(b, c, torch.float16),
    ),
    "equal-halves": _resolve_with(
        when=lambda b, c, d: b in [f"{n},{n}" for n in NAMES] and d in HALF, then=lambda b, c, d: b
    ),
    "one-half-kept": _resolve_with(
        when=lambda b, c, d: "," in b and resolve(b, c, d) != ERROR and d in HALF,
        then=lambda b, c, d: b.split(",")[0],
    ),
    "second-unchecked": _resolve_with(
        when=lambda b, c, d: "," in b and b.split(",")[0] in NAMES and resolve(b, c, d) == ERROR,
        then=lambda b, c, d: b if d in HALF else "torch",
    ),
    "auto-in-a-pair": _resolve_with(
        when=lambda b, c, d: "," in b and "auto" in b.split(",") and set(b.split(",")) <= {"auto", *NAMES},
        then=lambda b, c, d: b if d in HALF else "torch",
    ),
    "three-names": _resolve_with(
        when=lambda b, c, d: b.count(",") > 1 and set(b.split(",")) <= set(NAMES),
        then=lambda b, c, d: ",".join(dict.fromkeys(b.split(","))) if d in HALF else "torch",
    ),
    "spaces-stripped": _resolve_with(
        when=lambda b, c, d: " " in b, then=lambda b, c, d: resolve(b.replace(" ", ""), c, d)
    ),
    "case-folded": _resolve_with(
        when=lambda b, c, d: b != b.lower(), then=lambda b, c, d: resolve(b.lower(), c, d)
    ),
    "falls-back-quietly": _resolve_with(
        when=lambda b, c, d: resolve(b, c, d) == ERROR, then=lambda b, c, d: pick(c, d)
    ),
    "wrong-exception": _resolve_with(
        when=lambda b, c, d: resolve(b, c, d) == ERROR, then=lambda b, c, d: "KeyError"
    ),
}


def verify(
    call: Rule, inputs: Sequence[tuple[Any, ...]], rule: Rule, known: Mapping[str, Rule], field: str
) -> None:
    """All answers at once, so that the wrong rule that gives just these can be named."""
    answers = [answer(call, one, rule(*one)) for one in inputs]
    wrong_rule = next((key for key, other in known.items() if answers == [other(*one) for one in inputs]), "")
    for one, got in zip(inputs, answers, strict=True):
        check.equal(got, rule(*one), field=field, mistake=wrong_rule or f"{field}-wrong")


def answer(call: Rule, one: tuple[Any, ...], want: Any) -> Any:
    """The result, or the builtin name of what was raised where an error is wanted."""
    try:
        return call(*one)
    except Exception as error:
        fault = getattr(error, "learner_fault", None)
        if fault is None or want != ERROR:
            raise
        return ERROR if isinstance(error, ValueError) else str(fault.builtin)


def capability(rng: Rng, major: int) -> tuple[int, int]:
    """A card of this generation, never of minor version 0."""
    return major, int(rng.integers(1, 9))
