"""Descriptions of messages, what they are in plain values by definition, and random ones."""

from __future__ import annotations

import struct
from typing import Any

from judge.grading.seeds import Rng

MARK, TAG = "$", "__type__"
FORMATS = {
    "int8": "b", "uint8": "B", "int16": "h", "int32": "i", "int64": "q", "bool": "?",
    "float16": "e", "float32": "f", "float64": "d", "bfloat16": "",
}  # fmt: skip
CLASSES = ["SamplingParams", "UserMsg", "AbortMsg", "BatchMsg", "StatusMsg"]


def tensor(dtype: str, values: Any, view: str = "") -> dict[str, Any]:
    """A tensor, perhaps a view into a larger one."""
    return {MARK: "Tensor", "dtype": dtype, "values": values, **({"view": view} if view else {})}


def octets(dtype: str, values: list[Any]) -> bytes:
    """The bytes of the elements, little end first."""
    if dtype == "bfloat16":  # the upper half of a float32
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{len(values)}{FORMATS[dtype]}", *values)


class Writer:
    """What serialize must make of a description; wrong ones override."""

    def write(self, spec: Any) -> Any:
        """The plain value of a description."""
        if isinstance(spec, list | tuple):
            return self.sequence(spec)
        if not isinstance(spec, dict):
            return self.simple(spec)
        if spec.get(MARK) == "Tensor":
            return self.tensor(spec["dtype"], spec["values"])
        values = {key: value for key, value in spec.items() if key != MARK}
        return self.object(spec[MARK], values) if MARK in spec else self.mapping(values)

    def simple(self, value: Any) -> Any:
        """A plain value."""
        return value

    def sequence(self, items: Any) -> Any:
        """A list or tuple."""
        return type(items)(map(self.write, items))

    def mapping(self, values: dict[str, Any]) -> Any:
        """A dict."""
        return {key: self.write(value) for key, value in values.items()}

    def tensor(self, dtype: str, values: list[Any]) -> Any:
        """A tensor."""
        return {TAG: "Tensor", "buffer": octets(dtype, values), "dtype": f"torch.{dtype}"}

    def object(self, name: str, values: dict[str, Any]) -> Any:
        """An object."""
        return {TAG: name, **{key: self.write(value) for key, value in values.items()}}


def plain(spec: Any) -> Any:
    """What serialize must make of a description."""
    return Writer().write(spec)


def described(spec: Any) -> Any:
    """A description as the harness gives it of what came back: no views."""
    if isinstance(spec, list | tuple):
        return type(spec)(map(described, spec))
    if isinstance(spec, dict):
        return {key: described(value) for key, value in spec.items() if key != "view"}
    return spec


def listed(spec: Any) -> Any:
    """The same with lists for tuples."""
    if isinstance(spec, list | tuple):
        return [listed(item) for item in spec]
    if isinstance(spec, dict):
        return {key: listed(value) for key, value in spec.items()}
    return spec


def numbers(rng: Rng, dtype: str, size: int) -> list[Any]:
    """Values that every float dtype holds exactly."""
    found = [int(one) for one in rng.integers(0 if dtype == "uint8" else -100, 101, size)]
    if dtype == "bool":
        return [one > 0 for one in found]
    return [one / 4 for one in found] if "float" in dtype else found


def params(rng: Rng) -> dict[str, Any]:
    """Sampling parameters."""
    top_k, top_p = int(rng.integers(1, 50)), rng.pick([0.5, 0.75, 1.0])
    return {MARK: "SamplingParams", "temperature": 0.5, "top_k": top_k, "top_p": top_p,
            "ignore_eos": rng.pick([True, False]), "max_tokens": int(rng.integers(1, 4096))}  # fmt: skip


def user(rng: Rng, dtype: str = "int32", view: str = "") -> dict[str, Any]:
    """A request."""
    ids = tensor(dtype, numbers(rng, dtype, int(rng.integers(2, 7))), view)
    return {
        MARK: "UserMsg",
        "uid": int(rng.integers(1, 10_000)),
        "input_ids": ids,
        "sampling_params": params(rng),
    }


def simple(rng: Rng) -> Any:
    """A plain value of any kind."""
    number = int(rng.integers(-1000, 1000))
    return rng.pick(
        [None, True, False, number, number / 8, f"text {number} 你好", b"\x00\xff" + bytes([number % 256])]
    )


def nested(rng: Rng, depth: int) -> Any:
    """Containers and objects within each other; plain values at the bottom."""
    if depth == 0:
        return rng.pick([simple(rng), user(rng), tensor("int64", numbers(rng, "int64", 3))])
    inner = [nested(rng, depth - 1) for _ in range(int(rng.integers(1, 4)))]
    batch = {MARK: "BatchMsg", "data": inner, "extra": simple(rng)}
    return rng.pick([inner, tuple(inner), {f"KEY {i}": one for i, one in enumerate(inner)}, batch])
