"""Fuzzed bytes: whatever arrives, the decoder gives a plain value or a WireError, quickly and with little memory."""

from __future__ import annotations

import contextlib
import struct
import tracemalloc
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.calls import _bad_value, _not_loaded
from sandbox.cell.caps import WireError
from sandbox.cell.objects import Objects, ResultEncoder
from sandbox.cell.values import DTYPES
from sandbox.cell.wire import Frame, read_frame
from sandbox.contract import Limits
from sandbox.faults import fault_of
from sandbox.messages import Callbacks, ResultDecoder
from sandbox.proxy import Handle
from tests.sandbox.fake import ForkingClient
from tests.sandbox.frames import Reader, packed

FUZZ = settings(deadline=None, database=None, max_examples=150, suppress_health_check=list(HealthCheck))
PLAIN = (
    *(type(None), bool, int, float, complex, str, bytes, list, tuple, dict),
    *(torch.Tensor, torch.Size, torch.dtype, torch.device, Handle),
)


class Deaf:
    """A caller for handles that nobody uses."""

    def request(self, *_args: Any, **_kwargs: Any) -> Any:
        raise AssertionError("a handle was used")

    def drop(self, number: int) -> None:
        """Forgets."""


def decoded(frame: Frame) -> Any:
    decoder = ResultDecoder(
        frame, {}, Callbacks(), ["argument 1"], lambda *told: Handle(Deaf(), Deaf(), *told)
    )
    return decoder.whole(frame.envelope.get("value"))


def assert_plain(value: Any) -> None:
    assert type(value) in PLAIN
    if type(value) in (list, tuple):
        for inner in value:
            assert_plain(inner)
    if type(value) is dict:
        assert all(type(key) in (str, int) for key in value)
        assert_plain(list(value.values()))
    if type(value) is str:
        value.encode("utf-8")
    if type(value) is torch.Tensor and value.device.type == "cpu":
        value.clone()


def sample() -> bytes:
    """A frame with something of everything."""
    encoder = ResultEncoder({}, Objects(lambda *_asked: None), {})
    value = {
        "a": [1, -(2**80), 1.5, float("nan"), 1j, None, True],
        3: ("text,[", b"bytes", torch.Size([1, 2]), torch.int8, torch.device("cpu")),
        "t": [torch.arange(3), torch.zeros(2, 2).t(), torch.tensor(True), torch.empty(3, device="meta")],
    }
    encoder.frame.envelope |= {"nonce": "0" * 16, "kind": "return", "value": encoder.encode(value)}
    return packed(encoder.frame)


SAMPLE = sample()
edits = st.lists(st.tuples(st.integers(0, len(SAMPLE) - 1), st.integers(0, 255)), min_size=1, max_size=6)


@FUZZ
@given(edits, st.integers(0, len(SAMPLE)))
def test_a_damaged_frame_is_a_value_or_a_wire_error(changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(SAMPLE)
    for place, byte in changes:
        data[place] = byte
    for version in (bytes(data), bytes(data[:cut])):
        try:
            assert_plain(decoded(read_frame(Reader(version))))
        except (WireError, EOFError):
            continue


HEAD = 12
TEXT_BYTES = struct.unpack(">IQ", SAMPLE[:HEAD])[0]
TOKENS = [
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"9" * 30,
    b'"T"',
    b'"d"',
    b'"l"',
    b'"D"',
]
TOKENS += [
    b'"\\ud800"',
    b'"\\u0000"',
    b"-0",
    b"1.0",
    b'"cuda"',
    b'"meta"',
    b"4611686018427387904",
    b'"h"',
    b'"s"',
]


@FUZZ
@given(
    st.lists(
        st.tuples(st.integers(0, TEXT_BYTES), st.integers(0, 12), st.sampled_from(TOKENS)),
        min_size=1,
        max_size=4,
    )
)
def test_spliced_json_is_a_value_or_a_wire_error(splices: list[tuple[int, int, bytes]]) -> None:
    text, data = SAMPLE[HEAD : HEAD + TEXT_BYTES], SAMPLE[HEAD + TEXT_BYTES :]
    for place, length, token in splices:
        text = text[:place] + token + text[place + length :]
    frame = struct.pack(">IQ", len(text), len(data)) + text + data
    with contextlib.suppress(WireError, EOFError):
        assert_plain(decoded(read_frame(Reader(frame))))


numbers = st.one_of(
    st.integers(-2, 9), st.sampled_from([2**31, 2**60, 2**62, 2**63 - 1, 2**63, -(2**63), 2**64, 10**40])
)
names = st.sampled_from([*DTYPES, "cpu", "cuda:0", "meta", "mps", "nan", "0x1ffffffffffffffff", "x"])
atoms = st.one_of(st.none(), st.booleans(), numbers, names, st.floats(), st.text(max_size=4))
tags = st.sampled_from(["i", "f", "c", "s", "b", "l", "t", "d", "y", "v", "z", "D", "T", "h", "k", "?"])
shapes = st.lists(numbers, max_size=4)
tensors = st.tuples(st.just("T"), names, shapes, shapes, numbers, names, st.booleans(), numbers).map(list)
nodes = st.recursive(
    st.one_of(atoms, tensors),
    lambda inner: st.one_of(
        st.tuples(tags, st.lists(inner, max_size=5)).map(lambda pair: [pair[0], *pair[1]]),
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=2), inner, max_size=2),
    ),
    max_leaves=12,
)


@FUZZ
@given(nodes, st.binary(max_size=12), st.lists(st.integers(0, 64), max_size=3))
def test_any_node_is_a_value_or_a_wire_error(node: Any, text: bytes, sizes: list[int]) -> None:
    pieces = [torch.full((size,), 7, dtype=torch.uint8) for size in sizes]
    with contextlib.suppress(WireError):
        assert_plain(decoded(Frame({"value": node}, bytearray(text), pieces)))


@FUZZ
@given(st.recursive(atoms, lambda inner: st.lists(inner, max_size=5), max_leaves=12))
def test_any_fault_refusal_or_load_is_told_or_a_wire_error(value: Any) -> None:
    for reading in (fault_of, _bad_value, _not_loaded):
        try:
            reading(value)
        except WireError:
            continue


def bomb(value: bytes) -> bytes:
    text = b'{"nonce":"x","kind":"return","sizes":[0],"value":' + value + b"}"
    return struct.pack(">IQ", len(text), 0) + text


@pytest.mark.parametrize(
    "value",
    [
        b'["l"' + b",[]" * 300_000 + b"]",
        b'["l"' + b',["l"]' * 300_000 + b"]",
        b'["d"' + b",1" * 400_000 + b"]",
        b'["z"' + b",1" * 900_000 + b"]",
        b'["l"' + b',["T","float32",[4611686018427387903,0],[1,1],0,"meta",false,0]' * 20_000 + b"]",
        b'["l"' + b',["T","float64",[0],[1],0,"meta",false,0]' * 20_000 + b"]",
        b'["l"' + b',["h",1,"' + b"x" * 1000 + b'"]' * 1 + b"]",
        b'"' + b"x" * 8_000_000 + b'"',
        b'["i","0x' + b"f" * 8_000_000 + b'"]',
        b'["c","0x' + b"f" * 8_000_000 + b'","0"]',
        b'["l"' + b"," + b"9" * 4000 + b"]",
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_small_frame_cannot_take_much_memory(value: bytes) -> None:
    data = bomb(value)
    tracemalloc.start()
    try:
        decoded(read_frame(Reader(data)))
    except WireError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 150 << 20


@pytest.mark.parametrize(
    "data", [b"\xff" * 64, b"\0" * 12, bomb(b"1"), SAMPLE], ids=["high", "zero", "reply", "sample"]
)
def test_a_cell_that_gets_garbage_ends(forking_client: ForkingClient, data: bytes) -> None:
    cell = forking_client.spawn(Limits())
    cell.wire.sendall(data)
    ended = cell.wait(30)
    assert ended is not None and (ended.reason, ended.status) == ("exited", 70)


def test_a_cell_ends_when_the_grader_is_gone(forking_client: ForkingClient) -> None:
    cell = forking_client.spawn(Limits())
    cell.wire.close()
    ended = cell.wait(30)
    assert ended is not None and (ended.reason, ended.status) == ("exited", 0)


def test_the_sample_is_a_good_frame() -> None:
    frame = read_frame(Reader(SAMPLE))
    assert frame.envelope["kind"] == "return"
    assert list(decoded(frame)) == ["a", 3, "t"]
