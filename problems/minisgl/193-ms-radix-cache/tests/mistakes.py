"""Caches that each make one mistake: the one that answers as a submission does names what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .tree import Node, Tree, path


class WholeNodes(Tree):
    """A node that matches in part is not taken, nor split."""

    def walk(self, ids: list[int]) -> tuple[Node, int]:
        self.clock += 1
        node, done = self.root, 0
        while done < len(ids) and (child := node.children.get(self.page(ids[done:]))) is not None:
            if child.key != ids[done : done + len(child.key)]:
                break
            self.touch(child)
            node, done = child, done + len(child.key)
        return node, done


class RefsLost(Tree):
    """The new front of a split has no locks."""

    def split(self, node: Node, at: int) -> Node:
        front = super().split(node, at)
        front.refs = 0
        return front


class FrontKept(Tree):
    """A split keeps the old node in front, and with it the handles; the new node behind takes children and locks."""

    def split(self, node: Node, at: int) -> Node:
        tail = Node(node, node.key[at:], node.slots[at:], node.stamp)
        tail.children, tail.refs = node.children, node.refs
        for child in tail.children.values():
            child.parent = tail
        node.key, node.slots = node.key[:at], node.slots[:at]
        node.children = {self.page(tail.key): tail}
        return node


class TailRefreshed(Tree):
    """A split makes the part behind it look used, too."""

    def split(self, node: Node, at: int) -> Node:
        node.stamp = self.clock
        return super().split(node, at)


class NeverTouched(Tree):
    """A node keeps the time when it was made."""

    def touch(self, node: Node) -> None:
        pass


class LastTouched(Tree):
    """Only the last node of a match counts as used."""

    def walk(self, ids: list[int]) -> tuple[Node, int]:
        node, done = super().walk(ids)
        if node is not self.root:
            node.stamp = self.clock
        return node, done

    def touch(self, node: Node) -> None:
        pass


class InnerEvicted(Tree):
    """Any unlocked node may go, with all that hangs below it."""

    def candidates(self) -> list[Node]:
        return [node for node in self.nodes() if node.refs == 0]


class LocksIgnored(Tree):
    """Locked leaves are evicted."""

    def candidates(self) -> list[Node]:
        return [node for node in self.nodes() if not node.children]

    def becomes_leaf(self, parent: Node) -> bool:
        return not parent.children


class ParentsKept(Tree):
    """A parent does not become evictable when its last child goes."""

    def becomes_leaf(self, parent: Node) -> bool:
        return False


class LockedParents(Tree):
    """A parent becomes evictable although it is locked."""

    def becomes_leaf(self, parent: Node) -> bool:
        return not parent.children


class OneShort(Tree):
    """Eviction stops before the leaf that would reach the size."""

    def enough(self, evicted: int, size: int, leaves: list[Node]) -> bool:
        return evicted + len(self.choose(leaves).key) > size


class NewestFirst(Tree):
    """The leaf used last goes first."""

    def choose(self, leaves: list[Node]) -> Node:
        return max(leaves, key=lambda leaf: leaf.stamp)


class LargestFirst(Tree):
    """The longest leaf goes first."""

    def choose(self, leaves: list[Node]) -> Node:
        return max(leaves, key=lambda leaf: (len(leaf.key), -leaf.stamp))


class Overwrites(Tree):
    """Inserting what is cached replaces its slots."""

    def insert(self, ids: list[int], slots: list[int], name: str) -> list[int]:
        answer = super().insert(ids, slots, name)
        done = 0
        for node in path(self.handles[name])[::-1]:
            node.slots = slots[done : done + len(node.key)]
            done += len(node.key)
        return answer


class AllCached(Tree):
    """insert says how much is cached after it."""

    def found(self, cached: int, length: int) -> int:
        return length


class NewTokens(Tree):
    """insert says how much is new."""

    def found(self, cached: int, length: int) -> int:
        return length - cached


class OnlyTheNode(Tree):
    """A lock counts on the last node alone."""

    def locked_path(self, node: Node) -> list[Node]:
        return path(node)[:1]


class StaysProtected(Tree):
    """unlock does not move tokens back."""

    def unprotect(self, length: int) -> None:
        pass


class SizeKept(Tree):
    """Eviction does not change evictable_size."""

    def forget(self, leaf: Node) -> None:
        before = self.evictable
        super().forget(leaf)
        self.evictable = before


class Unaligned(Tree):
    """Pages are not looked at."""

    def aligned(self, length: int) -> int:
        return length

    def page(self, ids: list[int]) -> tuple[int, ...]:
        return tuple(ids[:1])

    def whole(self, ids: list[int]) -> list[int]:
        return ids


class SplitInPage(Tree):
    """A match is not cut down to whole pages."""

    def aligned(self, length: int) -> int:
        return length


class FirstToken(Tree):
    """Children are found by one token, though a page has more."""

    def page(self, ids: list[int]) -> tuple[int, ...]:
        return tuple(ids[:1])


class PartKept(Tree):
    """The page that is not full is inserted as well."""

    def whole(self, ids: list[int]) -> list[int]:
        return ids


KNOWN: Mapping[str, Callable[..., Tree]] = {
    "no-split": WholeNodes,
    "split-loses-locks": RefsLost,
    "split-moves-handles": FrontKept,
    "split-refreshes-tail": TailRefreshed,
    "only-last-touched": LastTouched,
    "never-touched": NeverTouched,
    "evicts-inner-nodes": InnerEvicted,
    "evicts-locked-parent": LockedParents,
    "evicts-locked": LocksIgnored,
    "parents-stay": ParentsKept,
    "stops-early": OneShort,
    "newest-first": NewestFirst,
    "largest-first": LargestFirst,
    "overwrites-slots": Overwrites,
    "insert-says-all": AllCached,
    "insert-says-new": NewTokens,
    "locks-one-node": OnlyTheNode,
    "stays-protected": StaysProtected,
    "evict-keeps-size": SizeKept,
    "not-aligned": Unaligned,
    "split-within-page": SplitInPage,
    "child-by-token": FirstToken,
    "keeps-part-of-page": PartKept,
}
