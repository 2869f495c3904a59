"""The new lock before the old one goes; everything to free is collected and freed at once."""

import torch


def cache_req(cache, req, finished, free):
    count = req.cached_len
    slots = req.row[:count].clone()
    known, handle = cache.insert_prefix(req.input_ids[:count].clone(), slots)
    before, after = req.handle.cached_len, handle.cached_len
    gone = [slots[before:known]]
    if finished:
        gone.append(slots[after:])
    else:
        cache.lock(handle)
    cache.unlock(req.handle)
    gone = torch.cat(gone)
    if gone.numel():
        free(gone)
    if not finished:
        req.handle = handle
        req.row[before:known].copy_(handle.matched_indices[before:known])
