"""A report's pictures as drawings and tables: the numbers of `judge.grading.pictures`, laid out for an SVG.

What a case holds are plain numbers; every word is ours, every mark is a path made here. Colour never stands alone: what
must not be is crossed, what is missing has a ring, negative numbers a dash, and small pictures carry their numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from judge.words.pictures import UNREADABLE, seen, sees_others
from judge.words.ranges import ranges
from web.canvas import Canvas
from web.i18n import t

Picture = dict[str, Any]
PITCH = 15.0
WIDE = 30.0
LEFT, TOP = 62.0, 16.0  # the widest name is that of a dummy
GAP = 6.0
OWNERS = 6  # looks that owners of slots and rows take in turn
POOL_COLUMNS = 32
NUMBERS_MAX_COLUMNS = 8


@dataclass(frozen=True)
class Figure:
    """One picture ready for the template: ``panels`` side by side, and a table that says the same."""

    kind: str
    title: str
    sentence: str
    legend: str
    panels: list[Canvas]
    head: list[str]
    rows: list[list[str]]
    telling: bool  # shows a difference


def figures(case: dict[str, Any]) -> list[Figure]:
    """The figures of a case whose pictures are in words; one that cannot be drawn is left out."""
    found = []
    for one in case.get("pictures") or []:
        try:
            found.append(_figure(one))
        except UNREADABLE:
            continue
    return found


def _figure(picture: Picture) -> Figure:
    panels, head, rows = _KINDS[picture["kind"]](picture)
    same = picture.get("same", picture["kind"] != "tensor" and picture.get("got") is None)
    legend = t(f"picture.key-{picture['kind'].replace('_', '-')}") if panels else ""
    return Figure(
        picture["kind"], picture["title"], picture["sentence"], legend, panels, head, rows, not same
    )


Drawing = tuple[list[Canvas], list[str], list[list[str]]]


def _attention(picture: Picture) -> Drawing:
    if not picture["requests"]:
        return [], [], []
    panels = [
        _map(picture, "got", t("fact.got"), marked=True),
        _map(picture, "want", t("fact.want"), marked=False),
    ]
    head = [t("picture.row"), t("picture.request"), t("fact.got"), t("fact.want")]
    rows = [
        [str(one["first_row"] + r), picture["names"][one["index"]], _weights(got), _weights(want)]
        for one in picture["requests"]
        for r, (got, want) in enumerate(zip(one["got"], one["want"], strict=True))
    ]
    return panels, head, rows


def _weights(row: list[Any]) -> str:
    text = " ".join(_short(weight) for weight in row[:-1])
    return f"{text} | {t('picture.others')} {_short(row[-1])}" if sees_others(row) else text


def _map(picture: Picture, side: str, label: str, *, marked: bool) -> Canvas:
    """One panel: a row for each query, a column for each key, and last whatever is not the request's."""
    canvas = Canvas(label)
    keys = max(one["keys"] for one in picture["requests"])
    numbered = picture["what"] == "weights" and keys <= NUMBERS_MAX_COLUMNS + 2
    pitch = WIDE if numbered else PITCH
    others = LEFT + keys * pitch + GAP
    _column_numbers(canvas, range(keys), pitch)
    with_others = any(sees_others(row) for one in picture["requests"] for row in one["got"])
    if with_others:
        canvas.write(others, TOP - 5, t("picture.others"), "t-begin")
    y = TOP
    for one in picture["requests"]:
        canvas.write(0, y + 11, picture["names"][one["index"]], "t-name")
        for r, row in enumerate(one[side]):
            canvas.write(LEFT - 5, y + 11, one["first_row"] + r, "t-end")
            cells = [(LEFT + key * pitch, weight, one["want"][r][key]) for key, weight in enumerate(row[:-1])]
            if with_others:
                cells.append((others, row[-1], one["want"][r][-1]))
            for x, weight, right in cells:
                _weight(canvas, x, y, pitch, weight, right if marked else None, numbered)
            y += PITCH
        y += GAP
    return canvas


def _weight(
    canvas: Canvas, x: float, y: float, pitch: float, weight: Any, right: Any, numbered: bool
) -> None:
    """One cell; ``right`` is what it should hold, None where this is the right panel."""
    if isinstance(weight, str):
        canvas.box("p-nan", x, y, pitch - 1, PITCH - 1)
        canvas.write(x + pitch / 2, y + 11, "!", "t-cell")
        return
    on = bool(seen([weight, 0.0]))
    level = min(4, 1 + int(weight * 4)) if numbered and on else 4 if on else 0
    canvas.box(f"p-on{level}" if on else "p-off", x, y, pitch - 1, PITCH - 1)
    if numbered and on:
        canvas.write(
            x + pitch / 2 - 0.5, y + 11, _weight_text(weight), "t-cell" if level < 3 else "t-cell-on"
        )
    if right is None or isinstance(right, str):
        return
    if on and not seen([right, 0.0]):
        canvas.cross("p-bad", x + pitch / 2 - 5, y + 2, 9, 10)
    elif not on and seen([right, 0.0]):
        canvas.ring("p-miss", x + pitch / 2 - 4.5, y + 3, 8)
    elif numbered and abs(weight - right) > 4e-3:
        canvas.box("p-line", x, y, pitch - 1, PITCH - 1)


def _weight_text(weight: float) -> str:
    return f"{weight:.2f}".lstrip("0") if 0.005 <= weight < 0.995 else f"{weight:.0f}"


def _column_numbers(canvas: Canvas, columns: range, pitch: float) -> None:
    step = 1 if pitch > PITCH or len(columns) <= 12 else 5
    for place, number in enumerate(columns):
        if number % step == 0:
            canvas.write(LEFT + place * pitch + pitch / 2, TOP - 5, number, "t-mid")


def _mask(picture: Picture) -> Drawing:
    canvas = Canvas(t("fact.want"))
    keys = max(one["keys"] for one in picture["requests"])
    _column_numbers(canvas, range(keys), PITCH)
    y, rows = TOP, []
    for one in picture["requests"]:
        name = picture["names"][one["index"]]
        canvas.write(0, y + 11, name, "t-name")
        for r, row in enumerate(one["want"]):
            canvas.write(LEFT - 5, y + 11, one["first_row"] + r, "t-end")
            for key, visible in enumerate(row):
                canvas.box("p-on4" if visible else "p-off", LEFT + key * PITCH, y, PITCH - 1, PITCH - 1)
            rows.append([str(one["first_row"] + r), name, ranges(j for j, on in enumerate(row) if on)])
            y += PITCH
        y += GAP
    return [canvas], [t("picture.row"), t("picture.request"), t("picture.keys")], rows


def _rows(picture: Picture) -> Drawing:
    want, got = picture["want"], picture["got"]
    end = min(96, max([want[-1], *(one for one in got or [] if isinstance(one, int))]))
    sides = [("got", t("fact.got"), got), ("want", t("fact.want"), want)]
    panels = [_strip(picture, label, bounds, end) for _, label, bounds in sides if bounds is not None]
    head = [t("picture.request"), t("fact.want")] + ([t("fact.got")] if got is not None else [])
    rows = []
    for i, name in enumerate(picture["names"]):
        spans = [bounds[i : i + 2] for bounds in (want, got) if bounds is not None]
        rows.append([name, *(f"{span[0]} … {span[1]}" if len(span) == 2 else "—" for span in spans)])
    return panels, head, rows


def _strip(picture: Picture, label: str, bounds: list[Any], end: int) -> Canvas:
    """Query rows from left to right, each block with its owner's name above."""
    canvas = Canvas(label)
    owned = set()
    for i, (begin, stop) in enumerate(pairwise(bounds)):
        if not isinstance(begin, int) or not isinstance(stop, int) or not 0 <= begin < stop or begin >= end:
            continue
        name = picture["names"][i] if i < len(picture["names"]) else str(i)
        stop = min(stop, end)
        canvas.write((begin + stop) / 2 * PITCH, 11 + 15 * (i % 2) * (len(name) > 2), name, "t-name-mid")
        for row in range(begin, stop):
            canvas.box(f"p-own{i % OWNERS}", row * PITCH, 30, PITCH - 1, PITCH - 1)
            owned.add(row)
        canvas.box("p-edge", begin * PITCH, 30, (stop - begin) * PITCH - 1, PITCH - 1)
    for row in range(end):
        if row not in owned:
            canvas.box("p-off", row * PITCH, 30, PITCH - 1, PITCH - 1)
            canvas.slash("p-stroke", row * PITCH + 2, 32, PITCH - 5, PITCH - 5)
        if end <= 24 or row % 5 == 0:
            canvas.write(row * PITCH + PITCH / 2, 57, row, "t-mid")
    return canvas


def _page_table(picture: Picture) -> Drawing:
    panels = []
    if picture["got"] is not None:
        panels.append(_cells(picture, "got", t("fact.got")))
    panels.append(_cells(picture, "want", t("fact.want") if panels else t("picture.table")))
    if picture["slots"] and not (picture["got"] is not None):
        panels.append(_pool(picture))
    head = [t("picture.request"), t("picture.cached"), t("picture.length"), t("fact.want")]
    head += [t("fact.got")] if picture["got"] is not None else []
    rows = []
    for i, name in enumerate(picture["names"]):
        cached = str(picture["cached"][i]) if picture["cached"] else "—"
        sides = [picture["want"]] + ([picture["got"]] if picture["got"] is not None else [])
        cells = [" ".join(map(str, side[i])) if i < len(side) else "—" for side in sides]
        rows.append([name, cached, str(picture["lengths"][i]), *cells])
    return panels, head, rows


def _cells(picture: Picture, side: str, label: str) -> Canvas:
    """The table itself: a request a row, its own cells in its owner's look, cells past its length struck through."""
    canvas = Canvas(label)
    table = picture[side]
    for column in range(max(map(len, table), default=0)):
        canvas.write(LEFT + column * WIDE + WIDE / 2, TOP - 5, column, "t-mid")
    for i, row in enumerate(table):
        y = TOP + i * (PITCH + 2)
        canvas.write(0, y + 11, picture["names"][i] if i < len(picture["names"]) else i, "t-name")
        length = picture["lengths"][i] if i < len(picture["lengths"]) else 0
        for j, cell in enumerate(row):
            x = LEFT + j * WIDE
            own = j < length
            canvas.box(f"p-own{i % OWNERS}" if own else "p-off", x, y, WIDE - 1, PITCH)
            if not own:
                canvas.slash("p-stroke", x + 2, y + 2, WIDE - 5, PITCH - 4)
            elif picture["cached"] and j < picture["cached"][i]:
                canvas.dash("p-under", x + 3, y + PITCH - 2, WIDE - 7)
            canvas.write(x + WIDE / 2 - 0.5, y + 11, _cell(cell), "t-cell")
            if side == "got" and not _is_right(picture["want"], i, j, cell):
                canvas.box("p-line", x, y, WIDE - 1, PITCH)
                canvas.cross("p-bad", x + WIDE - 9, y + 1, 7, 6)
    return canvas


def _is_right(want: list[list[Any]], i: int, j: int, cell: Any) -> bool:
    return i < len(want) and j < len(want[i]) and bool(want[i][j] == cell)


def _cell(number: Any) -> str:
    text = str(number)
    return text if len(text) <= 4 else f"{text[:3]}…"


def _pool(picture: Picture) -> Canvas:
    """The pool, slot by slot, with the letter of who holds it."""
    canvas = Canvas(t("picture.pool", slots=picture["slots"]))
    owners: dict[int, int] = {}
    for i, length in enumerate(picture["lengths"]):
        for slot in picture["want"][i][:length]:
            owners.setdefault(slot, i)
    for slot in range(picture["slots"]):
        x, y = LEFT / 2 + slot % POOL_COLUMNS * PITCH, TOP + slot // POOL_COLUMNS * PITCH
        if slot % POOL_COLUMNS == 0:
            canvas.write(LEFT / 2 - 5, y + 11, slot, "t-end")
        owner = owners.get(slot)
        canvas.box("p-off" if owner is None else f"p-own{owner % OWNERS}", x, y, PITCH - 1, PITCH - 1)
        if owner is not None:
            canvas.write(x + PITCH / 2 - 0.5, y + 11, picture["names"][owner][0], "t-cell")
    return canvas


def _tensor(picture: Picture) -> Drawing:
    got, want = picture["got"], picture["want"]
    apart = [
        [_minus(a, b) for a, b in zip(one, other, strict=True)] for one, other in zip(got, want, strict=True)
    ]
    largest = max(
        (abs(one) for side in (got, want) for row in side for one in row if _finite(one)), default=0.0
    )
    error = max((abs(one) for row in apart for one in row if _finite(one)), default=0.0)
    panels = [
        _heat(picture, t("fact.got"), got, largest, marked=True),
        _heat(picture, t("fact.want"), want, largest, marked=False),
        _heat(picture, t("picture.difference"), apart, error, marked=True),
    ]
    top = picture["origin"][0]
    rows = [
        [str(top + r), " ".join(map(_short, one)), " ".join(map(_short, other))]
        for r, (one, other) in enumerate(zip(got, want, strict=True))
    ]
    return panels, [t("picture.index"), t("fact.got"), t("fact.want")], rows


def _heat(picture: Picture, label: str, values: list[list[Any]], largest: float, *, marked: bool) -> Canvas:
    canvas = Canvas(label)
    numbered = len(values[0]) <= NUMBERS_MAX_COLUMNS
    pitch = WIDE + 12 if numbered else PITCH
    top, left = picture["origin"]
    _column_numbers(canvas, range(left, left + len(values[0])), pitch)
    for r, row in enumerate(values):
        y = TOP + r * PITCH
        if len(values) <= 12 or (top + r) % 5 == 0:
            canvas.write(LEFT - 5, y + 11, top + r, "t-end")
        for c, value in enumerate(row):
            x = LEFT + c * pitch
            bad = marked and bool(picture["bad"][r][c])
            _number_cell(canvas, x, y, pitch, value, largest, numbered, bad)
    return canvas


def _number_cell(
    canvas: Canvas, x: float, y: float, pitch: float, value: Any, largest: float, numbered: bool, bad: bool
) -> None:
    if not _finite(value):
        canvas.box("p-nan", x, y, pitch - 1, PITCH - 1)
        canvas.write(x + pitch / 2 - 0.5, y + 11, str(value) if numbered else "!", "t-cell")
    else:
        level = min(4, int(abs(value) / largest * 4 + 0.5)) if largest else 0
        name = "p-off" if level == 0 else f"p-{'neg' if value < 0 else 'on'}{level}"
        canvas.box(name, x, y, pitch - 1, PITCH - 1)
        if numbered:
            canvas.write(x + pitch / 2 - 0.5, y + 11, _short(value), "t-cell" if level < 3 else "t-cell-on")
        elif value < 0 and level:
            canvas.dash("p-minus", x + 4, y + PITCH / 2 - 0.5, PITCH - 9)
    if bad:
        canvas.box("p-line", x + 0.5, y + 0.5, pitch - 2, PITCH - 2)
        canvas.cross("p-bad", x + pitch - 7, y + 1, 5, 4)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float)


def _minus(got: Any, want: Any) -> Any:
    return (
        got - want
        if _finite(got) and _finite(want)
        else (0 if got == want else got if not _finite(got) else want)
    )


def _short(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    text = f"{value:.3g}" if abs(value) < 1e4 else f"{value:.1e}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _values(picture: Picture) -> Drawing:
    values = picture["values"]
    largest = max((abs(one) for row in values for one in row if _finite(one)), default=0.0)
    canvas = _heat(picture, t("try.value"), values, largest, marked=False)
    rows = [[str(r), " ".join(map(_short, row))] for r, row in enumerate(values)]
    return [canvas], [t("picture.index"), t("try.value")], rows


_KINDS: dict[str, Callable[[Picture], Drawing]] = {
    "attention": _attention,
    "mask": _mask,
    "rows": _rows,
    "page_table": _page_table,
    "tensor": _tensor,
    "values": _values,
}
