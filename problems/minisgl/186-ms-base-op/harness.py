"""Builds trees of your operations from descriptions, calls them, and tells what they hold; it compares nothing.

A description: ``["op", [[name, member], ...]]``, ``["list", [member, ...]]``, ``["tensor", t]`` or ``["value", v]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import solution
import torch

Built = tuple[Any, list[Any]]  # a member, and those within it


def nested(nodes: list[list[Any]]) -> list[Any]:
    """The description that was sent as a flat list of [parent's place, name, kind, content]."""
    made: list[list[Any]] = []
    for parent, name, kind, content in nodes:
        made.append([kind, [] if kind in ("op", "list") else content])
        if parent >= 0:
            owner = made[parent]
            owner[1].append([name, made[-1]] if owner[0] == "op" else made[-1])
    return made[0]


def new_op() -> Any:
    """An operation of a class of its own, as a model has them."""
    return type("Op", (solution.BaseOP,), {})()


def build(told: list[Any]) -> Built:
    """The member that a description stands for, and what was built within it."""
    kind, content = told
    if kind == "op":
        op, inner = new_op(), [build(member) for _, member in content]
        for (name, _), (thing, _) in zip(content, inner, strict=True):
            setattr(op, name, thing)
        return op, inner
    if kind == "list":
        inner = [build(member) for member in content]
        return solution.OPList([thing for thing, _ in inner]), inner
    return content, []


def held(told: list[Any], built: Built) -> Iterator[Any]:
    """All tensors that the operations hold now, in the order of the description, private ones too."""
    (kind, content), (thing, inner) = told, built
    members = content if kind == "op" else [["", member] for member in content]
    for (name, member), one in zip(members, inner, strict=True):
        if member[0] == "tensor":
            yield getattr(thing, name)
        elif member[0] in ("op", "list"):
            yield from held(member, one)


def collect(nodes: list[Any], prefix: str | None) -> list[Any]:
    """Names and tensors of the state dict, and for each how many of the held tensors are that very object."""
    told = nested(nodes)
    built = build(told)
    op = built[0]
    state = op.state_dict() if prefix is None else op.state_dict(prefix)
    mine = list(held(told, built))
    same = [sum(value is one for one in mine) for value in state.values()]
    return [list(state), list(state.values()), same]


def load(nodes: list[Any], names: list[str], values: list[torch.Tensor], frozen: bool) -> dict[str, Any]:
    """Loads, then tells what was raised, what is held, which of it is the given object, and what was held before."""
    told = nested(nodes)
    built = build(told)
    op, before = built[0], list(held(told, built))
    given = dict(zip(names, values, strict=True))
    raised, text = "", ""
    try:
        result = op.load_state_dict(MappingProxyType(given) if frozen else given)
        text = "" if result is None else "returned"
    except (KeyError, ValueError, RuntimeError) as error:
        kinds = (KeyError, ValueError, RuntimeError)
        raised, text = next(kind.__name__ for kind in kinds if isinstance(error, kind)), str(error)
    after = list(held(told, built))
    return {
        "raised": raised,
        "text": text,
        "names": list(given),
        "after": after,
        "given": [next((i for i, value in enumerate(values) if value is one), -1) for one in after],
        "kept": [one is other for one, other in zip(before, after, strict=True)],
        "before": before,
    }


def list_protocol(count: int) -> list[Any]:
    """len, and whether iterating twice gives the very operations in their order."""
    ops = [new_op() for _ in range(count)]
    found = solution.OPList(op for op in ops)
    same = [[one is other for one, other in zip(ops, found, strict=False)] for _ in range(2)]
    return [len(found), *same]


def load_expanded(nodes: list[Any], numbers: dict[str, torch.Tensor], shape: list[int]) -> dict[str, float]:
    """Loads weights that are one number each, seen in every place of ``shape``; tells the last place's number."""
    op, _ = build(nested(nodes))
    op.load_state_dict({name: number.expand(shape) for name, number in numbers.items()})
    return {name: float(getattr(op, name)[-1, -1]) for name in numbers}
