"""Batches, the running sums by definition, the wrong ones that have a name, and the checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

Request = tuple[int, int]  # cached_len, device_len
NAMES = ("cu_q", "cu_k")


def decoding(rng: Rng, count: int) -> list[Request]:
    """Requests that decode, each with a prefix."""
    return [(length, length + 1) for length in rng.integers(2, 4000, count).tolist()]


def fresh(rng: Rng, count: int) -> list[Request]:
    """Requests that prefill from scratch, each with several tokens."""
    return [(0, length) for length in rng.integers(2, 40, count).tolist()]


def behind_prefix(rng: Rng, count: int) -> list[Request]:
    """Requests that prefill several tokens behind a cached prefix."""
    starts, counts = rng.integers(1, 40, count).tolist(), rng.integers(2, 20, count).tolist()
    return [(start, start + more) for start, more in zip(starts, counts, strict=True)]


def sums(lens: Sequence[int], dtype: torch.dtype = torch.int32) -> torch.Tensor:
    """[len(lens) + 1] by definition: entry i is the sum of the first i."""
    return torch.tensor([sum(lens[:i]) for i in range(len(lens) + 1)], dtype=dtype)


def expected(reqs: Sequence[Request]) -> tuple[torch.Tensor, torch.Tensor]:
    """``cu_q`` and ``cu_k``."""
    return sums([end - start for start, end in reqs]), sums([end for _, end in reqs])


def path(reqs: Sequence[Request]) -> str:
    """By counting the requests that break each rule."""
    if sum(end - start != 1 for start, end in reqs) == 0:
        return "decode"
    return "no-prefix" if sum(start > 0 for start, _ in reqs) == 0 else "general"


def by_one_request(reqs: Sequence[Request], place: int) -> str:
    """The mistake of judging by one request alone."""
    return path([reqs[place]]) if reqs else "decode"


def named_paths(reqs: Sequence[Request]) -> dict[str, Callable[[], str]]:
    """Wrong answers of ``choose_path`` by mistake, made when asked for."""
    no_prefix = all(start == 0 for start, _ in reqs)
    some_decode = any(end - start == 1 for start, end in reqs)
    return {
        "path-order": lambda: "no-prefix" if no_prefix else path(reqs),
        "path-one-decides": lambda: by_one_request(reqs, 0),
        "path-last-decides": lambda: by_one_request(reqs, -1),
        "path-any-decode": lambda: "decode" if some_decode else path(reqs),
        "path-prefix-ignored": lambda: "decode" if path(reqs) == "decode" else "no-prefix",
    }


def named(reqs: Sequence[Request]) -> dict[str, dict[str, Callable[[], torch.Tensor]]]:
    """Wrong sums of each of `NAMES` by mistake."""
    queries, kv = [end - start for start, end in reqs], [end for _, end in reqs]
    count = len(reqs)
    both = {"cu_q": queries, "cu_k": kv}
    found: dict[str, dict[str, Callable[[], torch.Tensor]]] = {
        name: {
            "cu-no-zero": lambda lens=lens: sums(lens)[1:],
            "cu-zero-at-the-end": lambda lens=lens: torch.tensor([*sums(lens)[1:].tolist(), 0]).int(),
            "cu-not-summed": lambda lens=lens: torch.tensor([0, *lens], dtype=torch.int32),
            "cu-one-short": lambda lens=lens: sums(lens)[:-1],
        }
        for name, lens in both.items()
    }
    found["cu_q"] |= {
        "cu_q-device-len": lambda: sums(kv),
        "cu_q-cached-len": lambda: sums([start for start, _ in reqs]),
        "shortcut-too-early": lambda: torch.arange(count + 1, dtype=torch.int32),
    }
    found["cu_k"] |= {
        "cu_k-queries": lambda: sums(queries),
        "cu_k-cached-len": lambda: sums([start for start, _ in reqs]),
    }
    return found


def verify_path(got: Any, reqs: Sequence[Request], because: str = "path-values") -> None:
    """``got`` is the path of ``reqs``."""
    check.equal(got, path(reqs), field="path", mistake=because, known=named_paths(reqs))


def verify(
    got: Any, reqs: Sequence[Request], *, because: str = "", named_first: bool = False, device: str = "cpu"
) -> None:
    """``got`` is the pair of sums of ``reqs``; ``because`` names the mistake that the case was made to see, tried after
    the values with a name if ``named_first``."""
    is_pair = isinstance(got, tuple) and len(got) == 2
    check.that(is_pair, mistake="not-a-pair", field="result", got=got)
    wrong = named(reqs)
    for name, one, want in zip(NAMES, got, expected(reqs), strict=True):
        check.that(isinstance(one, torch.Tensor), mistake="not-a-pair", field=name, got=one)
        check.tensor(
            one,
            like=want.to(device),
            field=name,
            mistake=because or f"{name}-values",
            dtype="not-int32",
            device="wrong-device",
            known=wrong[name] if device != "meta" and (named_first or not because) else {},
        )
