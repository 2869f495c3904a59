"""#202 ms-store-kv-kernel 写 KV cache 的 kernel / The kernel that stores KV"""

import torch


def store_cache(
    k: torch.Tensor, v: torch.Tensor, k_cache: torch.Tensor, v_cache: torch.Tensor, out_loc: torch.Tensor
) -> None:
    """把 k、v 的第 t 行写进缓存的第 out_loc[t] 个槽位。
    Writes row t of k and v to slot out_loc[t] of the caches.

    k, v: [T, H, D]；k_cache, v_cache: [slots, H, D]，都可能不连续 / all possibly strided；out_loc: int32 [T]
    """
    raise NotImplementedError


def row_offsets(
    k: torch.Tensor, k_cache: torch.Tensor, out_loc: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """每一行从哪里读、写到哪里：各是 int64 [T]，按元素，从张量的首元素数起。
    Where each row is read and written: int64 [T] each, in elements from the tensor's first.
    """
    raise NotImplementedError


def vector_bytes(k: torch.Tensor, k_cache: torch.Tensor) -> int:
    """一次访问最多几个字节：16、8、4、2 或 1。
    How many bytes one access may have: 16, 8, 4, 2 or 1.
    """
    raise NotImplementedError
