# expects: capture-cu_seqlens_q
"""cu_seqlens_q has one entry for each request."""

from __future__ import annotations

from typing import Any

import torch


class GraphHooks:
    """What an attention backend keeps for captured decodes."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def init_capture_graph(self, max_seq_len: int, bs_list: list[int]) -> None:
        """Makes the buffers for graphs of the sizes in bs_list."""
        if self.sizes:
            raise RuntimeError("called before: captured graphs hold the buffers")
        self.sizes = list(bs_list)
        most = max(bs_list)
        self.seq_lens = torch.ones(most, dtype=torch.int32)
        self.cu_seqlens_q = torch.arange(most + 1, dtype=torch.int32)
        self.page_table = torch.zeros(most, max_seq_len, dtype=torch.int32)

    def prepare_for_capture(self, bs: int) -> dict[str, Any]:
        """The metadata that the graph of size bs is recorded with: slices of the buffers."""
        self.check(bs)
        return {
            "cu_seqlens_q": self.cu_seqlens_q[:bs],
            "cache_seqlens": self.seq_lens[:bs],
            "page_table": self.page_table[:bs],
            "max_seqlen_q": 1,
        }

    def prepare_for_replay(self, meta: dict[str, Any]) -> None:
        """Puts a batch's metadata where its graph will read."""
        lens, table = meta["cache_seqlens"], meta["page_table"]
        self.check(len(lens))
        if meta["max_seqlen_q"] != 1:
            raise ValueError("only a decode can be replayed")
        self.seq_lens[: len(lens)].copy_(lens)
        self.page_table[: len(lens), : table.shape[1]].copy_(table)

    def check(self, bs: int) -> None:
        """ValueError where there is no graph of this size."""
        if bs not in self.sizes:
            raise ValueError(f"no graph for {bs} requests; sizes: {self.sizes}")
