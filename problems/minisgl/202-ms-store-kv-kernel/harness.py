"""Makes views as an engine has them, calls your functions, and shows the memory afterwards; it compares nothing."""

from __future__ import annotations

from typing import Any

import solution
import torch


def split(qkv: torch.Tensor, heads: int, dim: int, form: str) -> tuple[torch.Tensor, torch.Tensor]:
    """k and v [T, H, D]: slices of a merged projection [T, (Hq + 2 H) D], or transposed from [2, H, T, D]."""
    if form == "transposed":
        k, v = qkv
        return k.transpose(0, 1), v.transpose(0, 1)
    width = heads * dim
    _, k, v = qkv.split([qkv.shape[1] - 2 * width, width, width], dim=1)
    return k.unflatten(1, (heads, dim)), v.unflatten(1, (heads, dim))


def caches(pool: torch.Tensor, layer: int, layout: str) -> tuple[torch.Tensor, torch.Tensor]:
    """k and v caches [slots, H, D] of a layer.

    A pool is [2, layers, slots, H, D], "interleaved" [slots, layers, 2, H, D], by "heads" [2, layers, H, slots, D].
    """
    if layout == "interleaved":
        return pool[:, layer, 0], pool[:, layer, 1]
    if layout == "heads":
        return pool[0, layer].transpose(0, 1), pool[1, layer].transpose(0, 1)
    return pool[0, layer], pool[1, layer]


def store(
    qkv: torch.Tensor,
    heads: int,
    dim: int,
    form: str,
    pool: torch.Tensor,
    layer: int,
    layout: str,
    out_loc: torch.Tensor,
) -> list[Any]:
    """What store_cache returned, and all memory it could reach."""
    result = solution.store_cache(*split(qkv, heads, dim, form), *caches(pool, layer, layout), out_loc)
    return [result, pool, qkv, out_loc]


def view(told: dict[str, Any]) -> torch.Tensor:
    """A tensor without memory: ``rows`` of ``heads`` x ``dim``, ``stride`` elements apart, from element ``start`` on."""
    count, stride, heads, dim = (told[name] for name in ("rows", "stride", "heads", "dim"))
    dtype = getattr(torch, told["dtype"])
    base = torch.empty(told["start"] + count * stride + heads * dim, dtype=dtype, device="meta")
    return base.as_strided((count, heads, dim), (stride, dim, 1), told["start"])


def offsets(k: dict[str, Any], cache: dict[str, Any], out_loc: torch.Tensor) -> Any:
    """row_offsets of two such tensors."""
    return solution.row_offsets(view(k), view(cache), out_loc)


def widths(pairs: list[list[dict[str, Any]]]) -> list[Any]:
    """vector_bytes of pairs of such tensors."""
    return [solution.vector_bytes(view(k), view(cache)) for k, cache in pairs]


def store_plain(k: torch.Tensor, v: torch.Tensor, out_loc: torch.Tensor) -> list[torch.Tensor]:
    """Stores into caches of as many slots as there are tokens, and shows the caches."""
    k_cache, v_cache = torch.full_like(k, -1), torch.full_like(v, -1)  # no value of a row
    solution.store_cache(k, v, k_cache, v_cache, out_loc)
    return [k_cache, v_cache]
