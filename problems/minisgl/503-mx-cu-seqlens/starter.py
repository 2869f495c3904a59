"""#503 mx-cu-seqlens cu_seqlens 的三条路径 / Three paths to cu_seqlens"""

import torch

Request = tuple[int, int]  # (cached_len, device_len)


def choose_path(reqs: list[Request]) -> str:
    """这个 batch 能走哪条路：依次判断，返回第一个成立的。
    Which path this batch can take: the first condition that holds, in order.

    "decode":    每个请求本轮只有 1 个 query / every request has 1 query this round.
    "no-prefix": 每个请求的 cached_len 都是 0 / every request has a cached_len of 0.
    "general":   其他 / anything else.
    """
    raise NotImplementedError


def make_cu_seqlens(reqs: list[Request], device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """返回 / Returns (cu_q, cu_k): int32 [len(reqs) + 1]，在 device 上，互不共用内存 / on device, sharing no memory.

    cu_q: query 数的前缀和 / running sum of the query counts (device_len - cached_len).
    cu_k: KV 长度的前缀和 / running sum of the KV lengths (device_len).
    """
    raise NotImplementedError
