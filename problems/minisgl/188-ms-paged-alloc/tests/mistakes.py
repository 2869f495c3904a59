"""Allocators that each make one mistake: the one that answers as a submission does names what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .pages import EMPTY, Pages, ceil_div


class FloorFirst(Pages):
    """The partly filled last page is replaced by a new one."""

    def first_page(self, start: int) -> int:
        return start // self.page_size

    def count(self, start: int, end: int) -> int:
        return ceil_div(end, self.page_size) - start // self.page_size


class CeilOfExtend(Pages):
    """Pages are counted from the number of new tokens alone."""

    def count(self, start: int, end: int) -> int:
        return ceil_div(end - start, self.page_size)


class FloorLast(Pages):
    """The last page is rounded down."""

    def count(self, start: int, end: int) -> int:
        return max(0, end // self.page_size - ceil_div(start, self.page_size))


class AllPages(Pages):
    """The pages that are there already are counted again."""

    def count(self, start: int, end: int) -> int:
        return ceil_div(end, self.page_size)


class Shifted(Pages):
    """Division by a shift."""

    def count(self, start: int, end: int) -> int:
        shift, up = self.page_size.bit_length() - 1, self.page_size - 1
        return (end + up >> shift) - (start + up >> shift)


class OneByOne(Pages):
    """Requests before the one that finds too few pages keep theirs."""

    def allocate(self, reqs: list[list[int]]) -> None:
        for row, start, end in reqs:
            if self.count(start, end) > len(self.free_pages):
                raise MemoryError
            self.extend(row, start, end)


class TakenBeforeCheck(OneByOne):
    """Pages are taken off the list one at a time until it is empty."""

    def allocate(self, reqs: list[list[int]]) -> None:
        taken = []
        for _row, start, end in reqs:
            for _ in range(self.count(start, end)):
                if not self.free_pages:
                    raise MemoryError
                taken.append(self.free_pages.pop(0))
        self.free_pages[:0] = taken
        super().allocate(reqs)


class Stack(Pages):
    """The page freed last is taken first."""

    def next_page(self) -> int:
        return self.free_pages.pop()


class EqualRefused(Pages):
    """The last free pages are never given out."""

    def allocate(self, reqs: list[list[int]]) -> None:
        if sum(self.count(start, end) for _, start, end in reqs) >= len(self.free_pages):
            raise MemoryError
        super().allocate(reqs)


class PageIds(Pages):
    """The table holds page numbers."""

    def slot(self, page: int, offset: int) -> int:
        return page

    def heads(self, slots: list[int]) -> list[int]:
        return [slot for slot in slots if slot % self.page_size == 0]


class TokensOnly(Pages):
    """Only cells of tokens that exist are written, so that a page's other cells stay empty."""

    def extend(self, row: int, start: int, end: int) -> None:
        before = self.table[row][end:]
        super().extend(row, start, end)
        self.table[row][end:] = before


class EveryToken(Pages):
    """Each freed slot gives its page back once more."""

    def heads(self, slots: list[int]) -> list[int]:
        return [slot // self.page_size for slot in slots]


class ListPosition(Pages):
    """Row i of the table is taken for request i."""

    def extend(self, row: int, start: int, end: int) -> None:
        super().extend(self.place, start, end)
        self.place += 1

    def allocate(self, reqs: list[list[int]]) -> None:
        self.place = 0
        lens = list(self.lens)
        super().allocate(reqs)
        self.lens = lens
        for row, _, end in reqs:
            self.lens[row] = end


class Viewed(Pages):
    """Freed pages are views of the row, which is cleared."""

    def heads(self, slots: list[int]) -> list[int]:
        return [EMPTY / self.page_size for slot in slots if slot % self.page_size == 0]  # type: ignore[misc]

    def slot(self, page: int, offset: int) -> int:
        return round(page * self.page_size) + offset


class Eager(Pages):
    """What is freed inside a region is free at once."""

    def free(self, row: int, start: int, end: int) -> None:
        waiting, self.waiting = self.waiting, []
        super().free(row, start, end)
        self.waiting = waiting


class LostByError(Pages):
    """What was freed in a region that an exception ends is lost."""

    def leave_by_error(self) -> bool:
        self.require([bool(self.waiting)])
        if len(self.waiting) == 1:
            self.waiting[0].clear()
        return super().leave_by_error()


class InnerReleases(Pages):
    """The end of an inner region makes everything available."""

    def leave(self) -> bool:
        self.require([bool(self.waiting)])
        self.free_pages.extend(self.waiting[0])
        self.waiting[0].clear()
        return super().leave()

    def leave_by_error(self) -> bool:
        return self.leave()


class InnerForgets(Pages):
    """An inner region begins with an empty list and takes the outer one's with it."""

    def enter(self) -> None:
        super().enter()
        self.waiting[0].clear()


KNOWN: Mapping[str, Callable[..., Pages]] = {
    "floor-first-page": FloorFirst,
    "ceil-of-extend": CeilOfExtend,
    "power-of-two": Shifted,
    "floor-last-page": FloorLast,
    "all-pages": AllPages,
    "not-atomic": OneByOne,
    "taken-before-check": TakenBeforeCheck,
    "last-in-first-out": Stack,
    "equality-refused": EqualRefused,
    "page-numbers": PageIds,
    "tokens-only": TokensOnly,
    "frees-every-token": EveryToken,
    "row-by-position": ListPosition,
    "keeps-a-view": Viewed,
    "not-lazy": Eager,
    "lost-by-exception": LostByError,
    "inner-releases": InnerReleases,
    "inner-forgets": InnerForgets,
}
COUNTS = {
    "floor-first-page": FloorFirst,
    "ceil-of-extend": CeilOfExtend,
    "floor-last-page": FloorLast,
    "all-pages": AllPages,
    "power-of-two": Shifted,
}
