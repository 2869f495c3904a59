# expects: remainder-padded
"""The last chunk counts as a full one."""

from __future__ import annotations


def simulate(L: int, C: int, n_decode: int, a: int, b: int) -> tuple[int, int]:
    """(ttft, max_gap) in microseconds for a prompt of L tokens in chunks of C, beside n_decode requests."""
    return latencies(L, C, n_decode, a, b)


def latencies(L: int, C: int, n_decode: int, a: int, b: int) -> tuple[int, int]:
    """The same, in closed form."""
    chunks = (L + C - 1) // C
    decode = a + b * n_decode if n_decode else 0  # without anybody there is no round
    ttft = chunks * a + b * chunks * C + (chunks - 1) * decode
    max_gap = a + b * C + decode if n_decode else 0
    return ttft, max_gap


def best_chunk(L: int, n_decode: int, a: int, b: int, tpot_slo: int, candidates: list[int]) -> int | None:
    """Of the candidates with max_gap <= tpot_slo the one with the least TTFT, then the largest; or None."""
    fits = [chunk for chunk in candidates if latencies(L, chunk, n_decode, a, b)[1] <= tpot_slo]
    return min(fits, key=lambda chunk: (latencies(L, chunk, n_decode, a, b)[0], -chunk), default=None)
