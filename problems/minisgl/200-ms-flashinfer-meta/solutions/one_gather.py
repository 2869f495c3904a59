"""All pages in one gather by index tensors; attention for all requests at once, over padded keys."""

import numpy as np
import torch


def flashinfer_metadata(padded_reqs, page_table, page_size):
    rows, cached, lens = np.array(padded_reqs, dtype=np.int64).reshape(-1, 3).T
    pages = -(-lens // page_size)

    def indptr(counts):
        found = np.zeros(len(counts) + 1, dtype=np.int32)
        np.cumsum(counts, out=found[1:])
        return torch.from_numpy(found)

    kv_indptr = indptr(pages)
    within = np.arange(pages.sum()) - np.repeat(kv_indptr.numpy()[:-1], pages)
    where = torch.from_numpy(np.stack([np.repeat(rows, pages), within * page_size])).to(page_table.device)
    return {
        "qo_indptr": indptr(lens - cached),
        "kv_indptr": kv_indptr,
        "kv_indices": page_table[where[0], where[1]].div(page_size, rounding_mode="floor"),
        "kv_last_page_len": torch.from_numpy((lens - (pages - 1) * page_size).astype(np.int32)),
    }


def paged_attention_from_meta(q, k_cache, v_cache, meta, page_size):
    if not len(q):
        return torch.empty_like(q)
    counts = meta["kv_indptr"].diff()
    lens = (counts - 1) * page_size + meta["kv_last_page_len"]
    queries = meta["qo_indptr"].diff()
    owner = torch.repeat_interleave(torch.arange(len(lens)), queries)
    position = torch.arange(len(q)) - meta["qo_indptr"][owner] + (lens - queries)[owner]
    token = torch.arange(int(lens.max())).minimum(lens[:, None] - 1)
    page = meta["kv_indices"][(meta["kv_indptr"][:-1, None] + token // page_size).long()].long()
    group = q.shape[1] // k_cache.shape[2]
    k, v = (
        cache[page, token % page_size][owner].double().repeat_interleave(group, 2)
        for cache in (k_cache, v_cache)
    )
    scores = torch.einsum("nhd,nlhd->nhl", q.double(), k) / q.shape[-1] ** 0.5
    hidden = torch.arange(token.shape[1]) > position[:, None]
    weights = scores.masked_fill(hidden[:, None], float("-inf")).softmax(-1)
    return torch.einsum("nhl,nlhd->nhd", weights, v).to(q.dtype)
