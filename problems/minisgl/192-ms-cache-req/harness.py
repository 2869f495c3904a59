"""A plain prefix cache that writes down who calls it, and requests to hand over to it; the comparison is made elsewhere."""

from __future__ import annotations

import hashlib
from typing import Any

import solution
import torch


class Handle:
    """What a match lends; ``number`` tells handles apart."""

    def __init__(self, number: int, slots: list[int]) -> None:
        self.number, self.cached_len = number, len(slots)
        self.matched_indices = torch.tensor(slots, dtype=torch.int32)


class Cache:
    """Prefixes by their tokens, in whole pages; nothing is ever evicted."""

    def __init__(self, page_size: int, log: list[Any]) -> None:
        self.page_size, self.log = page_size, log
        self.pages: dict[tuple[int, ...], list[int]] = {}
        self.handles = 0

    def match(self, ids: list[int]) -> Handle:
        """The longest cached prefix."""
        slots: list[int] = []
        while (page := self.pages.get(tuple(ids[: len(slots) + self.page_size]))) is not None:
            slots += page
            if len(slots) + self.page_size > len(ids):
                break
        self.handles += 1
        return Handle(self.handles, slots)

    def insert_prefix(self, input_ids: torch.Tensor, indices: torch.Tensor) -> tuple[int, Handle]:
        """Keeps the slots of pages that are not cached yet."""
        self.log.append(["insert", str(indices.dtype), input_ids.tolist(), indices.tolist()])
        ids, slots = input_ids.tolist(), indices.tolist()
        known = self.match(ids).cached_len
        self.handles -= 1
        for start in range(known, len(ids) - self.page_size + 1, self.page_size):
            end = start + self.page_size
            self.pages[tuple(ids[:end])] = slots[start:end]
        return known, self.match(ids)

    def lock(self, handle: Handle) -> None:
        """Noted."""
        self.log.append(["lock", handle.number])

    def unlock(self, handle: Handle) -> None:
        """Noted."""
        self.log.append(["unlock", handle.number])


class Request:
    """What cache_req is told about a request."""

    def __init__(self, ids: list[int], row: torch.Tensor, handle: Handle) -> None:
        self.input_ids, self.cached_len = torch.tensor(ids, dtype=torch.int32), len(ids)
        self.row, self.handle = row, handle


def request(ids: list[int], row: torch.Tensor, handle: Handle) -> Request:
    """One of a class called by its tokens, so that `judge check` can tell calls with different ones apart."""
    digest = hashlib.sha256(repr(ids).encode()).hexdigest()[:12]
    made: Request = type(f"Request{digest}", (Request,), {})(ids, row, handle)
    return made


class World:
    """Requests by number, their rows, and slots that are given out once."""

    def __init__(self, page_size: int) -> None:
        self.log: list[Any] = []
        self.cache, self.reqs = Cache(page_size, self.log), {}
        self.next_page, self.page_size = 1, page_size

    def admit(self, uid: int, ids: list[int]) -> None:
        """Matches and locks what is cached of all but the last token, and computes the others."""
        handle = self.cache.match(ids[:-1])
        row = torch.full((len(ids) + 40,), -1, dtype=torch.int32)
        row[: handle.cached_len] = handle.matched_indices
        req = request(ids, row, handle)
        self.fill(req, handle.cached_len)
        self.reqs[uid] = req

    def fill(self, req: Any, start: int) -> None:
        """Writes new pages for the tokens from ``start`` on, each page up to its end."""
        for place in range(-(-start // self.page_size) * self.page_size, req.cached_len, self.page_size):
            first = self.next_page * self.page_size
            req.row[place : place + self.page_size] = torch.arange(first, first + self.page_size)
            self.next_page += 1

    def token(self, uid: int, ids: list[int]) -> None:
        """Tokens that were sampled and have no KV yet."""
        req = self.reqs[uid]
        req.input_ids = torch.cat([req.input_ids, torch.tensor(ids, dtype=torch.int32)])

    def compute(self, uid: int) -> None:
        """All tokens have their KV now."""
        req = self.reqs[uid]
        start, req.cached_len = req.cached_len, len(req.input_ids)
        self.fill(req, start)

    def hand_over(self, uid: int, finished: bool) -> list[Any]:
        """Calls cache_req, and tells what happened and how the request is now."""
        req = self.reqs[uid]

        def free(slots: torch.Tensor) -> None:
            self.log.append(["free", slots.tolist()])

        self.log.clear()
        result = solution.cache_req(self.cache, req, finished, free)
        events, row = [list(event) for event in self.log], req.row.tolist()
        return [result, events, row, req.handle.number, [req.input_ids.tolist(), req.cached_len]]


def replay(page_size: int, runs: list[list[dict[str, Any]]]) -> list[list[Any]]:
    """Every run in a world of its own; only hand-overs have something to tell."""
    results = []
    for run in runs:
        world, found = World(page_size), []
        for step in run:
            arguments = {name: value for name, value in step.items() if name != "op"}
            found.append(getattr(world, step["op"])(**arguments))
        results.append(found)
    return results
