"""A set of buffers for each size: more memory, the same promise."""

import torch


class GraphHooks:
    def __init__(self):
        self.sets = None

    def init_capture_graph(self, max_seq_len, bs_list):
        if self.sets is not None:
            raise RuntimeError("buffers exist")
        self.sets = {}
        for bs in bs_list:
            self.sets[bs] = {
                "cu_seqlens_q": torch.tensor(list(range(bs + 1)), dtype=torch.int32),
                "cache_seqlens": torch.full((bs,), 1, dtype=torch.int32),
                "page_table": torch.full((bs, max_seq_len), 0, dtype=torch.int32),
                "max_seqlen_q": 1,
            }

    def prepare_for_capture(self, bs):
        if not self.sets or bs not in self.sets:
            raise ValueError(f"size {bs} was not announced")
        return dict(self.sets[bs])

    def prepare_for_replay(self, meta):
        bs = meta["cache_seqlens"].shape[0]
        if not self.sets or bs not in self.sets or meta["max_seqlen_q"] > 1:
            raise ValueError("there is no graph for this batch")
        mine = self.sets[bs]
        mine["cache_seqlens"][...] = meta["cache_seqlens"]
        mine["page_table"][:, : meta["page_table"].shape[1]] = meta["page_table"]
