"""Pictures of a failing case: an author names what to draw, a report keeps it as plain numbers, words come when shown.

In case code: ``from judge.grading.author import picture``, then, before the check that may fail,

    picture.rows(cu_seqlens_q, got=..., real=3)               which request owns which query rows
    picture.page_table(table, lengths, cached=..., slots=64)  each request's slots in the pool
    picture.mask(starts, lengths)                             which keys each query sees (or ``visible=`` your own)
    picture.tensor(got, want, axes=(0, 1))                    a slice got | expected | difference; `check.tensor` does it
    picture.attention_map(forward, right, ...)                the learner's own attention map beside the right one

Each call only takes note. Numbers are taken when the case has failed; an attention map is probed after every verdict is
known, in a cell of its own. Whatever goes wrong while drawing costs the picture and nothing else. Lists are cut to the
caps below, and what is cut is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from judge.grading import notes
from judge.grading.attention_map import Probe
from judge.grading.compare import wrong_places
from judge.grading.shown import COUNTED, number
from judge.problem_fields import Tolerance

REQUESTS_MAX = 24
ROWS_MAX = 48  # query rows of all requests together
KEYS_MAX = 64
CELLS_MAX = 32  # columns of a page table
SLOTS_MAX = 512
TENSOR_ROWS_MAX, TENSOR_COLUMNS_MAX = 24, 32
VECTOR_TOLD_MAX = 16
Drawn = dict[str, Any]
Ints = torch.Tensor | Sequence[int]


@dataclass(frozen=True)
class Pending:
    """A picture asked for; ``probe`` where the submission has to be called for it."""

    draw: Callable[[], Drawn | None]
    probe: Probe | None = None


class _Picture:
    """The pictures, as one name: ``picture.rows(...)``. ``real`` is the number of requests that are no dummies."""

    def rows(self, starts: Ints, *, got: object = None, real: int | None = None) -> None:
        """Which request owns which query rows: ``starts`` [bs + 1] is a running sum, ``got`` the learner's."""
        notes.here().pictures.append(Pending(lambda: _rows(starts, got, real)))

    def page_table(
        self,
        table: torch.Tensor,
        lengths: Ints,
        *,
        slots: int,
        cached: Ints | None = None,
        got: object = None,
        real: int | None = None,
    ) -> None:
        """Each request's cells of ``table`` [bs, width] and its place in a pool of ``slots``.

        The first ``lengths[i]`` cells are request i's KV, the first ``cached[i]`` of them from the prefix cache.
        """
        notes.here().pictures.append(Pending(lambda: _page_table(table, lengths, slots, cached, got, real)))

    def mask(
        self,
        starts: Ints,
        lengths: Ints,
        *,
        visible: Callable[[int, int, int], torch.Tensor] | None = None,
        real: int | None = None,
    ) -> None:
        """Which keys each query must see. ``visible(i, n, length)`` gives bool [n, length]; default: bottom right causal."""
        notes.here().pictures.append(Pending(lambda: _mask(starts, lengths, visible or _causal, real)))

    def tensor(
        self,
        got: object,
        want: torch.Tensor,
        *,
        field: str = "",
        axes: tuple[int, int] | None = None,
        tolerance: Tolerance | None = None,
    ) -> None:
        """Two tensors of one shape side by side along ``axes`` (default the last two), cut at the worst element."""
        notes.here().pictures.append(
            Pending(lambda: _tensor(got, want, field, axes, tolerance or Tolerance(0.0, 0.0)))
        )

    def attention_map(
        self,
        forward: Callable[..., Any],
        right: Callable[..., torch.Tensor],
        *,
        q: torch.Tensor,
        v_pool: torch.Tensor,
        starts: Ints,
        slots: Sequence[Ints],
        real: int | None = None,
    ) -> None:
        """How much each query of the learner's attends to each key, found by giving it a one-hot V pool.

        ``forward(q, v_pool)`` calls the submission with everything else as in the case, ``right`` the oracle; both
        return [N, H, d]. ``slots[i]`` are request i's slots in the order of its keys.
        """
        probe = Probe(forward, right, q, v_pool, ints(starts), [ints(one) for one in slots], real)
        notes.here().pictures.append(Pending(lambda: None, probe))


picture = _Picture()


def ints(values: Ints) -> list[int]:
    """A tensor or a sequence of integers as a list."""
    return [int(one) for one in (values.tolist() if isinstance(values, torch.Tensor) else values)]


def _same_form(got: object, want: torch.Tensor) -> bool:
    return isinstance(got, torch.Tensor) and got.device.type == "cpu" and got.dtype in COUNTED


def _rows(starts: Ints, got: object, real: int | None) -> Drawn | None:
    want = ints(starts)
    drawn: Drawn = {"kind": "rows", "real": len(want) - 1 if real is None else real}
    drawn |= {"want": want[: REQUESTS_MAX + 1], "cut": max(0, len(want) - 1 - REQUESTS_MAX), "got": None}
    if (
        isinstance(got, torch.Tensor)
        and _same_form(got, got)
        and got.dim() == 1
        and len(got) < 4 * REQUESTS_MAX
    ):
        found = [number(one) for one in got.tolist()]
        drawn["got"] = None if found == want else found
    return drawn if len(want) > 1 else None


def _page_table(
    table: torch.Tensor, lengths: Ints, slots: int, cached: Ints | None, got: object, real: int | None
) -> Drawn | None:
    lens = ints(lengths)
    if not lens or table.device.type != "cpu":
        return None
    drawn: Drawn = {"kind": "page_table", "real": len(lens) if real is None else real}
    drawn |= {"slots": slots if slots <= SLOTS_MAX else None, "lengths": lens[:REQUESTS_MAX]}
    drawn["cached"] = ints(cached)[:REQUESTS_MAX] if cached is not None else None
    drawn["want"] = _corner(table)
    drawn["cut"] = {"rows": max(0, len(lens) - REQUESTS_MAX), "columns": max(0, table.shape[1] - CELLS_MAX)}
    drawn |= {"got": None, "got_shape": None, "want_shape": list(table.shape)}
    if isinstance(got, torch.Tensor) and _same_form(got, table) and got.dim() == 2:
        same = got.shape == table.shape and torch.equal(got.double(), table.double())
        drawn |= {"got": None if same else _corner(got), "got_shape": list(got.shape)}
    return drawn


def _corner(table: torch.Tensor) -> list[list[Any]]:
    return [[number(one) for one in row] for row in table[:REQUESTS_MAX, :CELLS_MAX].tolist()]


def _causal(_index: int, n: int, length: int) -> torch.Tensor:
    return torch.arange(length) <= torch.arange(length - n, length)[:, None]


def _mask(
    starts: Ints, lengths: Ints, visible: Callable[[int, int, int], torch.Tensor], real: int | None
) -> Drawn | None:
    bounds, lens = ints(starts), ints(lengths)
    requests, room = [], ROWS_MAX
    for i, length in enumerate(lens):
        n = bounds[i + 1] - bounds[i]
        if n <= room and length <= KEYS_MAX:
            room -= n
            want = visible(i, n, length).int().tolist()
            requests.append({"index": i, "first_row": bounds[i], "keys": length, "want": want, "got": None})
    drawn: Drawn = {"kind": "mask", "real": len(lens) if real is None else real, "requests": requests}
    return drawn | {"cut": len(lens) - len(requests)} if requests else None


def _tensor(
    got: object, want: torch.Tensor, field: str, axes: tuple[int, int] | None, tolerance: Tolerance
) -> Drawn | None:
    if not isinstance(got, torch.Tensor) or not _same_form(got, want) or not _same_form(want, want):
        return None
    if got.shape != want.shape or want.numel() == 0 or want.is_complex() or got.is_complex():
        return None
    shape = list(want.shape)
    got, want = got.detach().double(), want.detach().double()
    bad = wrong_places(got, want, tolerance)
    if not bool(bad.any()):
        return None
    while want.dim() < 2:
        got, want, bad = got[None], want[None], bad[None]
    rows, columns = (axis % want.dim() for axis in axes or (-2, -1))
    error = torch.where(torch.isfinite(got - want), (got - want).abs(), torch.full_like(got, torch.inf))
    worst = torch.where(bad, error, torch.full_like(error, -1.0)).flatten().argmax()
    # not torch's, which imports sympy: in every judgement anew, since each is a fork
    at = [int(one) for one in np.unravel_index(int(worst), want.shape)]
    place = tuple(slice(None) if axis in (rows, columns) else index for axis, index in enumerate(at))
    turned = columns < rows
    slices = [one[place].T if turned else one[place] for one in (got, want, bad)]
    top = _window(at[rows], slices[0].shape[0], TENSOR_ROWS_MAX)
    left = _window(at[columns], slices[0].shape[1], TENSOR_COLUMNS_MAX)
    cut = [one[top : top + TENSOR_ROWS_MAX, left : left + TENSOR_COLUMNS_MAX] for one in slices]
    missing = want.dim() - len(shape)
    return {
        "kind": "tensor",
        "field": field,
        "shape": shape,
        "axes": [axis - missing for axis in (rows, columns)],  # -1: the tensor has no such axis
        "at": [None if axis in (rows, columns) else index for axis, index in enumerate(at)][missing:],
        "origin": [top, left],
        "bad_rows": _where(bad, rows),
        "bad_columns": _where(bad, columns),
        "got": _digits(cut[0]),
        "want": _digits(cut[1]),
        "bad": cut[2].int().tolist(),
    }


def heat(value: object) -> Drawn | None:
    """A tensor alone, along its last two axes, the others at index 0; None for what the numbers in a line say as well."""
    if not isinstance(value, torch.Tensor) or not _same_form(value, value) or value.is_complex():
        return None
    if value.numel() == 0 or value.dim() == 0 or (value.dim() == 1 and value.numel() <= VECTOR_TOLD_MAX):
        return None
    whole = value.detach().double()
    flat = whole[None] if whole.dim() == 1 else whole[(0,) * (whole.dim() - 2)]
    finite = whole[torch.isfinite(whole)]
    return {
        "kind": "values",
        "shape": list(value.shape),
        "dtype": str(value.dtype).removeprefix("torch."),
        "origin": [0, 0],
        "values": _digits(flat[:TENSOR_ROWS_MAX, :TENSOR_COLUMNS_MAX]),
        "least": number(float(finite.min())) if finite.numel() else None,
        "most": number(float(finite.max())) if finite.numel() else None,
        "not_finite": whole.numel() - finite.numel(),
    }


def _window(centre: int, size: int, room: int) -> int:
    return max(0, min(centre - room // 2, size - room))


def _where(bad: torch.Tensor, axis: int) -> list[int]:
    """The places along ``axis`` with any wrong element, at most 256 of them."""
    others = [one for one in range(bad.dim()) if one != axis]
    found = bad.any(dim=others) if others else bad
    places: list[int] = found.nonzero().flatten()[:256].tolist()
    return places


def _digits(values: torch.Tensor) -> list[list[Any]]:
    return [[number(float(f"{one:.4g}")) for one in row] for row in values.tolist()]
