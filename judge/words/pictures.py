"""What a picture shows, as a sentence: the numbers of `judge.grading.pictures` in the reader's words.

The sentence says the same as the picture, so that nobody depends on seeing it; names of requests are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from judge.words.ranges import in_turn, ranges, runs
from judge.words.table import Words

SEEN = 1e-4  # as in judge.grading.attention_map
_SAID_MAX = 4  # sentences of one picture
_CELLS_MAX = 6
Picture = Mapping[str, Any]


UNREADABLE = (KeyError, TypeError, ValueError, IndexError, AttributeError)
"""What reading a picture of another version, or of a grader that is not to be trusted, may end in."""


def all_described(pictures: Iterable[Picture], table: Words) -> list[dict[str, Any]]:
    """The pictures of a case in words; one that cannot be read is left out."""
    found = []
    for one in pictures:
        try:
            found.append(described(one, table))
        except UNREADABLE:
            continue
    return found


def described(picture: Picture, table: Words) -> dict[str, Any]:
    """A copy of a report's picture with ``title``, ``sentence`` and ``names`` of its requests."""
    kind = picture["kind"]
    said = list(_SENTENCES[kind](picture, table))
    left = len(said) - _SAID_MAX
    if left > 0:
        said = [*said[:_SAID_MAX], table.say("picture", "more", count=left)]
    if picture.get("cut") and kind != "page_table":
        said.append(table.say("picture", "cut", count=picture["cut"]))
    title = f"title-{kind}-{picture['what']}" if kind == "attention" else f"title-{kind}"
    return {
        **picture,
        "title": table.say("picture", title, field=picture.get("field") or ""),
        "sentence": table.join(said),
        "names": names(picture, table),
    }


def names(picture: Picture, table: Words) -> list[str]:
    """Short names of the picture's requests by index: A, B, C ..., and the dummies."""
    real, count = picture.get("real", 0), _count(picture)
    letters = [chr(ord("A") + i) if i < 26 else f"R{i}" for i in range(min(real, count))]
    return letters + [table.say("picture", "dummy", number=i + 1) for i in range(count - len(letters))]


def seen(weights: Sequence[float | str]) -> list[int]:
    """The keys that a row gives weight to, its last number (all other slots) left out."""
    return [place for place, weight in enumerate(weights[:-1]) if _counts(weight)]


def sees_others(weights: Sequence[float | str]) -> bool:
    """Whether a row gives weight to slots that are not the request's."""
    return _counts(weights[-1])


def _counts(weight: float | str) -> bool:
    return isinstance(weight, str) or weight > SEEN


def _count(picture: Picture) -> int:
    if "requests" in picture:
        return max((one["index"] for one in picture["requests"]), default=-1) + 1
    return len(picture["lengths"]) if "lengths" in picture else max(0, len(picture.get("want", ())) - 1)


def _attention(picture: Picture, table: Words) -> Iterator[str]:
    if picture["same"]:
        yield table.say("picture", "map-right")
    elif picture["what"] == "values":
        yield table.say("picture", "no-values")
    elif picture["what"] == "weights":
        yield from _weights(picture, table)
    else:
        called = names(picture, table)
        for one in picture["requests"]:
            if not one["same"]:
                yield from _sees(one, called[one["index"]], table)


def _sees(one: Mapping[str, Any], name: str, table: Words) -> Iterator[str]:
    """Rows of one request that see what they should not, neighbours of one pattern in one sentence."""
    ill = [r for r, row in enumerate(one["got"]) if any(isinstance(weight, str) for weight in row)]
    if ill:
        yield table.say("picture", "not-finite", rows=ranges([one["first_row"] + r for r in ill]), name=name)
    rows = [
        (one["first_row"] + r, _set(got, table), _set(want, table))
        for r, (got, want) in enumerate(zip(one["got"], one["want"], strict=True))
        if r not in ill and (seen(got), sees_others(got)) != (seen(want), sees_others(want))
    ]
    for group in _groups(rows):
        got, want = [got for _, got, _ in group], [want for _, _, want in group]
        yield table.say(
            "picture",
            "sees" if len(group) > 1 else "sees-one",
            rows=ranges([row for row, _, _ in group]),
            name=name,
            got=_in_turn(got, table),
            want=_in_turn(want, table),
            got_each=_respectively(
                got, table, "respectively-first" if len(set(want)) > 1 else "respectively"
            ),
            want_each=_respectively(want, table),
        )


def _set(weights: Sequence[float | str], table: Words) -> str:
    keys = seen(weights)
    if not keys:
        return table.say("picture", "others-only" if sees_others(weights) else "nothing")
    return table.say("picture", "others-too", keys=ranges(keys)) if sees_others(weights) else ranges(keys)


def _in_turn(texts: Sequence[str], table: Words) -> str:
    return in_turn(texts, table.say("picture", "comma"), table.say("picture", "and"))


def _respectively(texts: Sequence[str], table: Words, key: str = "respectively") -> str:
    return table.say("picture", key) if len(set(texts)) > 1 else ""


def _groups(rows: list[tuple[int, str, str]]) -> Iterator[list[tuple[int, str, str]]]:
    group: list[tuple[int, str, str]] = []
    for row in rows:
        if group and row[0] != group[-1][0] + 1:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _weights(picture: Picture, table: Words) -> Iterator[str]:
    worst: tuple[float, Any, int, int] = (-1.0, None, 0, 0)
    for one in picture["requests"]:
        for r, (got, want) in enumerate(zip(one["got"], one["want"], strict=True)):
            for key, (a, b) in enumerate(zip(got[:-1], want[:-1], strict=True)):
                error = 9.0 if isinstance(a, str) or isinstance(b, str) else abs(a - b)
                worst = max(worst, (error, one, r, key), key=lambda found: found[0])
    _, one, r, key = worst
    got, want = one["got"][r], one["want"][r]
    yield table.say(
        "picture",
        "weight",
        row=one["first_row"] + r,
        name=names(picture, table)[one["index"]],
        head=picture["head"],
        key=key,
        got=_number(got[key]),
        want=_number(want[key]),
    )
    if all(isinstance(weight, int | float) for weight in got) and abs(sum(got) - 1) > 0.01:
        yield table.say("picture", "sum", sum=f"{sum(got):.3g}")


def _number(value: float | str) -> str:
    return f"{value:.3g}" if isinstance(value, int | float) else value


def _mask(picture: Picture, table: Words) -> Iterator[str]:
    called = names(picture, table)
    for one in picture["requests"]:
        keys = [ranges([j for j, visible in enumerate(row) if visible]) for row in one["want"]]
        rows = ranges([one["first_row"] + r for r in range(len(keys))])
        yield table.say(
            "picture",
            "mask",
            name=called[one["index"]],
            rows=rows,
            keys=_in_turn(keys, table),
            each=_respectively(keys, table),
        )


def _rows(picture: Picture, table: Words) -> Iterator[str]:
    want, got = picture["want"], picture["got"]
    called = names(picture, table)
    if got is None:
        each = [f"{name}: {_span(*span, table)}" for name, span in zip(called, pairwise(want), strict=False)]
        yield table.say("picture", "rows", each=table.say("picture", "comma").join(each))
        return
    if not picture["cut"] and len(got) != len(want):
        yield table.say("picture", "bounds", got=len(got), want=len(want))
    for name, right, yours in zip(called, pairwise(want), pairwise(got), strict=False):
        if right != yours:
            yield table.say(
                "picture", "rows-differ", name=name, want=_span(*right, table), got=_span(*yours, table)
            )


def _span(begin: Any, end: Any, table: Words) -> str:
    if not isinstance(begin, int) or not isinstance(end, int) or end < begin:
        return f"[{begin}, {end})"
    return ranges(range(begin, end)) if end > begin else table.say("picture", "nothing")


def _page_table(picture: Picture, table: Words) -> Iterator[str]:
    called, got, want = names(picture, table), picture["got"], picture["want"]
    if got is None:
        for i, name in enumerate(called):
            slots = want[i][: picture["lengths"][i]] if i < len(want) else []
            cached = (picture["cached"] or [0] * len(called))[i]
            key = "slots-prefix" if cached else "slots"
            yield table.say("picture", key, name=name, slots=runs(slots), cached=cached)
        return
    if picture["got_shape"] != picture["want_shape"]:
        yield table.say(
            "picture", "table-shape", got=_by(picture["got_shape"]), want=_by(picture["want_shape"])
        )
    for i, (right, yours) in enumerate(zip(want, got, strict=False)):
        wrong = [j for j, (a, b) in enumerate(zip(right, yours, strict=False)) if a != b][:_CELLS_MAX]
        if wrong:
            yield table.say(
                "picture",
                "cells",
                row=i,
                name=called[i] if i < len(called) else i,
                cells=ranges(wrong),
                got=", ".join(str(yours[j]) for j in wrong),
                want=", ".join(str(right[j]) for j in wrong),
            )


def _by(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))


def _tensor(picture: Picture, table: Words) -> Iterator[str]:
    shape, (rows, columns) = picture["shape"], picture["axes"]
    if len(shape) == 0:
        yield table.say("picture", "tensor-one")
    elif rows < 0:
        yield table.say("picture", "tensor-flat", places=_all(picture["bad_columns"], shape[columns], table))
    else:
        yield table.say(
            "picture",
            "tensor",
            first=rows,
            rows=_all(picture["bad_rows"], shape[rows], table),
            second=columns,
            columns=_all(picture["bad_columns"], shape[columns], table),
        )


def _values(picture: Picture, table: Words) -> Iterator[str]:
    shape = _by(picture["shape"])
    if picture["least"] is not None:
        least, most = _number(picture["least"]), _number(picture["most"])
        yield table.say("picture", "values", shape=shape, dtype=picture["dtype"], least=least, most=most)
    if picture["not_finite"]:
        yield table.say("picture", "values-ill", count=picture["not_finite"])
    drawn = [len(picture["values"]), len(picture["values"][0])]
    if len(picture["shape"]) > 2 or _by(drawn) != _by([1, *picture["shape"]][-2:]):
        yield table.say("picture", "values-part", drawn=_by(drawn))


def _all(places: Sequence[int], size: int, table: Words) -> str:
    return table.say("picture", "all", size=size) if len(places) == size else ranges(places)


_SENTENCES: Mapping[str, Callable[[Picture, Words], Iterator[str]]] = {
    "attention": _attention,
    "mask": _mask,
    "rows": _rows,
    "page_table": _page_table,
    "tensor": _tensor,
    "values": _values,
}
