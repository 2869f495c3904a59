"""Whether a value is right, and if not, in what: aspects and places as facts, values kept apart in a detail.

Facts may be shown of a hidden case; they hold no value and no text a learner chose. Low-precision tensors are
compared in float64, integers and booleans exactly, and NaN equals only a wanted NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from judge.grading.shown import COUNTED, describe, number, type_name
from judge.problem_fields import Tolerance

EXACT = Tolerance(0.0, 0.0)
_RANK_SHOWN = 8


@dataclass(frozen=True)
class Difference:
    """How a value differs: ``aspects`` in order of importance, facts (safe), detail (values)."""

    aspects: tuple[str, ...]
    facts: dict[str, Any] = field(default_factory=dict)
    detail: dict[str, Any] = field(default_factory=dict)


def dtype_name(dtype: torch.dtype) -> str:
    """``float32`` for torch.float32."""
    return str(dtype).removeprefix("torch.")


def tolerance_for(want: torch.Tensor, tolerances: Mapping[str, Tolerance]) -> Tolerance:
    """The tolerance of ``want``'s dtype; integers and booleans are exact.

    Raises:
        LookupError: a floating dtype that the problem gives no tolerance for.
    """
    if not (want.is_floating_point() or want.is_complex()):
        return EXACT
    name = dtype_name(want.dtype)
    if name not in tolerances:
        raise LookupError(f"problem.toml [tolerances] has no {name}")
    return tolerances[name]


def compare_tensors(
    got: object, want: torch.Tensor, tolerance: Tolerance, *, contiguous: bool | None = None
) -> Difference | None:
    """How ``got`` differs from ``want`` in type, dtype, shape, device, values, contiguity; None if in nothing.

    ``contiguous`` is what the learner's own tensor was in the cell, or None where it does not matter.
    """
    if not isinstance(got, torch.Tensor):
        kind = {"type": {"got": type_name(got), "want": "Tensor"}}
        return Difference(("type",), kind, {"got": describe(got), "want": describe(want)})
    facts: dict[str, Any] = _form(got, want)
    if got.shape == want.shape and _have_values(got, want):
        facts |= _values(got, want, tolerance)
    if contiguous is False:
        facts["contiguous"] = {"got": False, "want": True}
    if not facts:
        return None
    aspects = tuple(one for one in ("dtype", "shape", "device", "values", "contiguous") if one in facts)
    facts["form"] = {"got": form_of(got), "want": form_of(want)}
    detail = {"got": describe(got), "want": describe(want)}
    if "values" in facts:
        detail |= _places(got, want, facts["values"])
    return Difference(aspects, facts, detail)


def same_values(got: object, want: torch.Tensor, tolerance: Tolerance) -> bool:
    """Whether ``got`` is a tensor of ``want``'s shape with its values, in whatever dtype."""
    if not isinstance(got, torch.Tensor) or got.shape != want.shape or not _have_values(got, want):
        return False
    return not _values(got, want, tolerance)


def compare_exactly(got: object, want: object) -> Difference | None:
    """How two plain values differ, strictly by type (True is not 1, a tuple no list); None if in nothing."""
    found = _first_difference(got, want, ())
    if found is None:
        return None
    path, aspect, facts = found
    return Difference(
        (aspect,), {aspect: facts, "at": list(path)}, {"got": describe(got), "want": describe(want)}
    )


def form_of(tensor: torch.Tensor) -> dict[str, Any]:
    """A tensor's dtype, shape and device, which may be shown of a hidden case too."""
    return {"dtype": dtype_name(tensor.dtype), "shape": _shape(tensor), "device": tensor.device.type}


def _form(got: torch.Tensor, want: torch.Tensor) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if got.dtype != want.dtype:
        facts["dtype"] = {"got": dtype_name(got.dtype), "want": dtype_name(want.dtype)}
    if got.shape != want.shape:
        facts["shape"] = {"got": _shape(got), "want": _shape(want)}
    if got.device.type != want.device.type:
        facts["device"] = {"got": got.device.type, "want": want.device.type}
    return facts


def _have_values(got: torch.Tensor, want: torch.Tensor) -> bool:
    """Whether there are numbers on both sides, of one dtype or of two that torch can compare."""
    if "meta" in (got.device.type, want.device.type):
        return False
    return got.dtype == want.dtype or {got.dtype, want.dtype} <= COUNTED


def _shape(tensor: torch.Tensor) -> list[int]:
    return (
        list(tensor.shape[:_RANK_SHOWN]) if tensor.dim() <= _RANK_SHOWN else [*tensor.shape[:_RANK_SHOWN], -1]
    )


def _widened(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.is_complex():
        return tensor.detach().to(torch.complex128)
    return tensor.detach().to(torch.float64 if tensor.is_floating_point() else torch.int64)


def _values(got: torch.Tensor, want: torch.Tensor, tolerance: Tolerance) -> dict[str, Any]:
    """``{"values": ...}`` where some value is wrong, else ``{}``; both of one shape."""
    if got.dtype == want.dtype and torch.equal(got, want):
        return {}
    wide_got, wide_want = _widened(got), _widened(want)
    bad = wrong_places(wide_got, wide_want, tolerance)
    count = int(bad.sum())
    if not count:
        return {}
    nan_got, nan_want = torch.isnan(wide_got), torch.isnan(wide_want)
    facts: dict[str, Any] = {
        "bad_count": count,
        "size": bad.numel(),
        "bad_share": round(count / bad.numel(), 4),
        "first_bad": _index(bad),
        "worst": _worst(wide_got, wide_want, bad),
        "tolerance": {"atol": tolerance.atol, "rtol": tolerance.rtol},
    }
    if bool(nan_got.any()) or bool(nan_want.any()):
        facts |= {"nan_got": int(nan_got.sum()), "nan_want": int(nan_want.sum())}
        facts |= {"first_nan": _index(nan_got)} if bool(nan_got.any()) else {}
    return {"values": facts}


def wrong_places(got: torch.Tensor, want: torch.Tensor, tolerance: Tolerance) -> torch.Tensor:
    """bool, of the tensors' shape: which elements are wrong. NaN is right only where it is wanted."""
    same = (got == want) | (torch.isnan(got) & torch.isnan(want))
    if tolerance == EXACT:
        return ~same
    # an infinite bound must not let everything through, hence the wanted value has to be finite
    near = ((got - want).abs() <= tolerance.atol + tolerance.rtol * want.abs()) & torch.isfinite(want)
    return ~(same | near)


def _index(mask: torch.Tensor) -> list[int]:
    """The index of the first true element."""
    return _unravel(int(mask.flatten().to(torch.uint8).argmax()), mask.shape)


def _worst(got: torch.Tensor, want: torch.Tensor, bad: torch.Tensor) -> list[int]:
    """The index of the largest finite error among the bad elements, or of the first bad element."""
    error = (got.to(torch.complex128) - want.to(torch.complex128)).abs()
    error = torch.where(bad & torch.isfinite(error), error, torch.full_like(error, -1.0))
    place = int(error.flatten().argmax())
    return _unravel(place, bad.shape) if float(error.flatten()[place]) >= 0 else _index(bad)


def _unravel(place: int, shape: torch.Size) -> list[int]:
    index = []
    for size in reversed(shape):
        index.append(place % size)
        place //= size
    return index[::-1]


def _places(got: torch.Tensor, want: torch.Tensor, facts: Mapping[str, Any]) -> dict[str, Any]:
    places = {}
    for name, index in (("first", facts["first_bad"]), ("worst", facts["worst"])):
        at = tuple(index)
        places[name] = {
            "index": index,
            "got": number(got[at].detach().item()),
            "want": number(want[at].detach().item()),
        }
    return places


Found = tuple[tuple[Any, ...], str, dict[str, Any]]


def _first_difference(got: object, want: object, path: tuple[Any, ...]) -> Found | None:
    if type(got) is not type(want):
        return path, "type", {"got": type_name(got), "want": type_name(want)}
    if isinstance(got, list | tuple) and isinstance(want, list | tuple):
        if len(got) != len(want):
            return path, "length", {"got": len(got), "want": len(want)}
        pairs = [(i, a, b) for i, (a, b) in enumerate(zip(got, want, strict=True))]
        return _first_of(pairs, path)
    if isinstance(got, dict) and isinstance(want, dict):
        missing = [key for key in want if key not in got]
        if missing or len(got) != len(want):
            names = [describe(key, 60) for key in missing]
            return path, "keys", {"missing": names, "extra": len(got) - len(want) + len(missing)}
        return _first_of([(key, got[key], want[key]) for key in want], path)
    return None if _same(got, want) else (path, "value", {})


def _first_of(pairs: list[tuple[Any, Any, Any]], path: tuple[Any, ...]) -> Found | None:
    for key, a, b in pairs:
        shown = key if isinstance(key, int) else describe(key, 60)
        if found := _first_difference(a, b, (*path, shown)):
            return found
    return None


def _same(got: object, want: object) -> bool:
    if isinstance(got, torch.Tensor):
        raise TypeError("check.equal is for plain values; compare tensors with check.tensor")
    if isinstance(got, float) and isinstance(want, float) and math.isnan(want):
        return math.isnan(got)
    return bool(got == want)
