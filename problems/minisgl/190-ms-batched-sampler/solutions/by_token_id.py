"""Masks in the order of token ids: the inverse of the distribution function runs over the vocabulary as it is."""

import torch


def sample_batch(logits, temperature, top_k, top_p, u):
    rows, vocab = logits.shape
    x = logits.to(torch.float64) / torch.where(temperature > 1e-6, temperature.double(), 1e-6)[:, None]
    order = torch.argsort(x, dim=1, descending=True, stable=True)
    rank = torch.empty_like(order).scatter_(1, order, torch.arange(vocab).expand(rows, vocab))
    k = torch.where((top_k > 0) & (top_k < vocab), top_k, vocab)
    k = torch.where(temperature > 0, k, 1)
    x = torch.where(rank < k[:, None], x, -torch.inf)
    probs = torch.softmax(x, dim=1)
    ordered = probs.gather(1, order)
    kept = torch.zeros_like(ordered, dtype=torch.bool)
    kept[:, 0] = True
    kept[:, 1:] = ordered.cumsum(1)[:, :-1] < top_p.double()[:, None]
    probs = torch.where(kept.gather(1, rank), probs, 0.0)
    cdf = probs.cumsum(1)
    target = u.double()[:, None] * cdf[:, -1:]
    found = torch.searchsorted(cdf, target, right=True)
    highest = vocab - 1 - (probs.flip(1) > 0).int().argmax(1, keepdim=True)
    return torch.minimum(found, highest).squeeze(1)
