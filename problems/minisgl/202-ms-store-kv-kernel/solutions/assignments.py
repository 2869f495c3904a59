"""Assignments by index, and widths tried from the largest down."""

import torch


def store_cache(k, v, k_cache, v_cache, out_loc):
    for rows, cache in ((k, k_cache), (v, v_cache)):
        cache[out_loc.to(torch.int64)] = rows


def row_offsets(k, k_cache, out_loc):
    stride_from, stride_to = (torch.tensor(x.stride(0), dtype=torch.int64) for x in (k, k_cache))
    places = torch.arange(k.shape[0], dtype=torch.int64)
    return places.mul(stride_from), torch.mul(out_loc.to(torch.int64), stride_to)


def vector_bytes(k, k_cache):
    size = k.dtype.itemsize
    row = k.shape[1] * k.shape[2] * size
    for width in (16, 8, 4, 2):
        fits = all(
            x.stride(0) * size % width == 0 and x.storage_offset() * size % width == 0 for x in (k, k_cache)
        )
        if fits and row % width == 0:
            return width
    return 1
