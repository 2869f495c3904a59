"""Columns are named by an index tensor; sums on the device, in place to stay in int32."""

import torch


def fa_metadata(padded_reqs, page_table, page_size):
    options = {"dtype": torch.int32, "device": page_table.device}
    triples = torch.tensor(padded_reqs, **options).view(-1, 3)
    lens_q, lens_k = triples[:, 2] - triples[:, 1], triples[:, 2].clone()
    longest_k = max((end for _, _, end in padded_reqs), default=0)
    pages = -(-longest_k // page_size)
    columns = torch.arange(pages, device=page_table.device) * page_size
    table = page_table[triples[:, :1].long(), columns].div(page_size, rounding_mode="floor")

    def running(lens):
        cu = torch.zeros(len(padded_reqs) + 1, **options)
        cu[1:] = lens
        return cu.cumsum_(0)

    return {
        "cu_seqlens_q": running(lens_q),
        "cu_seqlens_k": running(lens_k),
        "cache_seqlens": lens_k,
        "max_seqlen_q": max((end - start for _, start, end in padded_reqs), default=0),
        "max_seqlen_k": longest_k,
        "page_table": table,
    }
