"""The loop: admit, prepare, launch, look at what came out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch

from minisgl.core import Batch, Req, SamplingParams
from minisgl.engine import BatchSamplingArgs, Engine, ForwardOutput
from minisgl.scheduler.cache import CacheManager
from minisgl.scheduler.config import SchedulerConfig
from minisgl.scheduler.decode import DecodeManager
from minisgl.scheduler.prefill import PrefillManager
from minisgl.scheduler.table import TableManager
from minisgl.scheduler.utils import ChunkedReq, PendingReq
from minisgl.utils import init_logger, to_device

logger = init_logger(__name__)
Cells = tuple[torch.Tensor, torch.Tensor]  # int64 rows and columns of page table and token pool


class ForwardInput(NamedTuple):
    """A prepared batch: where its tokens are read, and where the sampled ones are written."""

    batch: Batch
    sample_args: BatchSamplingArgs
    read: Cells  # [T], dummies included
    write: Cells  # [bs], real requests only


class InFlight(NamedTuple):
    """A batch that was launched and whose tokens nobody has looked at."""

    batch: Batch
    output: ForwardOutput


class NextToken(NamedTuple):
    """One token of one request, for the outside."""

    uid: int
    token: int
    finished: bool


class Scheduler:
    """Prefill before decode. With overlap, batch n + 1 is launched before the tokens of batch n are seen.

    A request that ends by a token, not by its length, is then in one batch too many: what that batch says
    of it is dropped.
    """

    def __init__(self, config: SchedulerConfig, weights: Iterable[tuple[str, torch.Tensor]]) -> None:
        self.config = config
        self.engine = Engine(config, weights)
        page_table = self.engine.page_table
        self.table_manager = TableManager(config.max_running_req, page_table)
        self.cache_manager = CacheManager(config.num_pages, config.page_size, page_table, config.cache_type)
        self.decode_manager = DecodeManager(config.page_size)
        self.prefill_manager = PrefillManager(self.cache_manager, self.table_manager, self.decode_manager)
        self.in_flight: InFlight | None = None
        self.finished_reqs: set[Req] = set()  # by the last batch seen; the one in flight may hold them
        self.aborted_reqs: set[Req] = set()  # while in flight

    @property
    def idle(self) -> bool:
        """True if nothing waits, runs or is in flight."""
        return not (self.prefill_manager.runnable or self.decode_manager.runnable or self.in_flight)

    def new_request(self, uid: int, input_ids: torch.Tensor, params: SamplingParams) -> PendingReq:
        """Of a prompt, int32 [n] on the CPU; max_tokens is cut to what fits. ValueError if nothing does."""
        room = self.engine.max_seq_len - len(input_ids)
        if len(input_ids) < 1 or room < 1:
            raise ValueError(
                f"a prompt has 1 to {self.engine.max_seq_len - 1} tokens here, got {len(input_ids)}"
            )
        if params.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, got {params.max_tokens}")
        if params.max_tokens > room:
            logger.warning("request %d: max_tokens %d cut to %d", uid, params.max_tokens, room)
        return PendingReq(uid, input_ids, params, output_len=min(params.max_tokens, room))

    def add_request(self, request: PendingReq) -> None:
        """Queues a request, whose uid no other one has that is not over."""
        self.prefill_manager.add_one_req(request)

    def abort(self, uid: int) -> None:
        """Ends a request; no more tokens come. What a batch in flight still uses is freed after it."""
        req = self.prefill_manager.abort_req(uid) or self.decode_manager.abort_req(uid)
        flying = self.in_flight.batch.reqs if self.in_flight else []
        self.aborted_reqs |= {r for r in flying if r.uid == uid and r not in self.finished_reqs}
        if req is not None and req not in flying:
            self._free_req(req)

    def step(self) -> list[NextToken]:
        """Launches a batch, then looks at one: the same or, with overlap, the one before."""
        launched = self._launch_next()
        if self.config.overlap:
            done, self.in_flight = self.in_flight, launched
        else:
            done = launched
        return [] if done is None else self._process(done)

    def shutdown(self) -> None:
        """Ends the engine."""
        self.engine.shutdown()

    def _launch_next(self) -> InFlight | None:
        batch = (
            self.prefill_manager.schedule_next_batch(self.config.max_extend_tokens)
            or self.decode_manager.schedule_next_batch()
        )
        return None if batch is None else self._forward(self._prepare_batch(batch))

    def _prepare_batch(self, batch: Batch) -> ForwardInput:
        self.engine.graph_runner.pad_batch(batch)
        self.cache_manager.allocate_paged(batch.reqs)
        device = self.engine.device
        rows, columns = (to_device(cells, device) for cells in cells_of_new_tokens(batch.padded_reqs))
        batch.positions = columns.int()
        batch.out_loc = self.engine.page_table[rows, columns]
        self.engine.attn_backend.prepare_metadata(batch)
        write_rows, write_columns = (to_device(cells, device) for cells in cells_of_next_tokens(batch.reqs))
        args = self.engine.sampler.prepare(batch)
        return ForwardInput(batch, args, (rows, columns), (write_rows, write_columns))

    def _forward(self, prepared: ForwardInput) -> InFlight:
        batch, sample_args, read, write = prepared
        token_pool = self.table_manager.token_pool
        batch.input_ids = token_pool[read]
        output = self.engine.forward_batch(batch, sample_args)
        token_pool[write] = output.next_tokens
        self.decode_manager.filter_reqs(batch.reqs)
        return InFlight(batch, output)

    def _process(self, done: InFlight) -> list[NextToken]:
        """Books the tokens of a batch; who has finished hands everything back."""
        replies, gone = [], set()
        with self.cache_manager.lazy_free():
            for req, token in zip(done.batch.reqs, done.output.wait(), strict=True):
                if req in self.finished_reqs:  # the batch too many
                    continue
                if req in self.aborted_reqs:
                    finished = True
                elif isinstance(req, ChunkedReq):
                    continue
                else:
                    req.append_host(token.view(1))
                    finished = self._has_finished(req)
                    replies.append(NextToken(req.uid, int(token), finished))
                if finished:
                    self._free_req(req)
                    gone.add(req)
                elif done.batch.is_prefill:
                    self.cache_manager.cache_req(req, finished=False)
        self.finished_reqs = gone
        self.aborted_reqs -= gone
        return replies

    def _has_finished(self, req: Req) -> bool:
        """By its ids alone: with overlap the lengths are one step ahead of them."""
        if len(req.input_ids) == req.max_device_len:
            return True
        last = int(req.input_ids[-1])
        return last in self.config.eos_token_ids and not req.sampling_params.ignore_eos

    def _free_req(self, req: Req) -> None:
        self.decode_manager.remove_req(req)
        self.table_manager.free(req.table_idx)
        self.cache_manager.cache_req(req, finished=True)


def cells_of_new_tokens(reqs: list[Req]) -> Cells:
    """Row and position of each token that the batch computes, request after request."""
    rows = torch.tensor([req.table_idx for req in reqs])
    lengths = torch.tensor([req.extend_len for req in reqs])
    columns = torch.cat([torch.arange(req.cached_len, req.device_len) for req in reqs])
    return rows.repeat_interleave(lengths), columns


def cells_of_next_tokens(reqs: list[Req]) -> Cells:
    """Where each request's sampled token goes: behind its last, or into the last column if it is not wanted.

    That column is no prompt's, and the token that belongs there is a request's last, which nobody reads.
    """
    columns = [req.device_len if req.can_decode else -1 for req in reqs]
    return torch.tensor([req.table_idx for req in reqs]), torch.tensor(columns)
