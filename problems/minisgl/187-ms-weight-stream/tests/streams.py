"""Checkpoints, what a loader must give when, and wrong loaders that have a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

Named = tuple[str, torch.Tensor]
PARTS = {"qkv_proj": ["q_proj", "k_proj", "v_proj"], "gate_up_proj": ["gate_proj", "up_proj"]}


@dataclass(frozen=True)
class Rules:
    """How weights are turned. The defaults are right; a mistake differs in one of them."""

    parts: Mapping[str, list[str]] = field(default_factory=lambda: PARTS)
    in_order: bool = True  # parts by their rule, not by arrival
    experts_in_order: bool = True
    kinds: tuple[str, ...] = ("weight", "bias")  # kinds that are merged
    digits: int = 9  # of an expert's number
    suffix: bool = False  # whether .weight stays on packed experts
    pack: Callable[[Sequence[torch.Tensor]], torch.Tensor] = torch.stack
    packs: bool = True
    whole: bool = True  # whether ``experts`` must be a whole part of the name
    held: str = "none"  # "groups" or "all" are given at the end only


def convert(items: Sequence[Named], experts: int, rules: Rules = Rules()) -> tuple[list[Any], list[Named]]:
    """Events (reads and gives) and what is given."""
    events: list[Any] = []
    given: list[Named] = []
    late: list[Named] = []
    waiting: dict[str, dict[Any, torch.Tensor]] = {}
    for place, item in enumerate(items):
        events.append(["read", place])
        name, value = item
        whole = next((one for one, parts in rules.parts.items() if name.split(".")[-2] in parts), "")
        if whole and name.split(".")[-1] in rules.kinds:
            layer, parts = name.split(".")[-2], rules.parts[whole]
            name = name.replace(f".{layer}.", f".{whole}.")
            group = waiting.setdefault(name, {})
            group[layer] = value
            if len(group) < len(parts):
                continue
            value = torch.cat([group[part] for part in (parts if rules.in_order else group)])
        head, word, tail = name.partition(".experts." if rules.whole else "experts.")
        number, _, rest = tail.partition(".")
        if experts and rules.packs and tail and len(number) <= rules.digits:
            name = f"{head}{word}{rest if rules.suffix else rest.removesuffix('.weight')}"
            group = waiting.setdefault(name, {})
            group[int(number)] = value
            if len(group) < experts:
                continue
            value = rules.pack([group[one] for one in (sorted(group) if rules.experts_in_order else group)])
        if rules.held == "all" or (rules.held == "groups" and name != item[0]):
            late.append((name, value))
        else:
            events.append(["give", name])
            given.append((name, value))
    return events + [["give", name] for name, _ in late], given + late


WAYS: Mapping[str, Rules] = {
    "arrival-order": Rules(in_order=False),
    "up-first": Rules(parts={"qkv_proj": PARTS["qkv_proj"], "gate_up_proj": ["up_proj", "gate_proj"]}),
    "k-first": Rules(parts={**PARTS, "qkv_proj": ["k_proj", "q_proj", "v_proj"]}),
    "bias-not-merged": Rules(kinds=("weight",)),
    "experts-in-arrival-order": Rules(experts_in_order=False),
    "experts-joined": Rules(pack=torch.cat),
    "experts-stacked-last": Rules(pack=lambda found: torch.stack(list(found), dim=-1)),
    "one-digit-experts": Rules(digits=1),
    "weight-suffix": Rules(suffix=True),
    "experts-not-packed": Rules(packs=False),
    "shared-experts-packed": Rules(whole=False),
    "held-back": Rules(held="all"),
    "groups-held-back": Rules(held="groups"),
}


def verify(
    submission: Any, items: Sequence[Named], experts: int = 0, *, because: str = "", as_list: bool = False
) -> None:
    """Right names, values and moments; ``because`` names what the case was made to see."""
    names, values = [name for name, _ in items], [value for _, value in items]
    got = submission.harness.stream(names, values, experts, as_list)
    events, given = convert(items, experts)
    if as_list:
        events = [event for event in events if event[0] == "give"]
    key = because or named(got, items, experts)
    check.equal(got["early"], 0, field="reads", mistake="reads-at-call")
    check.equal(
        sorted(got["names"]), sorted(name for name, _ in given), field="names", mistake=key or "names-wrong"
    )
    check.equal(got["raised"], "", field="load_weights", mistake=key or "complete-refused")
    check.equal(got["events"], events, field="events", mistake=key or "not-at-once")
    for found, same, (name, right) in zip(got["values"], got["same"], given, strict=True):
        check.tensor(found, like=right, field="weight", mistake=key or "values-wrong")
        if name in names:
            check.equal(same, names.index(name), field="weight", mistake="copied")
    for found, before in zip(got["source"], values, strict=True):
        check.tensor(found, like=before, field="source", mistake="source-changed")


def named(got: Mapping[str, Any], items: Sequence[Named], experts: int) -> str:
    """The mistake that gives just these events and tensors, or ""."""

    def fits(rules: Rules) -> bool:
        try:
            events, given = convert(items, experts, rules)
        except (RuntimeError, IndexError):
            return False  # tensors that this mistake cannot join
        alike = [event for event in got["events"] if event[0] == "give"] == [
            event for event in events if event[0] == "give"
        ]
        reads = not any(event[0] == "read" for event in got["events"]) or got["events"] == events
        return alike and reads and all(map(equal, got["values"], [value for _, value in given]))

    if fits(Rules()):
        return ""
    return next((key for key, rules in WAYS.items() if fits(rules)), "")


def equal(one: Any, other: torch.Tensor) -> bool:
    """Whether both are tensors of the same form and numbers."""
    return isinstance(one, torch.Tensor) and one.shape == other.shape and torch.equal(one, other)


def refused(submission: Any, items: Sequence[Named], experts: int, whole: str) -> None:
    """What is complete is given, and then a ValueError names ``whole``."""
    got = submission.harness.stream(
        [name for name, _ in items], [value for _, value in items], experts, False
    )
    events, given = convert(items, experts)
    check.equal(got["raised"], "ValueError", field="load_weights", mistake="incomplete-accepted")
    check.equal(got["names"], [name for name, _ in given], field="names", mistake="names-wrong")
    check.equal(got["events"], events, field="events", mistake="not-at-once")
    check.that(whole in got["text"], mistake="text-without-name", field="text", got=got["text"], want=whole)


# --- checkpoints ---


def attention(rng: Rng, layer: int, *, bias: bool = False) -> list[Named]:
    """q, k, v and o of a layer, and the norms whose names look alike."""
    head = f"model.layers.{layer}.self_attn"
    rows = {"q": 4, "k": 2, "v": 2, "o": 3}
    items = [(f"{head}.{part}_proj.weight", rng.tensor(n, 3)) for part, n in rows.items()]
    items += [(f"{head}.{part}_proj.bias", rng.tensor(rows[part])) for part in "qkv" if bias]
    return [*items, (f"{head}.q_norm.weight", rng.tensor(2)), (f"{head}.k_norm.weight", rng.tensor(2))]


def mlp(rng: Rng, head: str, dtype: torch.dtype = torch.float32) -> list[Named]:
    """gate, up and down below ``head``; gate and up have as many rows."""
    shapes = {"gate": (3, 2), "up": (3, 2), "down": (2, 3)}
    return [(f"{head}.{part}_proj.weight", rng.tensor(*shape, dtype=dtype)) for part, shape in shapes.items()]


def moe(rng: Rng, layer: int, experts: int) -> list[Named]:
    """The router, the experts and a shared expert of a layer."""
    head = f"model.layers.{layer}.mlp"
    items = [(f"{head}.gate.weight", rng.tensor(experts, 2)), *mlp(rng, f"{head}.shared_expert")]
    for expert in range(experts):
        items += mlp(rng, f"{head}.experts.{expert}")
        items.append((f"{head}.experts.{expert}.down_proj.bias", rng.tensor(2)))
    return items


def shuffled(rng: Rng, items: Sequence[Named]) -> list[Named]:
    """The same in any order."""
    return [items[int(place)] for place in rng.permutation(len(items))]
