"""`div_even`: the right rule, wrong ones by name, and a check over many inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.author import check

from .shards import ERROR

Inputs = tuple[int, int, bool]


def right(a: int, b: int, copies: bool) -> Any:
    """a / b, 1 for copies, or `ERROR`."""
    if copies and b > a and b % a == 0:
        return 1
    return ERROR if a % b else a // b


KNOWN: Mapping[str, Callable[[int, int, bool], Any]] = {
    "divide-floor": lambda a, b, copies: 1 if copies and b > a and b % a == 0 else a // b,
    "copies-ignored": lambda a, b, copies: right(a, b, False),
    "copies-always": lambda a, b, copies: right(a, b, True),
    "copies-of-anything": lambda a, b, copies: 1 if copies and b > a else right(a, b, copies),
    "copies-counted": lambda a, b, copies: b // a if copies and b > a and b % a == 0 else right(a, b, copies),
}


def divide(submission: Any, inputs: list[Inputs]) -> None:
    """Judges `div_even` on ``inputs``."""
    got = [answer(submission, one) for one in inputs]
    named = next(
        (key for key, rule in KNOWN.items() if got == [rule(*one) for one in inputs]), "divide-wrong"
    )
    for one, found in zip(inputs, got, strict=True):
        check.equal(found, right(*one), field="div_even", mistake=named)


def answer(submission: Any, one: Inputs) -> Any:
    """The quotient, or `ERROR` where that is what was raised and wanted."""
    a, b, copies = one
    try:
        return submission.div_even(a, b, allow_replicate=True) if copies else submission.div_even(a, b)
    except ValueError:
        if right(*one) == ERROR:
            return ERROR
        raise
