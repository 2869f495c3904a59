"""#188 ms-paged-alloc 按页分配 KV 并写进 page table / Page allocation for the KV cache"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

Request = tuple[int, int, int]  # (table_idx, cached_len, device_len)


def new_pages(cached_len: int, device_len: int, page_size: int) -> int:
    """第 cached_len 到 device_len - 1 个 token 需要几个新页；先用完最后一页的空位。
    How many new pages the tokens cached_len .. device_len - 1 need; the last page is filled up first.
    """
    raise NotImplementedError


class PageAllocator:
    """管理空闲页，先进先出。
    Owns the free pages, first in first out.
    """

    def __init__(self, num_pages: int, page_size: int, page_table: torch.Tensor) -> None:
        """page_table: int32 [rows, width]，由引擎拥有，就地改写 / the engine's own, written in place."""
        raise NotImplementedError

    @property
    def available_size(self) -> int:
        """空闲页里的槽位总数 / slots in free pages."""
        raise NotImplementedError

    def allocate_paged(self, reqs: list[Request]) -> None:
        """把新页的槽位写进各请求的行；不够时抛 MemoryError，一切不变。
        Writes the new pages' slots into the requests' rows; MemoryError, and nothing changed, if there are too few.
        """
        raise NotImplementedError

    def out_loc(self, reqs: list[Request]) -> torch.Tensor:
        """int32 [T]，本轮新 token 的槽位，按请求首尾相接 / slots of the new tokens, request after request."""
        raise NotImplementedError

    def free(self, indices: torch.Tensor) -> None:
        """收回首槽位在 indices 里的页 / takes back the pages whose first slot is among indices."""
        raise NotImplementedError

    @contextmanager
    def lazy_free(self) -> Iterator[None]:
        """区域内释放的页，出了最外层区域才可用 / what is freed inside is available after the outermost region."""
        raise NotImplementedError
        yield
