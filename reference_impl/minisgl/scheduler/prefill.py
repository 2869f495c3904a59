"""Admission: which waiting prompts, or chunks of prompts, make the next prefill batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from minisgl.core import Batch, Req
from minisgl.kvcache import CacheHandle
from minisgl.scheduler.cache import CacheManager
from minisgl.scheduler.decode import DecodeManager
from minisgl.scheduler.table import TableManager
from minisgl.scheduler.utils import ChunkedReq, PendingReq
from minisgl.utils import align_up, to_device


class Place(NamedTuple):
    """What an admitted request holds: a row, a locked match, and how much of its prompt is computed."""

    table_idx: int
    cache_handle: CacheHandle
    cached_len: int


@dataclass
class PrefillAdder:
    """One round of admission. Both sizes count tokens.

    reserved_size: slots that requests admitted before may still need. They are never given away, so that
    a running request always finds a page.
    """

    token_budget: int  # prompt tokens that this batch may still compute
    reserved_size: int
    cache_manager: CacheManager
    table_manager: TableManager

    def try_add_one(self, pending: PendingReq) -> Req | None:
        """The request, or as much of its prompt as the budget allows; None if it has to wait."""
        if self.token_budget <= 0:
            return None
        place = place_of(pending.chunked_req) if pending.chunked_req else self._admit(pending)
        return None if place is None else self._next_chunk(pending, place)

    def _admit(self, pending: PendingReq) -> Place | None:
        """Locks the cached prefix and takes a row, if all that the request may ever need is there."""
        if self.table_manager.available_size == 0:
            return None
        handle = self.cache_manager.match_req(pending.input_ids)
        needed = self.reserved_size + self._need(pending, handle.cached_len)
        if needed > self.cache_manager.available_size:
            return None
        self.cache_manager.lock(handle)
        if needed > self.cache_manager.available_size:  # what is locked now could be evicted before
            self.cache_manager.unlock(handle)
            return None
        row = self.table_manager.allocate()
        self.table_manager.page_table[row, : handle.cached_len] = handle.matched_indices
        return Place(row, handle, handle.cached_len)

    def _next_chunk(self, pending: PendingReq, place: Place) -> Req:
        row, handle, start = place
        end = min(start + self.token_budget, pending.input_len)
        self.token_budget -= end - start
        # for a chunk as well, in every round: the next one starts from the running requests' need alone
        self.reserved_size += self._need(pending, start)
        pool = self.table_manager.token_pool
        pool[row, start:end] = to_device(pending.input_ids[start:end], pool.device)
        kind = Req if end == pending.input_len else ChunkedReq
        return kind(
            input_ids=pending.input_ids[:end],
            table_idx=row,
            cached_len=start,
            output_len=pending.output_len,
            uid=pending.uid,
            sampling_params=pending.sampling_params,
            cache_handle=handle,
        )

    def _need(self, pending: PendingReq, cached_len: int) -> int:
        """Slots for the rest of its prompt and all of its output, in whole pages."""
        tokens = pending.input_len - cached_len + pending.output_len
        return align_up(tokens, self.cache_manager.page_size)


def place_of(chunk: ChunkedReq) -> Place:
    """Where a request goes on after a chunk."""
    assert chunk.cache_handle is not None
    return Place(chunk.table_idx, chunk.cache_handle, chunk.cached_len)


@dataclass
class PrefillManager:
    """The waiting requests, first come, first served; one whose prompt is half computed stands first."""

    cache_manager: CacheManager
    table_manager: TableManager
    decode_manager: DecodeManager
    pending_list: list[PendingReq] = field(default_factory=list)

    @property
    def runnable(self) -> bool:
        """True if somebody waits."""
        return bool(self.pending_list)

    def add_one_req(self, pending: PendingReq) -> None:
        """Puts a request at the end."""
        self.pending_list.append(pending)

    def schedule_next_batch(self, prefill_budget: int) -> Batch | None:
        """A batch of at most prefill_budget new tokens; who cannot be added holds up those behind."""
        adder = PrefillAdder(
            prefill_budget, self.decode_manager.inflight_tokens, self.cache_manager, self.table_manager
        )
        reqs: list[Req] = []
        chunked: list[PendingReq] = []
        for pending in self.pending_list:
            req = adder.try_add_one(pending)
            if req is None:
                break
            reqs.append(req)
            pending.chunked_req = req if isinstance(req, ChunkedReq) else None
            if pending.chunked_req:
                chunked.append(pending)
        self.pending_list = chunked + self.pending_list[len(reqs) :]
        return Batch(reqs, "prefill") if reqs else None

    def abort_req(self, uid: int) -> Req | None:
        """Forgets a waiting request; returns its last chunk, which holds a row and pages, if there is one."""
        for pending in self.pending_list:
            if pending.uid == uid:
                self.pending_list.remove(pending)
                return pending.chunked_req
        return None
