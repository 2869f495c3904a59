"""Offsets and widths in plain integers, and wrong ones that have a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from judge.grading.author import check
from judge.grading.seeds import Rng

View = dict[str, Any]  # see harness.view
SIZES = {"float32": 4, "bfloat16": 2, "float16": 2, "float8_e4m3fn": 1}


def view(rows: int, stride: int, heads: int, dim: int, start: int = 0, dtype: str = "bfloat16") -> View:
    """Rows of heads x dim elements, ``stride`` apart."""
    return {"rows": rows, "stride": stride, "heads": heads, "dim": dim, "start": start, "dtype": dtype}


def wrapped(number: int) -> int:
    """What is left of ``number`` in 32 bits."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def offsets(submission: Any, k: View, cache: View, out_loc: torch.Tensor) -> None:
    """Judges `row_offsets`."""
    got = submission.harness.offsets(k, cache, out_loc)
    check.that(isinstance(got, tuple) and len(got) == 2, mistake="not-a-pair", field="row_offsets", got=got)
    slots, row = out_loc.tolist(), k["heads"] * k["dim"]
    places = range(k["rows"])

    def ints(values: Any) -> torch.Tensor:
        return torch.tensor(list(values), dtype=torch.int64)

    source = [place * k["stride"] for place in places]
    target = [slot * cache["stride"] for slot in slots]
    known_source: Mapping[str, Callable[[], Any]] = {
        "stride-assumed": lambda: ints(place * row for place in places),
        "start-added": lambda: ints(k["start"] + one for one in source),
        "in-bytes": lambda: ints(one * SIZES[k["dtype"]] for one in source),
        "overflow": lambda: ints(map(wrapped, source)),
    }
    known_target: Mapping[str, Callable[[], Any]] = {
        "stride-assumed": lambda: ints(slot * row for slot in slots),
        "stride-of-the-other": lambda: ints(slot * k["stride"] for slot in slots),
        "start-added": lambda: ints(cache["start"] + one for one in target),
        "in-bytes": lambda: ints(one * SIZES[k["dtype"]] for one in target),
        "overflow": lambda: ints(map(wrapped, target)),
        "by-position": lambda: ints(place * cache["stride"] for place in places),
    }
    for name, found, right, known in zip(
        ("source", "target"), got, (source, target), (known_source, known_target), strict=True
    ):
        check.tensor(
            found,
            like=ints(right),
            field=name,
            mistake="offsets-wrong",
            dtype=overflown(found, right),
            known=known,
        )


def overflown(found: Any, right: list[int]) -> str:
    """What another dtype than int64 means."""
    too_small = (
        isinstance(found, torch.Tensor) and found.dtype == torch.int32 and max(right, default=0) >= 1 << 31
    )
    return "overflow" if too_small else "not-int64"


def width(counts: list[int], most: int = 16) -> int:
    """The largest power of two up to ``most`` that divides all ``counts``."""
    return max(
        one for one in (1, 2, 4, 8, 16, 32) if one <= most and all(count % one == 0 for count in counts)
    )


def counts(k: View, cache: View) -> dict[str, int]:
    """Everything that an access must divide, in bytes."""
    size = SIZES[k["dtype"]]
    found = {"row": k["heads"] * k["dim"] * size}
    for name, one in (("k", k), ("cache", cache)):
        found |= {f"{name} stride": one["stride"] * size, f"{name} start": one["start"] * size}
    return found


def without(*words: str) -> Callable[[View, View], int]:
    """The mistake of leaving some of them out."""
    return lambda k, cache: width(
        [count for name, count in counts(k, cache).items() if not any(word in name for word in words)]
    )


WIDTHS: Mapping[str, Callable[[View, View], int]] = {
    "row-only": lambda k, cache: width([counts(k, cache)["row"]]),
    "row-left-out": without("row"),
    "strides-left-out": without("stride"),
    "starts-left-out": without("start"),
    "cache-left-out": without("cache"),
    "k-left-out": without("k stride", "k start"),
    "in-elements": lambda k, cache: width(
        [count // SIZES[k["dtype"]] for count in counts(k, cache).values()]
    ),
    "too-wide": lambda k, cache: width(list(counts(k, cache).values()), 32),
    "always-16": lambda k, cache: 16,
}


def widths(submission: Any, pairs: list[tuple[View, View]]) -> None:
    """Judges `vector_bytes` on all ``pairs``; the wrong rule that gives just these widths is named."""
    got = submission.harness.widths([list(pair) for pair in pairs])
    key = next((key for key, rule in WIDTHS.items() if got == [rule(*pair) for pair in pairs]), "width-wrong")
    for found, pair in zip(got, pairs, strict=True):
        check.equal(found, width(list(counts(*pair).values())), field="vector_bytes", mistake=key)


def random_pair(rng: Rng) -> tuple[View, View]:
    """Two views whose rows, strides and starts are multiples of different powers of two."""

    def some(least: int) -> int:
        return least * (1 << int(rng.integers(0, 5))) * int(rng.integers(1, 4))

    dtype = rng.pick(["bfloat16", "float32", "float8_e4m3fn"])
    heads, dim = int(rng.integers(1, 4)), some(1)
    row = heads * dim
    found = [view(3, row + some(1), heads, dim, some(1) * int(rng.integers(0, 2)), dtype) for _ in range(2)]
    return found[0], found[1]
