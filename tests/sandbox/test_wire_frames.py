"""Frames: what is packed is read again, and nothing malformed is read at all."""

from __future__ import annotations

import struct

import pytest
import torch

from sandbox.cell.caps import MAX_DATA_BYTES, MAX_JSON_BYTES, WireError
from sandbox.cell.wire import Frame, drop_first, parse_envelope, read_frame
from tests.sandbox.frames import Reader, packed, raw


def test_a_frame_is_read_as_it_was_packed() -> None:
    pieces = [torch.arange(3, dtype=torch.uint8), torch.empty(0, dtype=torch.uint8), torch.tensor([1.5])]
    read = read_frame(Reader(packed(Frame({"kind": "x"}, bytearray(b"text"), pieces))))
    assert read.envelope == {"kind": "x"} and read.text == b"text"
    assert [piece.tolist() for piece in read.pieces[:2]] == [[0, 1, 2], []]
    assert read.pieces[2].view(torch.float32).tolist() == [1.5]


def test_sent_bytes_are_dropped_across_buffers() -> None:
    buffers = [memoryview(b"abc"), memoryview(b"d"), memoryview(b"efgh")]
    drop_first(buffers, 6)
    assert b"".join(buffers) == b"gh"
    drop_first(buffers, 2)
    assert buffers == []


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(raw({"sizes": [0]}, json=MAX_JSON_BYTES + 1), id="JSON too long"),
        pytest.param(raw({"sizes": [0]}, json=0), id="no JSON"),
        pytest.param(raw({"sizes": [MAX_DATA_BYTES + 1]}, data=MAX_DATA_BYTES + 1), id="data too long"),
        pytest.param(raw({"sizes": [0]}, data=2**64 - 1), id="length of 64 bits"),
        pytest.param(raw({"sizes": [1]}, b"ab"), id="sizes too small"),
        pytest.param(raw({"sizes": [3]}, b"ab"), id="sizes too large"),
        pytest.param(raw({"sizes": [-1, 3]}, b"ab"), id="negative size"),
        pytest.param(raw({"sizes": [True, 1]}, b"ab"), id="bool as a size"),
        pytest.param(raw({"sizes": [2.0]}, b"ab"), id="float as a size"),
        pytest.param(raw({"sizes": "ab"}, b"ab"), id="sizes no list"),
        pytest.param(raw({"sizes": []}), id="no sizes"),
        pytest.param(raw({}), id="sizes missing"),
        pytest.param(raw({"sizes": [0] * 300}), id="too many pieces"),
        pytest.param(raw([1, 2]), id="no object"),
        pytest.param(raw(b'{"sizes":[0],"sizes":[0]}'), id="repeated key"),
        pytest.param(raw(b'{"sizes":[0],"x":{"a":1,"a":1}}'), id="repeated key inside"),
        pytest.param(raw(b'{"sizes":[0],"x":NaN}'), id="NaN"),
        pytest.param(raw(b'{"sizes":[0],"x":-Infinity}'), id="infinity"),
        pytest.param(raw(b'{"sizes":[0],"x":"\xff"}'), id="no ASCII"),
        pytest.param(raw(b'{"sizes":[0],"x":' + b"9" * 5000 + b"}"), id="endless int"),
        pytest.param(raw(b'{"sizes":[0]} {}'), id="two objects"),
        pytest.param(raw(b'{"sizes":[0]'), id="cut JSON"),
        pytest.param(raw(b'{"x":' + b"[" * 500_000 + b"]" * 500_000 + b"}"), id="deep JSON"),
        pytest.param(raw(b'{"x":[' + b"[]," * 600_000 + b"0]}"), id="wide JSON"),
    ],
)
def test_a_malformed_frame_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        read_frame(Reader(data))


def test_lengths_are_checked_before_anything_is_read() -> None:
    reader = Reader(struct.pack(">IQ", MAX_JSON_BYTES + 1, 0) + b"rest")
    with pytest.raises(WireError):
        read_frame(reader)
    assert reader.data == b"rest"


def test_a_float_of_a_million_digits_is_no_trouble() -> None:
    assert parse_envelope(b'{"x":0.' + b"3" * 1_000_000 + b"}") == {"x": 1 / 3}
