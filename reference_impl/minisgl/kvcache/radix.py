"""The radix cache: a tree over token ids whose nodes hold the slots of their tokens."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import torch

from minisgl.kvcache.base import BasePrefixCache, CacheHandle, SizeInfo


class Node:
    """An edge of the tree with the slots of its tokens; key and value int32 [n], n a multiple of the page size."""

    def __init__(self, parent: Node | None, key: torch.Tensor, value: torch.Tensor) -> None:
        self.parent, self.key, self.value = parent, key, value
        self.children: dict[tuple[int, ...], Node] = {}  # by the first page of their keys
        self.ref_count = 0  # locks on this node or below it
        self.timestamp = 0

    def __lt__(self, other: Node) -> bool:
        return self.timestamp < other.timestamp


@dataclass(frozen=True, eq=False)
class RadixCacheHandle(CacheHandle):
    """A match that ends at ``node``; a split leaves the node where the match ends."""

    node: Node


class RadixPrefixCache(BasePrefixCache):
    """Shares whole pages; forgets the leaf that was unused longest. Keys lie on the CPU, slots on ``device``."""

    def __init__(self, page_size: int, device: torch.device) -> None:
        self.page_size = page_size
        none = torch.empty(0, dtype=torch.int32)
        self._root = Node(None, none, none.to(device))
        self._clock = 0
        self._evictable = self._protected = 0

    def match_prefix(self, input_ids: torch.Tensor) -> CacheHandle:
        return self._handle(*self._walk(input_ids))

    def insert_prefix(self, input_ids: torch.Tensor, indices: torch.Tensor) -> tuple[int, CacheHandle]:
        node, cached = self._walk(input_ids)
        length = len(input_ids) // self.page_size * self.page_size
        if cached < length:
            leaf = Node(node, input_ids[cached:length].clone(), indices[cached:length].clone())
            leaf.timestamp = self._clock
            node.children[self._page(leaf.key)] = leaf
            self._evictable += length - cached
            node = leaf
        return cached, self._handle(node, length)

    def lock_handle(self, handle: CacheHandle, unlock: bool = False) -> None:
        assert isinstance(handle, RadixCacheHandle)
        node = handle.node
        while node.parent is not None:
            if node.ref_count == (1 if unlock else 0):
                moved = -len(node.key) if unlock else len(node.key)
                self._evictable -= moved
                self._protected += moved
            node.ref_count += -1 if unlock else 1
            if node.ref_count < 0:
                raise ValueError("a handle was unlocked more often than locked")
            node = node.parent

    def evict(self, size: int) -> torch.Tensor:
        if size > self._evictable:
            raise MemoryError(f"cannot evict {size} tokens: {self._evictable} are evictable")
        leaves = self._evictable_leaves()
        heapq.heapify(leaves)
        evicted, left = [self._root.value], size
        while left > 0:
            leaf = heapq.heappop(leaves)
            parent = leaf.parent
            assert parent is not None
            del parent.children[self._page(leaf.key)]
            evicted.append(leaf.value)
            left -= len(leaf.key)
            self._evictable -= len(leaf.key)
            if not parent.children and parent.ref_count == 0 and parent is not self._root:
                heapq.heappush(leaves, parent)
        return torch.cat(evicted)

    @property
    def size_info(self) -> SizeInfo:
        return SizeInfo(self._evictable, self._protected)

    def _walk(self, input_ids: torch.Tensor) -> tuple[Node, int]:
        """The node where the longest cached prefix ends, and its length; the path counts as used now."""
        self._clock += 1
        node, done = self._root, 0
        length = len(input_ids) // self.page_size * self.page_size
        while done < length:
            rest = input_ids[done:length]
            child = node.children.get(self._page(rest))
            if child is None:
                break
            same = common_len(child.key, rest) // self.page_size * self.page_size
            node = child if same == len(child.key) else self._split(child, same)
            node.timestamp = self._clock
            done += same
        return node, done

    def _split(self, node: Node, at: int) -> Node:
        """Puts a new node before ``node`` that takes its first ``at`` tokens; handles keep pointing at its end."""
        front = Node(node.parent, node.key[:at], node.value[:at])
        front.ref_count = node.ref_count  # whoever locked the end locked the beginning
        assert node.parent is not None
        node.parent.children[self._page(front.key)] = front
        node.parent, node.key, node.value = front, node.key[at:], node.value[at:]
        front.children[self._page(node.key)] = node
        return front

    def _handle(self, node: Node, length: int) -> CacheHandle:
        pieces, here = [], node
        while here.parent is not None:
            pieces.append(here.value)
            here = here.parent
        return RadixCacheHandle(length, torch.cat([self._root.value, *reversed(pieces)]), node)

    def _evictable_leaves(self) -> list[Node]:
        leaves, todo = [], list(self._root.children.values())
        while todo:
            node = todo.pop()
            todo.extend(node.children.values())
            if not node.children and node.ref_count == 0:
                leaves.append(node)
        return leaves

    def _page(self, key: torch.Tensor) -> tuple[int, ...]:
        return tuple(key[: self.page_size].tolist())


def common_len(a: torch.Tensor, b: torch.Tensor) -> int:
    """How many first elements of a [n] and b [m] are equal."""
    size = min(len(a), len(b))
    different = (a[:size] != b[:size]).nonzero()
    return int(different[0]) if len(different) else size
