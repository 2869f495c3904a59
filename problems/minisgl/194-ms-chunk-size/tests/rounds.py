"""Rounds walked through one by one, rules that make one mistake, and checks over many inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng

Rule = Callable[..., Any]


def simulate(
    L: int,
    C: int,
    n: int,
    a: int,
    b: int,
    *,
    blocks: Callable[[int, int], list[int]] | None = None,
    decode: Callable[[int, int, int], int] | None = None,
    last: bool = False,
    gap_size: Callable[[list[int], int], int] | None = None,
    pauses: bool = True,
    fixed: bool = True,
) -> tuple[int, int]:
    """One round after the other; the keywords are where mistakes are made."""
    sizes = (blocks or _blocks)(L, C)
    pause = (decode or _decode)(n, a, b)
    clock, ttft, gap = 0, 0, 0
    for place, size in enumerate(sizes):
        clock += (a if fixed or place == 0 else 0) + b * size
        ttft = clock
        clock += pause if pauses else 0
    largest = gap_size(sizes, C) if gap_size else max(sizes)
    gap = a + b * largest + pause if n else 0
    return clock if last else ttft, gap


def _blocks(L: int, C: int) -> list[int]:
    return [min(C, L - start) for start in range(0, L, C)]


def _decode(n: int, a: int, b: int) -> int:
    return a + b * n if n else 0


def _with(**slips: Any) -> Rule:
    return lambda *one: simulate(*one, **slips)


def _empty_round(L: int, C: int, n: int, a: int, b: int) -> tuple[int, int]:
    ttft, _ = simulate(L, C, n, a, b, decode=lambda n, a, b: a + b * n)
    return ttft, a + b * min(C, L) + a + b * n


SIMULATE_KNOWN: Mapping[str, Rule] = {
    "gap-by-size": _with(gap_size=lambda sizes, C: C),
    "gap-of-the-last": _with(gap_size=lambda sizes, C: sizes[-1]),
    "gap-without-decode": lambda L, C, n, a, b: (simulate(L, C, n, a, b)[0], a + b * min(C, L) if n else 0),
    "last-decode-counted": _with(last=True),
    "decode-not-waited-for": _with(pauses=False),
    "remainder-lost": _with(blocks=lambda L, C: [C] * max(L // C, 1) if L >= C else [L]),
    "remainder-padded": _with(blocks=lambda L, C: [C] * -(-L // C)),
    "empty-block": _with(blocks=lambda L, C: [*_blocks(L, C), *([0] if L % C == 0 else [])]),
    "fixed-cost-once": _with(fixed=False),
    "decode-without-fixed-cost": _with(decode=lambda n, a, b: b * n),
    "decode-of-one": _with(decode=lambda n, a, b: a + b if n else 0),
    "empty-decode-round": _empty_round,
}


def best(L: int, n: int, a: int, b: int, slo: int, candidates: list[int]) -> int | None:
    """By definition: all that fit, least TTFT, then the largest."""
    found = [(count(L, C, n, a, b), -C) for C in candidates if gap(L, C, n, a, b) <= slo]
    return -min(found)[1] if found else None


def count(L: int, C: int, n: int, a: int, b: int) -> int:
    """TTFT of many rounds, added up by kinds."""
    whole, rest = divmod(L, C)
    rounds = whole + (rest > 0)
    return whole * (a + b * C) + (a + b * rest if rest else 0) + (rounds - 1) * _decode(n, a, b)


def gap(L: int, C: int, n: int, a: int, b: int) -> int:
    """The longest pause."""
    return a + b * min(C, L) + _decode(n, a, b) if n else 0


def _strict(L: int, n: int, a: int, b: int, slo: int, candidates: list[int]) -> int | None:
    return best(L, n, a, b, slo - 1, candidates)


def _first_of_equals(L: int, n: int, a: int, b: int, slo: int, candidates: list[int]) -> int | None:
    fits = [C for C in candidates if gap(L, C, n, a, b) <= slo]
    return min(fits, key=lambda C: count(L, C, n, a, b), default=None)


def _smallest_of_equals(L: int, n: int, a: int, b: int, slo: int, candidates: list[int]) -> int | None:
    return _first_of_equals(L, n, a, b, slo, sorted(candidates))


def _least_gap(L: int, n: int, a: int, b: int, slo: int, candidates: list[int]) -> int | None:
    return min((C for C in candidates if gap(L, C, n, a, b) <= slo), default=None)


def _slo_ignored(L: int, n: int, a: int, b: int, slo: int, candidates: list[int]) -> int | None:
    return max(candidates, default=None)


def _always_one(L: int, n: int, a: int, b: int, slo: int, candidates: list[int]) -> int | None:
    found = best(L, n, a, b, slo, candidates)
    return min(candidates, default=None) if found is None else found


def _until_first(L: int, n: int, a: int, b: int, slo: int, candidates: list[int]) -> int | None:
    fits = []
    for C in candidates:
        if gap(L, C, n, a, b) > slo:
            break
        fits.append(C)
    return best(L, n, a, b, slo, fits)


def _last_that_fits(L: int, n: int, a: int, b: int, slo: int, candidates: list[int]) -> int | None:
    return ([None, *(C for C in candidates if gap(L, C, n, a, b) <= slo)])[-1]


BEST_KNOWN: Mapping[str, Rule] = {
    "slo-strict": _strict,
    "smallest-of-equals": _smallest_of_equals,
    "first-of-equals": _first_of_equals,
    "least-gap": _least_gap,
    "slo-ignored": _slo_ignored,
    "always-one": _always_one,
    "order-assumed": _until_first,
    "last-that-fits": _last_that_fits,
}


def verify(answers: list[Any], inputs: list[Any], rule: Rule, known: Mapping[str, Rule], field: str) -> None:
    """All answers at once, so that the wrong rule that gives just these can be named."""
    check.that(len(answers) == len(inputs), mistake=f"{field}-wrong", field=field)
    named = next((key for key, other in known.items() if answers == [other(*one) for one in inputs]), "")
    for one, got in zip(inputs, answers, strict=True):
        check.equal(got, rule(*one), field=field, mistake=named or f"{field}-wrong")


def simulate_all(submission: Any, inputs: list[list[int]]) -> None:
    """Judges many simulations."""
    verify(submission.harness.simulate_all(inputs), inputs, simulate, SIMULATE_KNOWN, "simulate")


def choose_all(submission: Any, inputs: list[list[Any]]) -> None:
    """Judges many choices, and that the candidates stay as they are."""
    found = submission.harness.choose_all(inputs)
    verify([answer for answer, _ in found], inputs, best, BEST_KNOWN, "best_chunk")
    check.that(all(same for _, same in found), mistake="candidates-changed", field="candidates")


def costs(rng: Rng) -> tuple[int, int]:
    """Microseconds of a round, and of a token."""
    return int(rng.integers(500, 9000)), int(rng.integers(2, 90))
