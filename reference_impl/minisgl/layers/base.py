"""A tree of weights without nn.Module: public attributes that are tensors or operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Generic, TypeVar

import torch


class BaseOP:
    """An operation. Its weights are its tensor attributes; names that start with _ are its own affair."""

    def state_dict(self, prefix: str = "") -> dict[str, torch.Tensor]:
        """The weights themselves (no copies) by dotted name, in the order of definition."""
        return {name: getattr(owner, attr) for name, owner, attr in self._weights(prefix)}

    def load_state_dict(self, state_dict: Mapping[str, torch.Tensor]) -> None:
        """Puts the given tensors in the place of the weights, which may be on the meta device.

        KeyError for missing or extra names, ValueError for a wrong shape or dtype; then nothing changed.
        """
        slots = {name: (owner, attr) for name, owner, attr in self._weights("")}
        _check_names(slots.keys(), state_dict.keys())
        for name, (owner, attr) in slots.items():
            _check_same_kind(name, getattr(owner, attr), state_dict[name])
        for name, (owner, attr) in slots.items():
            setattr(owner, attr, state_dict[name])

    def _members(self) -> Iterator[tuple[str, object]]:
        yield from vars(self).items()

    def _weights(self, prefix: str) -> Iterator[tuple[str, BaseOP, str]]:
        """(dotted name, operation that holds it, attribute) of each weight."""
        for attr, member in self._members():
            if attr.startswith("_"):
                continue
            name = f"{prefix}.{attr}" if prefix else attr
            if isinstance(member, torch.Tensor):
                yield name, self, attr
            elif isinstance(member, BaseOP):
                yield from member._weights(name)


OP = TypeVar("OP", bound=BaseOP)


class OPList(BaseOP, Generic[OP]):
    """Operations named by their place: 0, 1, 2, ..."""

    def __init__(self, ops: Sequence[OP]) -> None:
        self._ops = list(ops)

    def __iter__(self) -> Iterator[OP]:
        return iter(self._ops)

    def __len__(self) -> int:
        return len(self._ops)

    def _members(self) -> Iterator[tuple[str, object]]:
        yield from ((str(i), op) for i, op in enumerate(self._ops))


def _check_names(wanted: Set[str], given: Set[str]) -> None:
    for what, names in (("missing", wanted - given), ("unknown", given - wanted)):
        if names:
            raise KeyError(f"{what} weights: {', '.join(sorted(names))}")


def _check_same_kind(name: str, old: torch.Tensor, new: torch.Tensor) -> None:
    if old.shape != new.shape or old.dtype != new.dtype:
        raise ValueError(f"{name}: need {tuple(old.shape)} {old.dtype}, got {tuple(new.shape)} {new.dtype}")
