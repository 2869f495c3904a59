"""What a radix cache must do, in lists of Python integers; and random operations on one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng
from judge.grading.stateful import Impossible, Step

Key = tuple[int, ...]


class Node:
    """Tokens and slots of one edge; ``refs`` counts the locks here or below."""

    def __init__(self, parent: Node | None, key: list[int], slots: list[int], stamp: int) -> None:
        self.parent, self.key, self.slots, self.stamp = parent, key, slots, stamp
        self.children: dict[Key, Node] = {}
        self.refs, self.gone = 0, False


class Tree:
    """The model. Handles are kept by the names that steps give them, with the locks each holds.

    ``strict``: steps that the statement rules out are impossible. A wrong model may see it differently, and goes on.
    """

    def __init__(self, page_size: int, strict: bool = True) -> None:
        self.page_size, self.strict = page_size, strict
        self.root = Node(None, [], [], 0)
        self.clock = self.made = 0
        self.handles: dict[str, Node] = {}
        self.locks: dict[str, int] = {}
        self.evictable = self.protected = 0
        self.seen: list[list[int]] = []
        self.before: list[
            tuple[list[int], int, list[list[int]]]
        ] = []  # slots, locks and children, at the last eviction

    # --- what is asked of it ---

    def take(self, step: Step) -> list[Any]:
        """What there is to see after ``step``."""
        arguments = {name: value for name, value in step.items() if name != "op"}
        raised, value = "", None
        try:
            value = getattr(self, step["op"])(**arguments)
        except MemoryError:
            raised = "MemoryError"
        return [raised, value, self.evictable, self.protected]

    def match(self, ids: list[int], name: str) -> list[Any]:
        """Length and slots of the longest cached prefix."""
        node, length = self.walk(self.whole(ids))
        self.remember(name, node)
        return [length, self.slots_of(node)]

    def insert(self, ids: list[int], slots: list[int], name: str) -> list[int]:
        """How much was cached, and how much the handle stands for."""
        ids = self.whole(ids)
        node, cached = self.walk(ids)
        self.seen.append(ids)
        if cached < len(ids):
            leaf = Node(node, ids[cached:], slots[cached : len(ids)], self.clock)
            node.children[self.page(leaf.key)] = leaf
            self.evictable += len(leaf.key)
            node = leaf
        self.remember(name, node)
        return [self.found(cached, len(ids)), len(ids)]

    def indices(self, name: str) -> list[Any]:
        """dtype and slots of a handle."""
        return self.slots_of(self.alive(name))

    def lock(self, name: str) -> None:
        """Protects the path of a handle."""
        node = self.alive(name)
        self.locks[name] += 1
        for one in self.locked_path(node):
            if one.refs == 0:
                self.evictable -= len(one.key)
                self.protected += len(one.key)
            one.refs += 1

    def unlock(self, name: str) -> None:
        """Ends one lock of a handle."""
        node = self.alive(name)
        self.require(self.locks[name] > 0 or not self.strict)
        self.locks[name] -= 1
        for one in self.locked_path(node):
            one.refs -= 1
            if one.refs == 0:
                self.unprotect(len(one.key))

    def evict(self, size: int) -> list[Any]:
        """dtype and slots of what is forgotten."""
        if size > self.evictable:
            raise MemoryError
        self.before = [
            (one.slots, one.refs, [child.slots for child in one.children.values()]) for one in self.nodes()
        ]
        slots: list[int] = []
        leaves = self.candidates()
        while leaves and not self.enough(len(slots), size, leaves):
            leaf = self.choose(leaves)
            leaves.remove(leaf)
            slots += leaf.slots
            self.forget(leaf)
            parent = leaf.parent
            if parent is not None and parent is not self.root and self.becomes_leaf(parent):
                leaves.append(parent)
        return ["torch.int32", slots]

    # --- where mistakes are made ---

    def walk(self, ids: list[int]) -> tuple[Node, int]:
        """The node where the cached prefix ends, and its length."""
        self.clock += 1
        node, done = self.root, 0
        while done < len(ids) and (child := node.children.get(self.page(ids[done:]))) is not None:
            same = self.aligned(common(child.key, ids[done:]))
            if not same:
                break
            node = child if same == len(child.key) else self.split(child, same)
            self.touch(node)
            done += same
        return node, done

    def split(self, node: Node, at: int) -> Node:
        """A new node in front; the old one keeps the end, its handles, its locks and its stamp."""
        front = Node(node.parent, node.key[:at], node.slots[:at], node.stamp)
        front.refs = node.refs
        assert node.parent is not None
        node.parent.children[self.page(front.key)] = front
        node.parent, node.key, node.slots = front, node.key[at:], node.slots[at:]
        front.children[self.page(node.key)] = node
        return front

    def touch(self, node: Node) -> None:
        """A node of the path counts as used now."""
        node.stamp = self.clock

    def page(self, ids: list[int]) -> Key:
        """What a child is found by."""
        return tuple(ids[: self.page_size])

    def aligned(self, length: int) -> int:
        """Whole pages of ``length`` tokens."""
        return length // self.page_size * self.page_size

    def whole(self, ids: list[int]) -> list[int]:
        """Without the page that is not full."""
        return ids[: len(ids) // self.page_size * self.page_size]

    def found(self, cached: int, length: int) -> int:
        """What insert says was cached."""
        return cached

    def locked_path(self, node: Node) -> list[Node]:
        """The nodes that a lock counts on."""
        return path(node)

    def unprotect(self, length: int) -> None:
        """``length`` tokens have lost their last lock."""
        self.evictable += length
        self.protected -= length

    def candidates(self) -> list[Node]:
        """What may be evicted first."""
        return [node for node in self.nodes() if not node.children and node.refs == 0]

    def choose(self, leaves: list[Node]) -> Node:
        """The leaf that goes next."""
        return min(leaves, key=lambda leaf: leaf.stamp)

    def enough(self, evicted: int, size: int, leaves: list[Node]) -> bool:
        """Whether eviction may stop."""
        return evicted >= size

    def forget(self, leaf: Node) -> None:
        """Takes a leaf out of the tree."""
        assert leaf.parent is not None
        leaf.parent.children.pop(self.page(leaf.key), None)
        self.evictable -= len(leaf.key)
        leaf.gone = True

    def becomes_leaf(self, parent: Node) -> bool:
        """Whether a parent whose child went may be evicted now."""
        return not parent.children and parent.refs == 0

    # --- what keeps steps possible ---

    def nodes(self) -> list[Node]:
        """Every node but the root."""
        found, todo = [], list(self.root.children.values())
        while todo:
            found.append(todo.pop())
            todo.extend(found[-1].children.values())
        return found

    def slots_of(self, node: Node) -> list[Any]:
        """dtype and slots of the path to ``node``."""
        return ["torch.int32", [slot for one in path(node)[::-1] for slot in one.slots]]

    def remember(self, name: str, node: Node) -> None:
        """A handle."""
        self.handles[name], self.locks[name] = node, 0
        self.made += 1

    def alive(self, name: str) -> Node:
        """The node of a handle that was made and not evicted."""
        self.require(name in self.handles and not (self.strict and self.handles[name].gone))
        return self.handles[name]

    def require(self, condition: bool) -> None:
        """Leaves out a step that the statement rules out."""
        if not condition:
            raise Impossible

    # --- what a difference is called ---

    def verify(self, step: Step, got: list[Any], want: list[Any]) -> None:
        """Compares what can be seen after a step."""
        op = step["op"]
        (raised, value, evictable, protected), wanted = got, want
        mistake = "evict-refuses" if raised else "evict-no-error"
        check.equal(raised, wanted[0], field=op, mistake=mistake)
        check.equal(value, wanted[1], field=op, mistake=self._value_key(op, value, wanted[1]))
        total = self.evictable + self.protected
        for field, size, right in (
            ("evictable_size", evictable, wanted[2]),
            ("protected_size", protected, wanted[3]),
        ):
            kept = (
                isinstance(evictable, int) and isinstance(protected, int) and evictable + protected == total
            )
            check.equal(size, right, field=field, mistake="sizes-shifted" if kept else "sizes-total")

    def _value_key(self, op: str, got: Any, want: Any) -> str:
        told = got[-1] if op == "match" and isinstance(got, list) and got else got
        if op in ("match", "indices", "evict") and isinstance(told, list) and told[:1] != ["torch.int32"]:
            return "slots-dtype"
        if op == "evict" and isinstance(told, list) and (broken := self._broken(told[1])):
            return broken
        return {
            "match": "match-wrong",
            "insert": "insert-wrong",
            "indices": "indices-wrong",
            "evict": "evict-wrong",
        }.get(op, "returns-something")

    def _broken(self, evicted: list[int]) -> str:
        """What an eviction must never do, whatever the order."""
        place: dict[int, int] = {}
        for i, slot in enumerate(evicted):
            place.setdefault(slot, i)
        for slots, refs, children in self.before:
            if not set(slots) <= set(place):
                continue
            if refs:
                return "evicts-locked"
            if any(place.get(child[0], len(evicted)) > place[slots[0]] for child in children):
                return "evicts-inner-nodes"
        return ""


def path(node: Node) -> list[Node]:
    """From ``node`` up, without the root."""
    found = []
    here: Node | None = node
    while here is not None and here.parent is not None:
        found.append(here)
        here = here.parent
    return found


def common(a: list[int], b: list[int]) -> int:
    """How many first elements are equal."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def drawer(rng: Rng, ops: list[str]) -> Callable[[Tree], Step]:
    """Draws steps that fit the state; prompts share prefixes often, because tokens are 0, 1 or 2."""

    def draw(model: Tree) -> Step:
        op = rng.pick(ops)
        if op in ("match", "insert"):
            ids = _prompt(rng, model)
            step: Step = {"op": op, "ids": ids}
            if op == "insert":
                first = 100 * (model.made + 1)
                step["slots"] = [first + i for i in range(len(ids))]
            return {**step, "name": f"h{model.made + 1}"}
        if op == "evict":
            beyond = int(rng.integers(8)) == 0
            return {"op": op, "size": int(rng.integers(0, model.evictable + 1)) + 3 * beyond}
        return {"op": op, "name": rng.pick(list(model.handles) or ["none"])}

    return draw


def _prompt(rng: Rng, model: Tree) -> list[int]:
    size = model.page_size
    length = int(rng.integers(1, 5 * size + 4))
    tail = [int(token) for token in rng.integers(0, 3 if size == 1 else 2, length)]
    if not model.seen or int(rng.integers(4)) == 0:
        return tail
    known = rng.pick(model.seen)
    return (known[: int(rng.integers(0, len(known) + 1))] + tail[: int(rng.integers(0, length + 1))]) or tail
