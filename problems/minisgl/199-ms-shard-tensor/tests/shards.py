"""The right parts, wrong rules by name, and a check over many calls that tells them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

ROWS, COPIED, COLUMNS, VOCABULARY = (
    ("q_proj", "gate_proj", "up_proj"),
    ("k_proj", "v_proj"),
    ("o_proj", "down_proj"),
    ("embed_tokens", "lm_head"),
)
ERROR = "ValueError"


class Call(NamedTuple):
    """The arguments of `shard_tensor`."""

    key: str
    value: torch.Tensor
    rank: int
    size: int
    kv_heads: int


Rule = Callable[[Call], Any]


def part(value: torch.Tensor, dim: int, index: int, count: int) -> Any:
    """Part ``index`` of ``count`` equal ones, or `ERROR`."""
    if value.shape[dim] % count:
        return ERROR
    length = value.shape[dim] // count
    return value.narrow(dim, index * length, length)


def vocabulary(call: Call) -> torch.Tensor:
    """Blocks of ceil(V / size); the last may be short or empty."""
    rows = -(-len(call.value) // call.size)
    return call.value[rows * call.rank : rows * (call.rank + 1)]


def layer_of(key: str) -> str:
    """The layer in a key."""
    return key.split(".")[-2]


def right(call: Call) -> Any:
    """What the rank keeps; `ERROR` where it cannot be cut."""
    layer = layer_of(call.key)
    if layer in ROWS:
        return part(call.value, 0, call.rank, call.size)
    if layer in COPIED:
        shares = min(call.size, call.kv_heads)
        return part(call.value, 0, call.rank // (call.size // shares), shares)
    if layer in COLUMNS and call.value.dim() == 2:
        return part(call.value, 1, call.rank, call.size)
    return vocabulary(call) if layer in VOCABULARY else call.value


def when(layers: Sequence[str], rule: Rule, *, dims: Sequence[int] = (1, 2)) -> Rule:
    """`right` with another rule for some layers and numbers of dimensions."""

    def changed(call: Call) -> Any:
        hit = layer_of(call.key) in layers and call.value.dim() in dims
        return rule(call) if hit else right(call)

    return changed


def even_or_short(call: Call) -> Any:
    """Blocks that are rounded up where they should be even."""
    found = right(call)
    if isinstance(found, str):
        dim = 1 if layer_of(call.key) in COLUMNS else 0
        length = -(-call.value.shape[dim] // call.size)
        start = min(call.rank * length, call.value.shape[dim])
        return call.value.narrow(dim, start, min(length, call.value.shape[dim] - start))
    return found


KNOWN: Mapping[str, Rule] = {
    "kv-modulo": when(
        COPIED, lambda c: part(c.value, 0, c.rank % min(c.size, c.kv_heads), min(c.size, c.kv_heads))
    ),
    "kv-not-copied": when(COPIED, lambda c: part(c.value, 0, c.rank, c.size)),
    "kv-whole": when(COPIED, lambda c: c.value if c.size > c.kv_heads else right(c)),
    "columns-by-row": when(COLUMNS, lambda c: part(c.value, 0, c.rank, c.size), dims=(2,)),
    "rows-by-column": when(ROWS, lambda c: part(c.value, 1, c.rank, c.size), dims=(2,)),
    "row-bias-cut": when(COLUMNS, lambda c: part(c.value, 0, c.rank, c.size), dims=(1,)),
    "column-bias-whole": when((*ROWS, *COPIED), lambda c: c.value, dims=(1,)),
    "router-cut": when(("gate",), lambda c: part(c.value, 0, c.rank, c.size)),
    "norm-cut": when(("q_norm", "k_norm", "norm"), lambda c: part(c.value, 0, c.rank, c.size)),
    "vocabulary-balanced": when(VOCABULARY, lambda c: torch.tensor_split(c.value, c.size)[c.rank]),
    "vocabulary-even": when(VOCABULARY, lambda c: part(c.value, 0, c.rank, c.size)),
    "vocabulary-floor": when(
        VOCABULARY,
        lambda c: c.value[
            len(c.value) // c.size * c.rank : None
            if c.rank == c.size - 1
            else len(c.value) // c.size * (c.rank + 1)
        ],
    ),
    "head-whole": when(("lm_head",), lambda c: c.value),
    "uneven-accepted": even_or_short,
    "ranks-backwards": lambda c: right(c._replace(rank=c.size - 1 - c.rank)),
}


def verify(submission: Any, calls: Iterable[Call], because: str = "") -> None:
    """All results at once, so that the wrong rule that gives just these can be named."""
    calls = list(calls)
    got = [answer(submission, call) for call in calls]
    named = next((key for key, rule in KNOWN.items() if all(map(alike, got, map(rule, calls)))), "")
    for call, found in zip(calls, got, strict=True):
        want = right(call)
        if isinstance(want, str) or isinstance(found, str):
            wanted = want if isinstance(want, str) else "Tensor"
            shown = found if isinstance(found, str) else "Tensor"
            check.equal(shown, wanted, field=call.key, mistake=named or "uneven-accepted")
            continue
        check.tensor(
            found,
            like=want.contiguous(),
            field=call.key,
            mistake=named or because or "part-wrong",
            contiguous="not-contiguous",
        )


def answer(submission: Any, call: Call) -> Any:
    """The part, or `ERROR` where that is what was raised and wanted."""
    try:
        return submission.shard_tensor(*call)
    except ValueError:
        if isinstance(right(call), str):
            return ERROR
        raise


def alike(got: Any, want: Any) -> bool:
    """Equal tensors, or the same error."""
    if isinstance(got, str) or isinstance(want, str):
        return isinstance(got, str) and isinstance(want, str) and got == want
    return isinstance(got, torch.Tensor) and got.shape == want.shape and torch.equal(got, want)


def all_ranks(rng: Rng, key: str, shape: tuple[int, ...], size: int, kv_heads: int = 8) -> list[Call]:
    """One tensor for every rank."""
    value = rng.tensor(*shape)
    return [Call(key, value, rank, size, kv_heads) for rank in range(size)]
