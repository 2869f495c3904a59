"""A driver that runs beside your functions: many calls at once, and what a call does to its list."""

from __future__ import annotations

from typing import Any

import solution


def simulate_all(inputs: list[list[int]]) -> list[Any]:
    """The result of each."""
    return [solution.simulate(*one) for one in inputs]


def choose_all(inputs: list[list[Any]]) -> list[Any]:
    """The result of each, and its list of candidates after the call."""
    found = []
    for *numbers, candidates in inputs:
        given = list(candidates)
        found.append([solution.best_chunk(*numbers, given), given == candidates])
    return found
