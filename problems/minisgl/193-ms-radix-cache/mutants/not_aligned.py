# expects: not-aligned
"""The page size is taken for 1."""

from __future__ import annotations

import heapq
import itertools

import torch


def common_len(a: torch.Tensor, b: torch.Tensor) -> int:
    """How many first elements of a [n] and b [m] are equal."""
    return first_difference(a, b)


def first_difference(a: torch.Tensor, b: torch.Tensor) -> int:
    """The place of the first difference, or the shorter length."""
    size = min(len(a), len(b))
    different = (a[:size] != b[:size]).nonzero()
    return int(different[0]) if len(different) else size


class Node:
    """key and value: int32 [n], tokens and their slots; refs: locks here or below; stamp: when it was used last."""

    stamp: int

    def __init__(self, parent: Node | None, key: torch.Tensor, value: torch.Tensor) -> None:
        self.parent, self.key, self.value = parent, key, value
        self.children: dict[tuple[int, ...], Node] = {}
        self.refs = 0

    def __lt__(self, other: Node) -> bool:
        return self.stamp < other.stamp


class Handle:
    """A match of cached_len tokens that ends with node."""

    def __init__(self, node: Node, cached_len: int) -> None:
        self.node, self.cached_len = node, cached_len


class RadixCache:
    """A tree over token ids that shares whole pages."""

    def __init__(self, page_size: int = 1) -> None:
        self.page_size, self.clock = 1, itertools.count()
        self.evictable_size = self.protected_size = 0
        none = torch.empty(0, dtype=torch.int32)
        self.root = Node(None, none, none)

    def match_prefix(self, input_ids: torch.Tensor) -> Handle:
        """The longest cached prefix of input_ids."""
        return Handle(*self.walk(self.whole_pages(input_ids)))

    def insert_prefix(self, input_ids: torch.Tensor, indices: torch.Tensor) -> tuple[int, Handle]:
        """Keeps the slots of what is not cached yet; how much was, and a handle on all of it."""
        ids = self.whole_pages(input_ids)
        node, cached = self.walk(ids)
        if cached < len(ids):
            parent, node = node, Node(node, ids[cached:].clone(), indices[cached : len(ids)].clone())
            parent.children[self.first_page(node.key)] = node
            node.stamp = self.root.stamp  # every walk begins at the root
            self.evictable_size += len(node.key)
        return cached, Handle(node, len(ids))

    def matched_indices(self, handle: Handle) -> torch.Tensor:
        """int32 [cached_len]: the slots of the handle's tokens."""
        return torch.cat([node.value for node in self.path(handle.node)][::-1])

    def lock(self, handle: Handle) -> None:
        """Protects the handle's path."""
        for node in self.path(handle.node)[:-1]:
            if not node.refs:
                self.protect(len(node.key))
            node.refs += 1

    def unlock(self, handle: Handle) -> None:
        """Ends one lock."""
        for node in self.path(handle.node)[:-1]:
            node.refs -= 1
            if not node.refs:
                self.protect(-len(node.key))

    def evict(self, size: int) -> torch.Tensor:
        """Forgets at least size tokens, oldest leaf first; their slots."""
        if size > self.evictable_size:
            raise MemoryError(f"{size} tokens to evict, {self.evictable_size} evictable")
        leaves = [leaf for leaf in self.leaves() if not leaf.refs]
        heapq.heapify(leaves)
        slots = torch.empty(0, dtype=torch.int32)
        while len(slots) < size:
            leaf = heapq.heappop(leaves)
            slots = torch.cat([slots, leaf.value])
            self.evictable_size -= len(leaf.key)
            del leaf.parent.children[self.first_page(leaf.key)]
            if not leaf.parent.children and not leaf.parent.refs and leaf.parent.parent:
                heapq.heappush(leaves, leaf.parent)
        return slots

    def walk(self, ids: torch.Tensor) -> tuple[Node, int]:
        """The node where the cached prefix of ids ends, split to end just there; the path counts as used now."""
        node, done = self.root, 0
        node.stamp = now = next(self.clock)
        while child := node.children.get(self.first_page(ids[done:])):
            same = first_difference(child.key, ids[done:]) // self.page_size * self.page_size
            node = child if same == len(child.key) else self.split(child, same)
            node.stamp = now
            done += same
        return node, done

    def split(self, node: Node, at: int) -> Node:
        """A new node for the first at tokens of node, which keeps its end and with it the handles."""
        front = Node(node.parent, node.key[:at], node.value[:at])
        front.refs = node.refs
        front.parent.children[self.first_page(front.key)] = front
        node.parent, node.key, node.value = front, node.key[at:], node.value[at:]
        front.children[self.first_page(node.key)] = node
        return front

    def path(self, node: Node) -> list[Node]:
        """From node up to the root."""
        found = [node]
        while found[-1].parent:
            found.append(found[-1].parent)
        return found

    def leaves(self) -> list[Node]:
        """Every node without children but the root."""
        found, todo = [], [self.root]
        while todo:
            node = todo.pop()
            todo.extend(node.children.values())
            if not node.children and node.parent:
                found.append(node)
        return found

    def protect(self, length: int) -> None:
        """Moves length tokens from evictable to protected."""
        self.evictable_size -= length
        self.protected_size += length

    def whole_pages(self, ids: torch.Tensor) -> torch.Tensor:
        """ids without the page that is not full."""
        return ids[: len(ids) // self.page_size * self.page_size]

    def first_page(self, ids: torch.Tensor) -> tuple[int, ...]:
        """What children are found by."""
        return tuple(ids[: self.page_size].tolist())
