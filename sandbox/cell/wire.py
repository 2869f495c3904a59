"""Frames: two lengths, one JSON object, then raw bytes. Used by both ends; every received byte is hostile.

A frame is ``>IQ`` (bytes of JSON, bytes of data), the JSON *envelope*, and the data: first all long text, then each
tensor's piece. The envelope's ``sizes`` lists them in order, so a receiver reads each piece straight into the storage
that it will live in. Nothing is ever pickled or evaluated.
"""

from __future__ import annotations

import ctypes
import json
import socket
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import torch

from .caps import MAX_DATA_BYTES, MAX_JSON_BYTES, MAX_JSON_NODES, MAX_TENSORS, WireError

_HEADER = struct.Struct(">IQ")
_IOV_MAX = 512  # buffers in one sendmsg; Linux takes 1024
_STRUCTURE = (b",", b"[", b"{", b":")

_memoryview_at = ctypes.pythonapi.PyMemoryView_FromMemory  # a ctypes array costs 50 us a tensor
_memoryview_at.restype = ctypes.py_object
_memoryview_at.argtypes = (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)
_WRITABLE = 0x200  # PyBUF_WRITE

Fill = Callable[[list[memoryview]], None]
"""Fills all the views, in order, with received bytes, or raises. The list is used up."""


@dataclass
class Frame:
    """A message taken apart: the envelope's fields, the text, and one uint8 tensor [bytes] for each piece."""

    envelope: dict[str, Any]
    text: bytearray = field(default_factory=bytearray)
    pieces: list[torch.Tensor] = field(default_factory=list)


def memory_of(tensor: torch.Tensor) -> memoryview:
    """The bytes of a contiguous CPU tensor, not copied: keep the tensor alive as long as the view."""
    nbytes = tensor.numel() * tensor.element_size()
    if nbytes == 0:
        return memoryview(b"")
    view: memoryview = _memoryview_at(tensor.data_ptr(), nbytes, _WRITABLE)
    return view


def pack(frame: Frame) -> list[memoryview]:
    """The buffers to send, in order. ``frame.pieces`` must be contiguous CPU tensors and outlive them."""
    data = [memoryview(frame.text), *(memory_of(piece) for piece in frame.pieces)]
    sizes = [len(view) for view in data]
    envelope = _ENCODER.encode({**frame.envelope, "sizes": sizes})
    head = _HEADER.pack(len(envelope), sum(sizes)) + envelope.encode("ascii")
    return [memoryview(head), *(view for view in data if len(view))]


def drop_first(buffers: list[memoryview], count: int) -> None:
    """Removes the first ``count`` bytes from the list of buffers, in place."""
    whole = 0
    while whole < len(buffers) and count >= len(buffers[whole]):
        count -= len(buffers[whole])
        whole += 1
    del buffers[:whole]
    if count:
        buffers[0] = buffers[0][count:]


def send_some(sock: socket.socket, buffers: list[memoryview]) -> None:
    """Sends once what the socket takes and drops it from ``buffers``; raises OSError as the socket does."""
    drop_first(buffers, sock.sendmsg(buffers[:_IOV_MAX]))


def receive_some(sock: socket.socket, views: list[memoryview]) -> bool:
    """Receives once into ``views`` and drops what is full; False at the stream's end. Raises OSError as the socket does."""
    got = sock.recvmsg_into(views[:_IOV_MAX])[0]
    drop_first(views, got)
    return got > 0


def read_frame(fill: Fill) -> Frame:
    """Reads one frame through ``fill``; raises WireError on anything malformed, and what ``fill`` raises."""
    header = bytearray(_HEADER.size)
    fill([memoryview(header)])
    json_bytes, data_bytes = _HEADER.unpack(header)
    if not 2 <= json_bytes <= MAX_JSON_BYTES or data_bytes > MAX_DATA_BYTES:
        raise WireError("frame too large")
    text = bytearray(json_bytes)
    fill([memoryview(text)])
    envelope = parse_envelope(bytes(text))
    sizes = _checked_sizes(envelope.pop("sizes", None), data_bytes)
    pieces = [torch.empty(size, dtype=torch.uint8, device="cpu") for size in sizes[1:]]
    frame = Frame(envelope, bytearray(sizes[0]), pieces)
    views = [memoryview(frame.text), *(memory_of(piece) for piece in pieces)]
    if views := [view for view in views if len(view)]:
        fill(views)
    return frame


def parse_envelope(text: bytes) -> dict[str, Any]:
    """The JSON object in ``text``, parsed strictly: ASCII, no repeated keys, no NaN, bounded structure."""
    if sum(map(text.count, _STRUCTURE)) > MAX_JSON_NODES:
        raise WireError("too much structure")
    try:
        envelope = _DECODER.decode(text.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise WireError(f"bad JSON: {type(error).__name__}") from None
    if type(envelope) is not dict:
        raise WireError("the envelope is not an object")
    return envelope


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise WireError("repeated key")
    return found


def _no_constant(_text: str) -> NoReturn:
    raise WireError("a constant that is not JSON")


# json.dumps and json.loads would make these anew each time
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def _checked_sizes(sizes: object, data_bytes: int) -> list[int]:
    if type(sizes) is not list or not 1 <= len(sizes) <= MAX_TENSORS + 1:
        raise WireError("bad sizes")
    if any(type(size) is not int or size < 0 for size in sizes) or sum(sizes) != data_bytes:
        raise WireError("sizes do not add up")
    return sizes
