"""Tensors on the wire, which are not treated alike in the two directions.

To the cell the *storages* cross, and tensors are rebuilt as views on them: dtype, shape, stride, storage offset and
sharing are what the caller had, on cpu, cuda or meta. Of a storage only the bytes between the first and the last
that a view can reach are sent; what lies before them is zero in the cell.
To the grader each tensor crosses as contiguous bytes of its own; stride, offset, device and what it shares a storage
with go along as facts, and nothing is built from them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch

from .caps import MAX_DIMS, MAX_NUMEL_BYTES, Refused, WireError
from .decode import Decoder
from .encode import Encoder
from .values import DTYPE_NAMES, INT64, Node, type_name
from .wire import Frame

_SENDABLE = ("cpu", "cuda", "meta")


@dataclass
class _Storage:
    """A storage and the bytes of it that views reach."""

    storage: torch.UntypedStorage
    device: torch.device
    low: int
    high: int


class Storages:
    """The storages behind the tensors of one message to the cell, numbered as they were met."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._met: list[_Storage] = []

    def add(self, tensor: torch.Tensor, shape: list[int], stride: list[int]) -> int:
        """The number of the tensor's storage."""
        storage = tensor.untyped_storage()
        low, high = _reach(tensor, shape, stride)
        number = self._numbers.setdefault(storage._cdata, len(self._met))
        if number == len(self._met):
            self._met.append(_Storage(storage, tensor.device, low, high))
        met = self._met[number]
        met.low, met.high = min(met.low, low), max(met.high, high)
        return number

    def write(self, encoder: Encoder) -> None:
        """Puts the table of storages and their bytes into the encoder's frame; raises Refused over the cap."""
        table = []
        for met in self._met:
            table.append([str(met.device), met.low, met.high])
            nbytes = 0 if met.device.type == "meta" else met.high - met.low
            encoder.take_bytes(nbytes)
            piece = torch.empty(0, dtype=torch.uint8, device=met.device if nbytes else "cpu")
            if nbytes:
                piece = piece.set_(met.storage, met.low, (nbytes,), (1,)).cpu()
            encoder.frame.pieces.append(piece)
        encoder.frame.envelope["storages"] = table


def _reach(tensor: torch.Tensor, shape: list[int], stride: list[int]) -> tuple[int, int]:
    """First byte, and the byte after the last, that the tensor can reach in its storage."""
    first, itemsize = int(tensor.storage_offset()), tensor.element_size()
    if 0 in shape:
        return first * itemsize, first * itemsize
    last = first + sum([(n - 1) * step for n, step in zip(shape, stride, strict=True)])
    return first * itemsize, (last + 1) * itemsize


def argument_node(tensor: torch.Tensor, storages: Storages) -> Node:
    """The node of a trusted tensor on its way to the cell; raises Refused where it is not dense."""
    check_dense(tensor)
    plain = _resolved(tensor)
    shape, stride = list(plain.shape), list(plain.stride())
    return [
        "T",
        storages.add(plain, shape, stride),
        DTYPE_NAMES[plain.dtype],
        shape,
        stride,
        plain.storage_offset(),
        tensor.requires_grad,
    ]


def _resolved(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor with its conjugations and signs carried out: those are marks on it and not in its storage."""
    marked = tensor.is_conj() or tensor.is_neg()
    return tensor.detach().resolve_conj().resolve_neg() if marked else tensor


def rebuild_storages(table: Node, frame: Frame) -> list[torch.Tensor]:
    """In the cell: one uint8 tensor [bytes] over each storage of the message."""
    bases = []
    for (device, low, high), piece in zip(table, frame.pieces, strict=True):
        if torch.device(device).type == "meta":
            base = torch.empty(high, dtype=torch.uint8, device="meta")
        elif low:
            base = torch.zeros(high, dtype=torch.uint8, device="cpu")
            base[low:] = piece
        else:
            base = piece
        bases.append(base.to(device))
    frame.pieces.clear()
    return bases


def rebuild_argument(parts: list[Node], bases: list[torch.Tensor], decoder: Decoder) -> torch.Tensor:
    """In the cell: the tensor that the caller passed."""
    number, dtype, shape, stride, offset, requires_grad = parts
    base = bases[number]
    tensor = torch.empty(0, dtype=decoder.dtype(dtype), device=base.device)
    tensor.set_(base.untyped_storage(), offset, shape, stride)
    return tensor.requires_grad_() if requires_grad else tensor


def check_dense(tensor: torch.Tensor) -> None:
    """Raises Refused unless the tensor is strided, of a plain dtype, and on a device that can cross."""
    layout = tensor.layout
    if tensor.is_nested or (layout is not torch.strided and "jagged" in str(layout)):
        raise Refused("nested", "Tensor")
    if layout is not torch.strided:
        raise Refused("sparse", "Tensor")
    if tensor.is_quantized:
        raise Refused("quantised", "Tensor")
    if tensor.device.type not in _SENDABLE:
        raise Refused("device", "Tensor")
    if tensor.dim() > MAX_DIMS or _bytes_spanned(tensor.shape, tensor.dtype) >= MAX_NUMEL_BYTES:
        raise Refused("too-big", "Tensor")


def _bytes_spanned(shape: Sequence[int], dtype: torch.dtype) -> int:
    """Bytes of a tensor of this shape, an empty one's other dimensions counted."""
    return (math.prod(shape) or math.prod([max(length, 1) for length in shape])) * dtype.itemsize


def result_node(tensor: torch.Tensor, groups: dict[int, int], encoder: Encoder) -> Node:
    """In the cell: the node of a learner's tensor; its bytes go into the encoder's frame.

    ``groups`` numbers storages by identity, the arguments' first. Size is checked before anything is materialised,
    so an expanded tensor costs nothing; MemoryError where there is no room for the copy.
    """
    try:
        return _result_node(tensor, groups, encoder)
    except RuntimeError as error:
        if is_out_of_memory(error):
            raise MemoryError from None
        raise Refused(
            "wrapped", type_name(type(tensor))
        ) from None  # of vmap, functorch and the like: no storage


def _result_node(tensor: torch.Tensor, groups: dict[int, int], encoder: Encoder) -> Node:
    check_dense(tensor)
    if tensor.device.type != "meta":
        encoder.take_bytes(tensor.numel() * tensor.element_size())
    group = groups.setdefault(tensor.untyped_storage()._cdata, len(groups))
    facts = [list(tensor.stride()), tensor.storage_offset(), str(tensor.device), tensor.requires_grad, group]
    if tensor.device.type != "meta":
        encoder.frame.pieces.append(_resolved(tensor).detach().contiguous().cpu())
    return ["T", DTYPE_NAMES[tensor.dtype], list(tensor.shape), *facts]


def is_out_of_memory(error: BaseException) -> bool:
    """Whether torch's allocator, or CUDA's, raised this."""
    if type(error) is not RuntimeError and type(error) is not torch.OutOfMemoryError:
        return False
    text = str(error)
    return "DefaultCPUAllocator" in text or "not enough memory" in text or "out of memory" in text


class Received(NamedTuple):
    """A learner's tensor: its values, contiguous and our own, and the facts that came along (hostile, in range)."""

    tensor: torch.Tensor
    stride: tuple[int, ...]
    storage_offset: int
    device: str
    requires_grad: bool
    group: int


def receive_result(parts: list[Node], decoder: Decoder) -> Received:
    """In the grader: a tensor built from shape, dtype and bytes alone; raises WireError."""
    if len(parts) != 7:
        raise WireError("bad tensor")
    name, sizes, strides, offset, device, requires_grad, group = parts
    dtype, shape, stride = decoder.dtype(name), decoder.integers(sizes), decoder.integers(strides)
    if name.startswith("q") or len(shape) > MAX_DIMS or len(stride) != len(shape):
        raise WireError("bad tensor")
    if min(shape, default=0) < 0 or _bytes_spanned(shape, dtype) >= MAX_NUMEL_BYTES:
        raise WireError("bad shape")
    if type(requires_grad) is not bool or not (_counts(offset) and _counts(group)):
        raise WireError("bad facts")
    where = device if device == "cpu" else str(decoder.device(device))
    if where.startswith("meta"):
        tensor = torch.empty(shape, dtype=dtype, device="meta")
    else:
        tensor = _from_bytes(decoder.take_piece(), dtype, shape)
    return Received(tensor, tuple(stride), offset, where, requires_grad, group)


def _counts(number: Node) -> bool:
    return type(number) is int and number >= 0 and number in INT64


def _from_bytes(piece: torch.Tensor, dtype: torch.dtype, shape: list[int]) -> torch.Tensor:
    if piece.numel() != math.prod(shape) * dtype.itemsize:
        raise WireError("piece does not fit its shape")
    if dtype is torch.bool:  # a bool of any byte but 0 and 1 is not one
        return piece.ne(0).view(shape)
    if not piece.numel():
        return torch.empty(shape, dtype=dtype, device="cpu")
    stride, step = [1] * len(shape), 1
    for place in range(len(shape) - 1, 0, -1):
        step *= shape[place]
        stride[place - 1] = step
    return torch.empty(0, dtype=dtype, device="cpu").set_(piece.untyped_storage(), 0, shape, stride)
