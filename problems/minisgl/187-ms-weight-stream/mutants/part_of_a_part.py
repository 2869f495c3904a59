# expects: shared-experts-packed
"""Anything that ends in experts is taken for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import torch

Named = tuple[str, torch.Tensor]
MERGED = {"qkv_proj": ("q_proj", "k_proj", "v_proj"), "gate_up_proj": ("gate_proj", "up_proj")}
MERGED_INTO = {part: whole for whole, parts in MERGED.items() for part in parts}
EXPERT = re.compile(r"(.+experts)\.(\d+)\.(.+)")


class Groups:
    """Tensors that wait for the others of their group."""

    def __init__(self) -> None:
        self.waiting: dict[str, dict[int, torch.Tensor]] = {}

    def add(self, whole: str, place: int, count: int, value: torch.Tensor) -> list[torch.Tensor]:
        """All of the group in order when it has become complete, else nothing."""
        group = self.waiting.setdefault(whole, {})
        group[place] = value
        if len(group) < count:
            return []
        del self.waiting[whole]
        return [group[place] for place in range(count)]


def load_weights(items: Iterable[Named], num_experts: int = 0) -> Iterator[Named]:
    """Names and tensors of a checkpoint as the model wants them; ValueError at the end if a group lacks something."""
    groups = Groups()
    for name, value in items:
        *parents, layer, kind = name.split(".")
        if layer in MERGED_INTO:
            parts = MERGED[MERGED_INTO[layer]]
            name = ".".join([*parents, MERGED_INTO[layer], kind])
            found = groups.add(name, parts.index(layer), len(parts), value)
            if not found:
                continue
            value = torch.cat(found)
        if num_experts and (match := EXPERT.fullmatch(name)):
            prefix, expert, rest = match.groups()
            name = f"{prefix}.{rest.removesuffix('.weight')}"
            found = groups.add(name, int(expert), num_experts, value)
            if not found:
                continue
            value = torch.stack(found)
        yield name, value
    if groups.waiting:
        raise ValueError(f"incomplete checkpoint: {', '.join(groups.waiting)}")
