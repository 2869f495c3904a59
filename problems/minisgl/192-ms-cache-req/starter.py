"""#192 ms-cache-req 把请求的 KV 交给前缀缓存 / Handing a request's KV over to the prefix cache"""

from collections.abc import Callable
from typing import Any

import torch


def cache_req(cache: Any, req: Any, finished: bool, free: Callable[[torch.Tensor], None]) -> None:
    """把前 cached_len 个 token 的槽位交给缓存；重复的释放；请求继续时换上新的锁和新的行。
    Hands the slots of the first cached_len tokens over to the cache, frees those it has already, and gives a
    continuing request a new lock and a new row.

    cache.insert_prefix(input_ids, indices) -> (known, handle)；cache.lock(handle)；cache.unlock(handle)
    handle.cached_len；handle.matched_indices: int32 [cached_len]
    req.input_ids: int32；req.cached_len；req.row: int32，page table 的一行 / a row of the page table；req.handle
    free(slots: int32 [n >= 1])
    """
    raise NotImplementedError
