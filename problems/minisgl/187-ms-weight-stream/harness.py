"""Drives your generator from a source that notes each read, and tells the order of events; it compares nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import solution
import torch

Named = tuple[str, torch.Tensor]


class Checkpoint:
    """An iterable of names and tensors."""

    def __init__(self, read: Callable[[], Iterator[Named]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Named]:
        return self._read()


def checkpoint(read: Callable[[], Iterator[Named]], names: list[str], number: float) -> Checkpoint:
    """One of a class called by its content, so that `judge check` can tell calls with different ones apart."""
    digest = hashlib.sha256(repr((names, number)).encode()).hexdigest()[:12]
    made: Checkpoint = type(f"Checkpoint{digest}", (Checkpoint,), {})(read)
    return made


def stream(
    names: list[str], values: list[torch.Tensor], num_experts: int, pairs_as_list: bool
) -> dict[str, Any]:
    """Events in order, what was given (and which source tensor it is, -1 for none), what was raised, the source."""
    events: list[Any] = []

    def source() -> Iterator[Named]:
        for place, pair in enumerate(zip(names, values, strict=True)):
            events.append(["read", place])
            yield pair

    total = sum(float(value.double().sum()) for value in values)
    items: Any = list(zip(names, values, strict=True)) if pairs_as_list else checkpoint(source, names, total)
    given = solution.load_weights(items, num_experts) if num_experts else solution.load_weights(items)
    early = len(events)
    found: list[Named] = []
    raised, text = "", ""
    try:
        for name, value in given:
            events.append(["give", name])
            found.append((name, value))
    except ValueError as error:
        raised, text = "ValueError", str(error)
    same = [next((i for i, one in enumerate(values) if one is value), -1) for _, value in found]
    return {
        "early": early,
        "events": events,
        "names": [name for name, _ in found],
        "values": [value for _, value in found],
        "same": same,
        "raised": raised,
        "text": text,
        "source": values,
    }


def large(layers: int, rows: int, experts: int) -> list[Any]:
    """Streams ``layers`` layers of 1024 columns, each let go of at once: names in order, and a number of each weight."""

    def source() -> Iterator[Named]:
        for layer in range(layers):
            if experts:
                for expert in range(experts):
                    weight = torch.full((rows, 1024), float(layer + expert))
                    yield f"model.layers.{layer}.mlp.experts.{expert}.down_proj.weight", weight
            else:
                for part in "kqv":
                    weight = torch.full((rows, 1024), float(layer))
                    yield f"model.layers.{layer}.self_attn.{part}_proj.weight", weight

    items = checkpoint(source, [], layers + experts / 100)
    return [[name, float(value[-1, -1].max())] for name, value in solution.load_weights(items, experts)]
