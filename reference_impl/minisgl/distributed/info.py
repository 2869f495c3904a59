"""This process's place among the tensor-parallel ranks; set once, before anything is built."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TPInfo:
    """Rank of this process among size processes; 0 <= rank < size."""

    rank: int
    size: int

    def __post_init__(self) -> None:
        if not 0 <= self.rank < self.size:
            raise ValueError(f"need 0 <= rank < size, got rank {self.rank} of {self.size}")

    @property
    def is_primary(self) -> bool:
        """True on the rank that talks to the outside."""
        return self.rank == 0


_tp_info: TPInfo | None = None


def set_tp_info(rank: int, size: int) -> None:
    """Says who this process is; RuntimeError when it was told something else before."""
    global _tp_info
    info = TPInfo(rank, size)
    if _tp_info not in (None, info):
        raise RuntimeError(f"tensor-parallel info is set already: {_tp_info}")
    _tp_info = info


def get_tp_info() -> TPInfo:
    """Who this process is; RuntimeError before set_tp_info."""
    if _tp_info is None:
        raise RuntimeError("tensor-parallel info is not set: call set_tp_info(rank, size) first")
    return _tp_info


def reset_tp_info() -> None:
    """Forgets it, for tests and on shutdown."""
    global _tp_info
    _tp_info = None
