"""From logits to tokens: one set of parameters a row, the whole batch at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from minisgl.utils import to_device

if TYPE_CHECKING:
    from minisgl.core import Batch, SamplingParams

MIN_TEMPERATURE = MIN_TOP_P = 1e-6  # a division by zero, and a top-p that keeps nothing


@dataclass
class BatchSamplingArgs:
    """The parameters of a batch's real requests, [bs] each; None where no request asks for it."""

    temperatures: torch.Tensor | None = None  # float32; None: all are greedy
    top_k: torch.Tensor | None = None  # int32, in [1, vocab_size]
    top_p: torch.Tensor | None = None  # float32, in (0, 1]


class Sampler:
    """Draws from a generator of its own: ranks with one seed draw the same."""

    def __init__(self, vocab_size: int, device: torch.device, seed: int) -> None:
        self.vocab_size, self.device = vocab_size, device
        self._generator = torch.Generator(device).manual_seed(seed)

    def prepare(self, batch: Batch) -> BatchSamplingArgs:
        """Packs the parameters of batch.reqs."""
        params = [req.sampling_params for req in batch.reqs]
        if all(p.is_greedy for p in params):
            return BatchSamplingArgs()
        temperatures = [max(p.temperature, MIN_TEMPERATURE) for p in params]
        args = BatchSamplingArgs(self._pack(temperatures, torch.float32))
        top_k = [self._top_k(p) for p in params]
        if min(top_k) < self.vocab_size:
            args.top_k = self._pack(top_k, torch.int32)
        if min(p.top_p for p in params) < 1:
            top_p = [min(max(p.top_p, MIN_TOP_P), 1.0) for p in params]
            args.top_p = self._pack(top_p, torch.float32)
        return args

    def sample(self, logits: torch.Tensor, args: BatchSamplingArgs) -> torch.Tensor:
        """logits [bs, V] give the next tokens, int32 [bs]."""
        if args.temperatures is None:
            return logits.argmax(dim=-1).int()
        u = torch.rand(len(logits), device=self.device, generator=self._generator)
        return sample_tokens(logits, args.temperatures, args.top_k, args.top_p, u).int()

    def _top_k(self, params: SamplingParams) -> int:
        if params.temperature <= 0:
            return 1
        return params.top_k if 1 <= params.top_k < self.vocab_size else self.vocab_size

    def _pack(self, values: list[float] | list[int], dtype: torch.dtype) -> torch.Tensor:
        return to_device(torch.tensor(values, dtype=dtype), self.device)


def sample_tokens(
    logits: torch.Tensor,
    temperatures: torch.Tensor,
    top_k: torch.Tensor | None,
    top_p: torch.Tensor | None,
    u: torch.Tensor,
) -> torch.Tensor:
    """One token for each row of logits [bs, V], int64 [bs]; u: float32 [bs] in [0, 1) decides which.

    Temperature, then top-k, renormalised, then top-p: the order of FlashInfer's top-k-first kernel.
    """
    probs = (logits.float() / temperatures.unsqueeze(1)).softmax(dim=-1)
    if top_k is None and top_p is None:
        return draw(probs, u)
    probs, tokens = probs.sort(dim=-1, descending=True, stable=True)
    if top_k is not None:
        probs = cut_top_k(probs, top_k)
    if top_p is not None:
        probs = cut_top_p(probs / probs.sum(dim=-1, keepdim=True), top_p)
    return tokens.gather(1, draw(probs, u).unsqueeze(1)).squeeze(1)


def cut_top_k(probs: torch.Tensor, top_k: torch.Tensor) -> torch.Tensor:
    """Zero after the first top_k [bs] of sorted probs [bs, V]; not renormalised."""
    ranks = torch.arange(probs.shape[1], device=probs.device)
    return probs.masked_fill(ranks >= top_k.unsqueeze(1), 0)


def cut_top_p(probs: torch.Tensor, top_p: torch.Tensor) -> torch.Tensor:
    """Zero where those before sum to top_p [bs] already, in sorted probs [bs, V]; not renormalised."""
    before = probs.cumsum(dim=-1) - probs
    return probs.masked_fill(before >= top_p.unsqueeze(1), 0)


def draw(probs: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """int64 [bs]: where the running sum of probs [bs, V], which need not sum to 1, passes u of the whole."""
    sums = probs.cumsum(dim=-1)
    passed = sums > u.unsqueeze(1) * sums[:, -1:]
    # a parallel sum may wobble by rounding: what was cut must not be hit for all that
    return (passed & (probs > 0)).int().argmax(dim=-1)
