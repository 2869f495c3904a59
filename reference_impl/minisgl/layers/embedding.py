"""The two ends of a decoder, split by vocabulary."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from minisgl.core import get_global_ctx
from minisgl.distributed import all_gather, all_reduce, get_tp_info
from minisgl.kernel import indexing
from minisgl.layers.base import BaseOP
from minisgl.utils import div_ceil


def vocab_shard(num_embeddings: int, rank: int, size: int) -> range:
    """The tokens of one rank: blocks of ceil(V / size); the last ones may be short, even empty."""
    block = div_ceil(num_embeddings, size)
    start = min(rank * block, num_embeddings)
    return range(start, min(start + block, num_embeddings))


class VocabParallelEmbedding(BaseOP):
    """Each rank looks up its own tokens and adds zeros for the others'."""

    def __init__(self, num_embeddings: int, embedding_dim: int) -> None:
        tp = get_tp_info()
        self._vocab = vocab_shard(num_embeddings, tp.rank, tp.size)
        self.weight = torch.empty(len(self._vocab), embedding_dim)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """int [T] gives [T, embedding_dim]."""
        return all_reduce(indexing(self.weight, ids, self._vocab))


class ParallelLMHead(BaseOP):
    """Logits of the tokens that a next one is sampled after; it may share the embedding's weight."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, tied_to: VocabParallelEmbedding | None = None
    ) -> None:
        tp = get_tp_info()
        self._num_embeddings, self._tp_size = num_embeddings, tp.size
        self._tied_to = tied_to
        if tied_to is None:
            shard = vocab_shard(num_embeddings, tp.rank, tp.size)
            self.weight = torch.empty(len(shard), embedding_dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[T, D] gives [bs, V]: prefill keeps each request's last row, decode has one row a request."""
        batch = get_global_ctx().batch
        if batch.is_prefill:
            x = x[batch.attn_metadata.get_last_indices(batch.size).long()]
        weight = self.weight if self._tied_to is None else self._tied_to.weight
        return self._gather(F.linear(x, weight))

    def _gather(self, logits: torch.Tensor) -> torch.Tensor:
        """[bs, this rank's tokens] gives [bs, V]."""
        if self._tp_size == 1:
            return logits
        block = div_ceil(self._num_embeddings, self._tp_size)
        parts = all_gather(F.pad(logits, (0, block - logits.shape[1])))  # [size, bs, block]
        return parts.transpose(0, 1).flatten(1)[:, : self._num_embeddings]
