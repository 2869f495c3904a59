"""What an allocator must do, in lists of Python integers, and random operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from judge.grading.author import check
from judge.grading.seeds import Rng
from judge.grading.stateful import Impossible, Step

EMPTY = -1


def ceil_div(length: int, page_size: int) -> int:
    """Pages that hold ``length`` tokens."""
    return -(-length // page_size)


class Pages:
    """The model. Pages are numbered 0 .. num_pages - 1; page p holds the slots p * page_size onwards."""

    def __init__(self, num_pages: int, page_size: int, rows: int, width: int) -> None:
        self.total, self.page_size, self.width = num_pages, page_size, width
        self.free_pages = list(range(num_pages))
        self.table = [[EMPTY] * width for _ in range(rows)]
        self.lens = [0] * rows
        self.waiting: list[list[int]] = []  # a list for each open region

    # --- what is asked of it ---

    def take(self, step: Step) -> dict[str, Any]:
        """What there is to see after ``step``."""
        arguments = {name: value for name, value in step.items() if name != "op"}
        raised, value = "", None
        try:
            value = getattr(self, step["op"])(**arguments)
        except MemoryError:
            raised = "MemoryError"
        table = [list(row) for row in self.table]
        return {"raised": raised, "value": value, "available": self.available, "table": table}

    @property
    def available(self) -> int:
        """Slots in free pages."""
        return len(self.free_pages) * self.page_size

    def allocate(self, reqs: list[list[int]]) -> None:
        """Whole pages for each request in turn, all or none."""
        self.require([self.lens[row] == start < end <= self.width for row, start, end in reqs])
        self.require([len({row for row, _, _ in reqs}) == len(reqs)])
        if sum(self.count(start, end) for _, start, end in reqs) > len(self.free_pages):
            raise MemoryError
        for req in reqs:
            self.extend(*req)

    def extend(self, row: int, start: int, end: int) -> None:
        """New pages for one request."""
        place = self.first_page(start) * self.page_size
        for _ in range(self.count(start, end)):
            page = self.next_page()
            for offset in range(self.page_size):
                if place + offset < self.width:
                    self.table[row][place + offset] = self.slot(page, offset)
            place += self.page_size
        self.lens[row] = end

    def out_loc(self, reqs: list[list[int]]) -> list[Any]:
        """dtype and slots of tokens that have some."""
        self.require([start < end <= self.lens[row] for row, start, end in reqs])
        return ["torch.int32", [slot for row, start, end in reqs for slot in self.table[row][start:end]]]

    def free(self, row: int, start: int, end: int) -> None:
        """The pages that begin in these cells, which are cleared."""
        self.require([start % self.page_size == 0, start < end == self.lens[row]])
        pages = self.heads(self.table[row][start:end])
        self.table[row][start:end] = [EMPTY] * (end - start)
        self.lens[row] = start
        if self.waiting:
            self.waiting[0].extend(pages)
        else:
            self.free_pages.extend(pages)

    def enter(self) -> None:
        """A lazy region begins."""
        self.require([len(self.waiting) < 3])
        self.waiting.append([])

    def leave(self) -> bool:
        """The innermost region ends; no exception is swallowed."""
        self.require([bool(self.waiting)])
        freed = self.waiting.pop()
        if not self.waiting:
            self.free_pages.extend(freed)
        return False

    def leave_by_error(self) -> bool:
        """As `leave`, by an exception."""
        return Pages.leave(self)

    # --- where mistakes are made ---

    def first_page(self, start: int) -> int:
        """Which page of the row is the first new one."""
        return ceil_div(start, self.page_size)

    def count(self, start: int, end: int) -> int:
        """New pages of one request."""
        return ceil_div(end, self.page_size) - ceil_div(start, self.page_size)

    def next_page(self) -> int:
        """The page that was free longest."""
        return self.free_pages.pop(0)

    def slot(self, page: int, offset: int) -> int:
        """What is written for a token of a page."""
        return page * self.page_size + offset

    def heads(self, slots: list[int]) -> list[int]:
        """The pages that begin among ``slots``."""
        return [slot // self.page_size for slot in slots if slot % self.page_size == 0]

    def require(self, conditions: list[bool]) -> None:
        """Leaves out a step that breaks what the statement guarantees."""
        if not all(conditions):
            raise Impossible

    # --- what a difference is called ---

    def verify(self, step: Step, got: dict[str, Any], want: dict[str, Any]) -> None:
        """Compares what can be seen after a step, invariants by name first."""
        op = step["op"]
        if got["raised"] != want["raised"]:
            mistake = "refuses-though-enough" if got["raised"] else "no-memory-error"
            check.equal(got["raised"], want["raised"], field=op, mistake=mistake)
        if got["table"] != want["table"]:
            twice = self._owned_twice(got["table"])
            mistake = (
                "page-owned-twice" if twice else "changed-by-failure" if want["raised"] else "table-wrong"
            )
            check.equal(got["table"], want["table"], field="page_table", mistake=mistake)
        value = (
            "out-loc-wrong" if op == "out_loc" else "exception-swallowed" if op.startswith("leave") else ""
        )
        if op == "out_loc" and isinstance(got["value"], list) and got["value"][:1] != want["value"][:1]:
            value = "out-loc-dtype"
        check.equal(got["value"], want["value"], field=op, mistake=value or "returns-something")
        short = isinstance(got["available"], int) and got["available"] < want["available"]
        mistake = "pages-lost" if short else "pages-gained"
        check.equal(got["available"], want["available"], field="available_size", mistake=mistake)

    def _owned_twice(self, table: list[list[int]]) -> bool:
        owned = [slot for row, end in zip(table, self.lens, strict=True) for slot in row[:end] if slot >= 0]
        return len(set(owned)) < len(owned)


def drawer(rng: Rng, *, lazy: bool = False) -> Callable[[Pages], Step]:
    """Draws steps that fit the state: mostly growing requests, sometimes to the last page or beyond it."""
    ops = (
        ["allocate"] * 5 + ["free"] * 2 + ["out_loc"] + (["enter", "leave", "leave_by_error"] if lazy else [])
    )

    def draw(model: Pages) -> Step:
        op = rng.pick(ops)
        count = int(rng.integers(1, min(3, len(model.lens)) + 1))
        rows = [int(row) for row in rng.permutation(len(model.lens))[:count]]
        if op == "allocate":
            return {"op": op, "reqs": [[row, model.lens[row], _grown(rng, model, row)] for row in rows]}
        if op == "out_loc":
            return {"op": op, "reqs": [[row, *_span(rng, model.lens[row])] for row in rows]}
        if op == "free":
            start = int(rng.integers(0, model.lens[rows[0]] // model.page_size + 1)) * model.page_size
            return {"op": op, "row": rows[0], "start": start, "end": model.lens[rows[0]]}
        return {"op": op}

    return draw


def _grown(rng: Rng, model: Pages, row: int) -> int:
    most = min(model.width, model.lens[row] + 2 * model.page_size + 2)
    return int(rng.integers(min(model.lens[row] + 1, most), most + 1))


def _span(rng: Rng, length: int) -> list[int]:
    start = int(rng.integers(0, max(1, length)))
    return [start, int(rng.integers(start, length + 1))]
