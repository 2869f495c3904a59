"""Trees of operations as descriptions, the names of their weights, and wrong names that have a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

Told = list[Any]  # see harness.py
Named = list[tuple[str, torch.Tensor]]


def op(**members: Any) -> Told:
    """An operation with these members in this order."""
    return ["op", [[name, member] for name, member in members.items()]]


def ops(members: Sequence[Told]) -> Told:
    """An OPList."""
    return ["list", list(members)]


def weight(tensor: torch.Tensor) -> Told:
    """A tensor attribute."""
    return ["tensor", tensor]


def value(plain: Any) -> Told:
    """An attribute that is no tensor."""
    return ["value", plain]


def flat(told: Told) -> list[list[Any]]:
    """The description as a list of [parent's place, name, kind, content]: deep trees are not sent as they are."""
    nodes: list[list[Any]] = []

    def add(told: Told, parent: int, name: str) -> None:
        kind, content = told
        here = len(nodes)
        nodes.append([parent, name, kind, content if kind in ("tensor", "value") else None])
        if kind in ("op", "list"):
            for member in content:
                add(*((member[1], here, member[0]) if kind == "op" else (member, here, "")))

    add(told, -1, "")
    return nodes


@dataclass(frozen=True)
class Rules:
    """How names are made. The defaults are right; a mistake differs in one of them."""

    private: Callable[[str], bool] = lambda kind: False  # whether _ members of this kind count
    places: Callable[[int], list[int]] = lambda count: list(range(count))
    label: Callable[[int], str] = str
    join: Callable[[str, str], str] = lambda prefix, name: f"{prefix}.{name}" if prefix else name
    lists: bool = True
    scalars: bool = True
    weights_first: bool = False
    prefix: bool = True


def walk(told: Told, prefix: str = "", rules: Rules = Rules()) -> Iterator[tuple[str, torch.Tensor]]:
    """Names and tensors of an operation."""
    kind, content = told
    members = content
    if kind == "list":
        members = [[rules.label(i), content[i]] for i in rules.places(len(content))] if rules.lists else []
    if rules.weights_first:
        members = sorted(members, key=lambda member: member[1][0] != "tensor")
    for name, member in members:
        if name.startswith("_") and not rules.private(member[0]):
            continue
        full = rules.join(prefix, name)
        if member[0] == "tensor" and (rules.scalars or member[1].dim()):
            yield full, member[1]
        elif member[0] in ("op", "list"):
            yield from walk(member, full, rules)


WRONG: Mapping[str, Rules] = {
    "scalars-lost": Rules(scalars=False),
    "private-weights": Rules(private=lambda kind: kind == "tensor"),
    "private-ops": Rules(private=lambda kind: kind in ("op", "list")),
    "private-all": Rules(private=lambda kind: True),
    "places-as-text": Rules(places=lambda count: sorted(range(count), key=str)),
    "places-from-one": Rules(label=lambda i: str(i + 1)),
    "places-hidden": Rules(label=lambda i: f"_ops.{i}", private=lambda kind: kind == "op"),
    "lists-left-out": Rules(lists=False),
    "leading-dot": Rules(join=lambda prefix, name: f"{prefix}.{name}"),
    "no-dot": Rules(join=lambda prefix, name: prefix + name),
    "last-name-only": Rules(join=lambda prefix, name: name),
    "weights-first": Rules(weights_first=True),
}


def named(told: Told, prefix: str) -> Mapping[str, Callable[[], Any]]:
    """Wrong lists of names by mistake."""

    def unique(pairs: Iterator[tuple[str, torch.Tensor]]) -> list[str]:
        return list(dict(pairs))

    ways = {key: lambda rules=rules: unique(walk(told, prefix, rules)) for key, rules in WRONG.items()}
    right = unique(walk(told, prefix))
    return {
        **ways,
        "prefix-ignored": lambda: unique(walk(told)),
        "sorted-names": lambda: sorted(right),
    }


def verify(submission: Any, told: Told, prefix: str | None = None) -> None:
    """Names, tensors and identity of a state dict."""
    names, values, same = submission.harness.collect(flat(told), prefix)
    want = list(walk(told, prefix or ""))
    check.equal(
        names,
        [name for name, _ in want],
        field="state_dict",
        mistake="names-wrong",
        known=named(told, prefix or ""),
    )
    for (_, right), found, count in zip(want, values, same, strict=True):
        check.tensor(found, like=right, field="weight", mistake="weights-wrong")
        check.that(count > 0, mistake="state-copies", field="state_dict")


def linear(rng: Rng, out: int, inner: int, bias: bool = False) -> Told:
    """A linear layer; without a bias its attribute is None."""
    has = weight(rng.tensor(out)) if bias else value(None)
    return op(weight=weight(rng.tensor(out, inner)), bias=has)


def block(rng: Rng) -> Told:
    """What the statement's example is made of, private members included."""
    return op(
        qkv_proj=linear(rng, 6, 2),
        _rope=op(cos_sin=weight(rng.tensor(4))),
        norm_weight=weight(rng.tensor(2)),
        _cache=weight(rng.tensor(3)),
    )


def tree(rng: Rng) -> Told:
    """An operation of all kinds of members, small enough that its tensors can be told twice in one answer."""
    while len(flat(told := branch(rng, 3))) > 100:
        pass
    return told


def branch(rng: Rng, depth: int) -> Told:
    """An operation with 1 to 5 members, and branches of its own down to ``depth``."""
    members: dict[str, Any] = {}
    letters = [
        str(name) for name in rng.permutation(["gate", "up", "attn", "norm", "b", "weight", "z", "a0"])
    ]
    for name in letters[: int(rng.integers(1, 6))]:
        kind = int(rng.integers(0, 10 if depth else 4))
        if kind < 4:
            dtype = torch.bfloat16 if kind == 0 else torch.float32
            shape = [int(n) for n in rng.integers(1, 4, int(rng.integers(0, 3)))]
            members["_" * (kind == 3) + name] = weight(rng.tensor(*shape, dtype=dtype))
        elif kind == 4:
            members[name] = value(rng.pick([None, 7, "text", [1, 2]]))
        elif kind < 7:
            members["_" * (kind == 6) + name] = branch(rng, depth - 1)
        else:
            members[name] = ops([branch(rng, depth - 1) for _ in range(int(rng.integers(0, 4)))])
    return op(**members)
