"""#193 ms-radix-cache Radix Cache：匹配、插入、加锁、淘汰 / Radix prefix cache"""

import torch


def common_len(a: torch.Tensor, b: torch.Tensor) -> int:
    """a [n] 与 b [m] 的公共前缀有多长 / how many first elements of a [n] and b [m] are equal."""
    raise NotImplementedError


class RadixCache:
    """从 token 前缀到 KV 槽位的树，按整页共享。
    A tree from token prefixes to KV slots that shares whole pages.
    """

    def __init__(self, page_size: int = 1) -> None:
        self.evictable_size = 0  # 没有锁的 token 数 / tokens without a lock
        self.protected_size = 0  # 被锁住的 token 数 / tokens with one
        raise NotImplementedError

    def match_prefix(self, input_ids: torch.Tensor):
        """最长的已缓存前缀；返回带有 cached_len 属性的句柄。
        The longest cached prefix: a handle of your own class, with an attribute cached_len.
        """
        raise NotImplementedError

    def insert_prefix(self, input_ids: torch.Tensor, indices: torch.Tensor):
        """记下还没缓存的 token 的槽位；返回 (之前已缓存的长度, 全部 token 的句柄)。
        Keeps the slots of what is not cached yet; returns (length cached before, handle on all of it).
        """
        raise NotImplementedError

    def matched_indices(self, handle) -> torch.Tensor:
        """int32 [cached_len]，句柄所指 token 的槽位 / the slots of the handle's tokens."""
        raise NotImplementedError

    def lock(self, handle) -> None:
        """锁住句柄的整条路径 / locks the handle's whole path."""
        raise NotImplementedError

    def unlock(self, handle) -> None:
        """解开一次锁 / ends one lock."""
        raise NotImplementedError

    def evict(self, size: int) -> torch.Tensor:
        """至少淘汰 size 个 token，返回它们的槽位；不够时抛 MemoryError。
        Forgets at least size tokens and returns their slots; MemoryError if not so many are evictable.
        """
        raise NotImplementedError
