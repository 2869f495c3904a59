"""Where randomness comes from: every case and every cell draws from the judgement's seed, and from nothing else."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import torch

Item = TypeVar("Item")


def derive(seed: str, purpose: str) -> int:
    """H(seed, purpose): a 128-bit integer, the same on every machine."""
    return int.from_bytes(hashlib.sha256(f"{seed}\0{purpose}".encode()).digest()[:16], "big")


def cell_seed(seed: str) -> int:
    """What the cell's own generators are seeded with: 63 bits, which tell nothing about any case's inputs."""
    return derive(seed, "cell") >> 65


class Rng(np.random.Generator):
    """A numpy Generator that also fills tensors; torch's global generator is never touched."""

    def tensor(self, *shape: int, dtype: torch.dtype = torch.float32, scale: float = 1.0) -> torch.Tensor:
        """Normal numbers of standard deviation ``scale``, rounded once to ``dtype``; shape ``shape``."""
        drawn = torch.from_numpy(np.asarray(self.standard_normal(shape) * scale))
        return drawn.to(dtype)

    def ints(self, low: int, high: int, *shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
        """Integers from ``low`` up to but not including ``high``; shape ``shape``."""
        return torch.from_numpy(np.asarray(self.integers(low, high, shape))).to(dtype)

    def pick(self, items: Sequence[Item]) -> Item:
        """One of ``items``."""
        return items[int(self.integers(len(items)))]


def rng_for(seed: str, case: str) -> Rng:
    """The generator of one case: the same whether the case runs alone or among others."""
    return Rng(np.random.PCG64(derive(seed, case)))


def settle(seed: str, case: str) -> None:
    """Seeds the generators that are nobody's own, for a case that draws from them and not from its `Rng`: it must
    come out the same when its judgement is replayed."""
    number = derive(seed, f"global {case}")
    random.seed(number)
    np.random.seed(number & 0xFFFF_FFFF)  # noqa: NPY002: the very generator that such a case would use
    torch.default_generator.manual_seed(number >> 65)
