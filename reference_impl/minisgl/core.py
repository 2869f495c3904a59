"""What the whole engine shares: a request, a batch of requests, and the context that a forward pass runs in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import torch

if TYPE_CHECKING:
    from minisgl.attention.base import BaseAttnBackend, BaseAttnMetadata
    from minisgl.kvcache.base import BaseKVCache, CacheHandle


@dataclass
class SamplingParams:
    """How one request picks its tokens; top_k < 1 and top_p == 1 mean no cut."""

    temperature: float = 0.0
    top_k: int = -1
    top_p: float = 1.0
    ignore_eos: bool = False
    max_tokens: int = 1024

    @property
    def is_greedy(self) -> bool:
        """True if the most likely token is always taken."""
        return (self.temperature <= 0 or self.top_k == 1) and self.top_p == 1.0


@dataclass(eq=False)  # compared and hashed by identity: two requests with one prompt are still two
class Req:
    """One request. All lengths count tokens: 0 <= cached_len < device_len <= max_device_len.

    input_ids: int32 [device_len] on the CPU; table_idx: its row of the page table.
    """

    input_ids: torch.Tensor
    table_idx: int
    cached_len: int  # tokens whose K and V are in the pool
    output_len: int  # tokens it may still generate
    uid: int
    sampling_params: SamplingParams
    cache_handle: CacheHandle | None  # what the prefix cache lent out
    device_len: int = field(init=False)  # tokens it has after the current step
    max_device_len: int = field(init=False)

    def __post_init__(self) -> None:
        if self.input_ids.device.type != "cpu":
            raise ValueError(f"input_ids must lie on the CPU, not on {self.input_ids.device}")
        self.device_len = len(self.input_ids)
        self.max_device_len = self.device_len + self.output_len
        if not 0 <= self.cached_len < self.device_len <= self.max_device_len:
            raise ValueError(
                f"need 0 <= cached_len < device_len <= max_device_len, got "
                f"{self.cached_len}, {self.device_len}, {self.max_device_len}"
            )

    @property
    def extend_len(self) -> int:
        """Tokens whose K and V this step computes."""
        return self.device_len - self.cached_len

    @property
    def remain_len(self) -> int:
        """Tokens it may still grow by."""
        return self.max_device_len - self.device_len

    @property
    def can_decode(self) -> bool:
        """True while it may be given another token."""
        return self.remain_len > 0

    def complete_one(self) -> None:
        """Books the step that ran: all its tokens are cached, and one more is coming."""
        self.cached_len = self.device_len
        self.device_len += 1

    def append_host(self, next_token: torch.Tensor) -> None:
        """Adds the sampled token ([1], CPU) to the ids; lengths were booked by complete_one."""
        self.input_ids = torch.cat([self.input_ids, next_token.to(self.input_ids.dtype)])


@dataclass
class Batch:
    """Requests that share one forward pass; T is the number of their new tokens, padding included."""

    reqs: list[Req]
    phase: Literal["prefill", "decode"]
    padded_reqs: list[Req] = field(init=False)  # reqs, then the dummies that fill a captured size
    input_ids: torch.Tensor = field(init=False)  # int32 [T]
    positions: torch.Tensor = field(init=False)  # int32 [T]
    out_loc: torch.Tensor = field(init=False)  # int32 [T], slots that the new K and V go to
    attn_metadata: BaseAttnMetadata = field(init=False)

    def __post_init__(self) -> None:
        self.padded_reqs = self.reqs

    @property
    def is_prefill(self) -> bool:
        """True in the prefill phase, whatever the lengths are."""
        return self.phase == "prefill"

    @property
    def is_decode(self) -> bool:
        """True in the decode phase."""
        return self.phase == "decode"

    @property
    def size(self) -> int:
        """Number of real requests."""
        return len(self.reqs)

    @property
    def padded_size(self) -> int:
        """Number of requests including dummies."""
        return len(self.padded_reqs)


@dataclass
class Context:
    """What layers reach without being handed it. page_table: int32 [rows, width] of token slots."""

    page_size: int
    kv_cache: BaseKVCache = field(init=False)
    page_table: torch.Tensor = field(init=False)
    attn_backend: BaseAttnBackend = field(init=False)
    _batch: Batch | None = field(init=False, default=None)

    @property
    def batch(self) -> Batch:
        """The batch of the forward pass that is running; RuntimeError outside of one."""
        if self._batch is None:
            raise RuntimeError("no forward pass is running: use `with ctx.forward_batch(batch)`")
        return self._batch

    @contextmanager
    def forward_batch(self, batch: Batch) -> Iterator[None]:
        """Makes batch the current one; passes do not nest."""
        if self._batch is not None:
            raise RuntimeError("a forward pass is already running")
        self._batch = batch
        try:
            yield
        finally:
            self._batch = None


_global_ctx: Context | None = None


def set_global_ctx(ctx: Context) -> None:
    """Sets the process's one context; RuntimeError if there is one already."""
    global _global_ctx
    if _global_ctx is not None:
        raise RuntimeError("the global context is set already: call reset_global_ctx() first")
    _global_ctx = ctx


def get_global_ctx() -> Context:
    """The context; RuntimeError before set_global_ctx."""
    if _global_ctx is None:
        raise RuntimeError("the global context is not set: call set_global_ctx(Context(...)) first")
    return _global_ctx


def reset_global_ctx() -> None:
    """Forgets the context, as an engine does on shutdown."""
    global _global_ctx
    _global_ctx = None
