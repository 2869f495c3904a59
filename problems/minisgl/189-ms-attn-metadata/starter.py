"""#189 ms-attn-metadata 注意力后端的元数据 / Attention backend metadata"""

import torch

Request = tuple[int, int, int]  # (table_idx, cached_len, device_len)


def prepare_metadata(
    reqs: list[Request], padded_reqs: list[Request], page_table: torch.Tensor
) -> dict[str, torch.Tensor | int]:
    """每个 batch 调用一次：描述每个请求的 query 和 KV 在哪里。
    Called once a batch: says where each request's queries and KV are.

    reqs: 真实请求 / the real requests.
    padded_reqs: reqs 在前，后面是补齐用的 dummy / reqs first, then the dummies that pad the batch.
    page_table: [rows, width] 整数，每格一个 token 的 KV 槽位 / integers, one token's KV slot a cell.

    返回 / Returns (bs = len(padded_reqs)):
        "cu_seqlens_q":  int32 [bs + 1]            query 的起止 / where the queries begin and end
        "cache_seqlens": int32 [bs]                KV 总长 / length of the KV
        "max_seqlen_k":  int                       最长的 KV，空 batch 为 0 / the longest KV, 0 if bs is 0
        "page_table":    int32 [bs, max_seqlen_k]  各请求的行，原样截取 / the requests' rows, cut, verbatim
        "last_indices":  int32 [len(reqs)]         真实请求最后一个 query 的下标 / last query of each real request
    """
    raise NotImplementedError


def forward(
    q: torch.Tensor, k_pool: torch.Tensor, v_pool: torch.Tensor, meta: dict[str, torch.Tensor | int]
) -> torch.Tensor:
    """每层调用一次：变长、分页、带前缀的因果注意力。
    Called once a layer: causal attention over requests of any length, with a prefix, in a paged pool.

    q: [N, H, d]，N = meta["cu_seqlens_q"][-1].
    k_pool, v_pool: [slots, H_kv, d]，H % H_kv == 0；本轮的 K、V 已经写入 / this round's K and V are in already.
    返回 / Returns: [N, H, d]，与 q 相同的 dtype / of q's dtype.
    """
    raise NotImplementedError
