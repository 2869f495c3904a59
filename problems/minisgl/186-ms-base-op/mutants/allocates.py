# expects: load-allocates
"""Weights on the meta device are given memory before they are replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch


class BaseOP:
    """An operation: its weights are its tensor attributes, its children its attributes that are operations."""

    def state_dict(self, prefix: str = "") -> dict[str, torch.Tensor]:
        """The weights themselves by dotted name, in the order of definition."""
        return {name: getattr(owner, attr) for name, owner, attr in self._weights(prefix)}

    def load_state_dict(self, state_dict: Mapping[str, torch.Tensor]) -> None:
        """Puts the given tensors in the place of the weights, all of them or, with an error, none."""
        slots = {name: (owner, attr) for name, owner, attr in self._weights("")}
        if wrong := slots.keys() ^ state_dict.keys():
            raise KeyError(f"missing or unknown weights: {sorted(wrong)}")
        for name, (owner, attr) in slots.items():
            old, new = getattr(owner, attr), state_dict[name]
            if (old.shape, old.dtype) != (new.shape, new.dtype):
                raise ValueError(f"{name}: need {old.shape} {old.dtype}, got {new.shape} {new.dtype}")
        for owner, attr in slots.values():
            if getattr(owner, attr).is_meta:
                setattr(owner, attr, torch.zeros(getattr(owner, attr).shape, dtype=getattr(owner, attr).dtype))
        for name, (owner, attr) in slots.items():
            setattr(owner, attr, state_dict[name])

    def _members(self) -> Iterable[tuple[str, Any]]:
        return vars(self).items()

    def _weights(self, prefix: str) -> Iterator[tuple[str, BaseOP, str]]:
        for attr, member in self._members():
            name = f"{prefix}.{attr}" if prefix else attr
            if attr.startswith("_"):
                continue
            if isinstance(member, torch.Tensor):
                yield name, self, attr
            elif hasattr(member, "_weights"):
                yield from member._weights(name)


class OPList(BaseOP):
    """Operations named by their place: 0, 1, 2, ..."""

    def __init__(self, ops: Iterable[BaseOP]) -> None:
        self._ops = list(ops)

    def __iter__(self) -> Iterator[BaseOP]:
        return iter(self._ops)

    def __len__(self) -> int:
        return len(self._ops)

    def _members(self) -> Iterable[tuple[str, Any]]:
        return [(str(place), op) for place, op in enumerate(self._ops)]
