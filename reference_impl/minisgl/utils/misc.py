"""Whole-number arithmetic of pages and shards."""

from __future__ import annotations


def div_ceil(a: int, b: int) -> int:
    """a / b rounded up."""
    return -(-a // b)


def align_up(a: int, b: int) -> int:
    """The first multiple of b that is >= a."""
    return div_ceil(a, b) * b


def div_even(a: int, b: int, allow_replicate: bool = False) -> int:
    """a / b where it leaves no rest, else ValueError.

    allow_replicate: when b is a multiple of a, each of the b shares is a copy of one whole item.
    """
    if allow_replicate and b > a and b % a == 0:
        return 1
    if a % b:
        raise ValueError(f"{a} cannot be divided evenly among {b}")
    return a // b
