"""Plain values cross unchanged; what cannot cross is refused by a stable key; hostile nodes are WireErrors."""

from __future__ import annotations

import collections
import dataclasses
import enum
import math
import tracemalloc
from typing import Any, NamedTuple

import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sandbox.cell import caps
from sandbox.cell.caps import Refused, WireError
from sandbox.cell.decode import Decoder
from sandbox.cell.encode import Encoder
from sandbox.cell.wire import Frame, read_frame
from tests.sandbox.frames import Reader, packed


@dataclasses.dataclass(frozen=True)
class Pair:
    left: Any
    right: Any = dataclasses.field(default_factory=list)


CLASSES = {"Pair": Pair}


def crossed(value: object) -> Any:
    """``value`` after the whole way, through bytes."""
    encoder = Encoder(CLASSES)
    encoder.frame.envelope["value"] = encoder.encode(value)
    frame = read_frame(Reader(packed(encoder.frame)))
    decoder = Decoder(frame, CLASSES)
    got = decoder.decode(frame.envelope["value"])
    decoder.finish()
    return got


def refused(value: object) -> tuple[str, str]:
    with pytest.raises(Refused) as caught:
        Encoder(CLASSES).encode(value)
    return caught.value.kind, caught.value.type_name


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**1000) + 1, 10**1000 - 1),
    st.floats(allow_nan=False),
    st.complex_numbers(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    st.binary(),
    st.sampled_from(
        [torch.int8, torch.float8_e5m2, torch.device("meta"), torch.device("cuda:1"), torch.Size([2, 0])]
    ),
)
keys = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), st.integers(-99, 99)
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.dictionaries(keys, inner),
        st.builds(Pair, inner, inner),
    ),
    max_leaves=20,
)


@given(values)
def test_plain_values_cross_unchanged(value: object) -> None:
    got = crossed(value)
    assert got == value and repr(got) == repr(value)


@pytest.mark.parametrize("value", [math.inf, -math.inf, -0.0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2])
def test_a_float_keeps_its_bits(value: float) -> None:
    assert repr(crossed(value)) == repr(value)
    assert repr(crossed(complex(value, -value))) == repr(complex(value, -value))


def test_nan_stays_nan() -> None:
    assert math.isnan(crossed(math.nan)) and math.isnan(crossed(complex(math.nan, 1)).real)


@pytest.mark.parametrize("value", [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**1000 - 1, 1 - 10**1000])
def test_ints_cross_up_to_a_thousand_digits(value: int) -> None:
    assert crossed(value) == value and type(crossed(value)) is int


def test_bool_is_no_int() -> None:
    assert [type(part) for part in crossed([True, 1, 1.0])] == [bool, int, float]


def test_text_is_cleaned() -> None:
    assert crossed("a\ud800b\0c\U0001f600") == "a\\ud800bc\U0001f600"
    assert crossed({"a\0": 1}) == {"a": 1}


def test_named_tuples_become_tuples_and_ordered_dicts_dicts() -> None:
    class Point(NamedTuple):
        x: int
        y: int

    assert crossed(Point(1, 2)) == (1, 2) and type(crossed(Point(1, 2))) is tuple
    ordered = crossed(collections.OrderedDict(b=1, a=2))
    assert type(ordered) is dict and list(ordered) == ["b", "a"]
    assert crossed(collections.defaultdict(int, a=1)) == {"a": 1}


class Sub(int):
    pass


class Liar(list[int]):
    def __len__(self) -> int:
        raise AssertionError("called")

    __iter__ = __getitem__ = __eq__ = __len__  # type: ignore[assignment]


class Flag(enum.IntEnum):
    ON = 1


class Pretender:
    __class__ = dict  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (numpy.zeros(2), ("numpy", "ndarray")),
        (numpy.float64(1), ("numpy", "float64")),
        (numpy.int32(1), ("numpy", "int32")),
        (Sub(1), ("subclass", "Sub")),
        (Liar([1]), ("subclass", "Liar")),
        (Flag.ON, ("subclass", "Flag")),
        (collections.Counter("a"), ("subclass", "Counter")),
        (Pretender(), ("type", "Pretender")),
        ({1, 2}, ("type", "set")),
        (range(3), ("type", "range")),
        (object(), ("type", "object")),
        (bytearray(b"x"), ("type", "bytearray")),
        (..., ("type", "ellipsis")),
        ({None: 1}, ("key", "NoneType")),
        ({True: 1}, ("key", "bool")),
        ({(1, 2): 1}, ("key", "tuple")),
        ({1.0: 1}, ("key", "float")),
        ({Sub(1): 1}, ("key", "Sub")),
        ({2**70: 1}, ("key", "int")),
        ({"a": 1, "a\0": 2}, ("key", "str")),
        (10**1000, ("int", "int")),
        (-(10**1000), ("int", "int")),
        (1 << 10_000_000, ("int", "int")),
        ([0] * (caps.MAX_ITEMS + 1), ("too-big", "")),
        (b"x" * (caps.MAX_DATA_BYTES + 1), ("too-big", "")),
        ("x" * (caps.MAX_DATA_BYTES + 1), ("too-big", "")),
        ("\u6c49" * (caps.MAX_DATA_BYTES // 2), ("too-big", "")),
    ],
    ids=lambda value: None if isinstance(value, tuple) else type(value).__name__,
)
def test_what_cannot_cross_is_named(value: object, expected: tuple[str, str]) -> None:
    assert refused(value) == expected


def test_a_cycle_is_refused_and_a_repetition_is_not() -> None:
    cyclic: list[object] = []
    cyclic.append({"in": (cyclic,)})
    assert refused(cyclic)[0] == "cyclic"
    shared = [1]
    assert crossed([shared, shared]) == [[1], [1]]


def test_a_small_value_that_unfolds_without_end_is_refused() -> None:
    value: object = [0] * 10
    for _ in range(14):
        value = [value] * 10
    assert refused(value)[0] == "too-big"


def nested(levels: int) -> object:
    value: object = 0
    for _ in range(levels):
        value = [value]
    return value


def test_depth_is_capped() -> None:
    assert crossed(nested(caps.MAX_DEPTH)) == nested(caps.MAX_DEPTH)
    assert refused(nested(caps.MAX_DEPTH + 1))[0] == "too-deep"
    assert refused(nested(100_000))[0] == "too-deep"


def test_many_items_cross() -> None:
    value = {"numbers": list(range(50_000)), "words": [f"w,[{number}" for number in range(40_000)]}
    assert crossed(value) == value


small = st.one_of(st.integers(-(1 << 63), (1 << 63) - 1), st.booleans(), st.integers(1 << 63, 1 << 65))


@given(st.lists(st.one_of(st.lists(small, max_size=3).map(tuple), small), min_size=1, max_size=5))
def test_tables_of_integers_cross_as_any_other_list(rows: list[Any]) -> None:
    got = crossed([rows, tuple(rows)])
    assert got == [rows, tuple(rows)] and repr(got) == repr([rows, tuple(rows)])  # a bool stays one


def test_tables_of_integers_are_capped_as_any_other_list() -> None:
    def deep(levels: int) -> object:
        value: object = [(1, 2)]
        for _ in range(levels - 2):
            value = [value]
        return value

    assert crossed(deep(caps.MAX_DEPTH)) == deep(caps.MAX_DEPTH)
    assert refused(deep(caps.MAX_DEPTH + 1))[0] == "too-deep"
    row = (0,) * (caps.MAX_ITEMS // 2)
    assert refused([row] * 2)[0] == "too-big"
    tracemalloc.start()
    try:
        assert refused([row] * 1000)[0] == "too-big"
        assert tracemalloc.get_traced_memory()[1] < 64 << 20  # it was not unfolded: that would be 400 MB
    finally:
        tracemalloc.stop()


def test_a_dataclass_is_rebuilt_without_running_its_code() -> None:
    made = crossed(Pair(1, {"x": Pair(2)}))
    assert made == Pair(1, {"x": Pair(2, [])})
    half = object.__new__(Pair)
    object.__setattr__(half, "left", 1)
    assert refused(half) == ("type", "Pair")


def decoded(node: Any, text: bytes = b"") -> Any:
    decoder = Decoder(Frame({}, bytearray(text)), CLASSES)
    value = decoder.decode(node)
    decoder.finish()
    return value


@pytest.mark.parametrize(
    "node",
    [
        [],
        {},
        {"l": 1},
        [1],
        ["?"],
        ["x" * 100_000],
        [["l"]],
        2**64,
        float("inf"),
        "comma,",
        "x" * 49,
        "\u6c49",
        ["s"],
        ["s", 1],
        ["s", -1],
        ["s", True],
        ["s", "0"],
        ["s", 0, 0],
        ["b", 2**62],
        ["i", 5],
        ["i", "5"],
        ["i", "0x5"],
        ["i", "0x" + "f" * 832],
        ["i", "0x" + "f" * 831],
        ["i", "0x_1000000000000000"],
        ["f", "1.0"],
        ["f", None],
        ["f", "infinity"],
        ["c", "1", 2],
        ["c", "x", "1"],
        ["c", "0x1p99999", "0"],
        ["y", "float33"],
        ["y", ["float32"]],
        ["v", "cuda:1000"],
        ["v", "cuda:-1"],
        ["v", "nonsense"],
        ["z", 1.0],
        ["z", True],
        ["z", 2**70],
        ["d", "a"],
        ["d", "a", "a", 1, 2],
        ["d", True, 1],
        ["d", None, 1],
        ["d", ["l"], 1],
        ["d", ["i", "0x1000000000000000000"], 1],
        ["D"],
        ["D", "Pair"],
        ["D", "Other", [], 1],
        ["D", "Pair", ["left"], 1],
        ["D", "Pair", ["left", "right"], 1],
        ["D", "Pair", ["left", "right"], 1, 2, 3],
        ["D", "Pair", ["right", "left"], 1, 2],
        ["D", ["Pair"], ["left", "right"], 1, 2],
        ["T", "float32", [1], [1], 0, "cpu", False, 0],
        ["h", 1, "x"],
        ["k", 1],
        ["l", ["l", {"x": 1}]],
    ],
    ids=lambda node: repr(node)[:40],
)
def test_a_hostile_node_is_a_wire_error(node: Any) -> None:
    with pytest.raises(WireError):
        decoded(node)


def test_tables_too_large_or_too_deep_are_wire_errors() -> None:
    row = ["t", *[0] * (caps.MAX_ITEMS // 2)]
    with pytest.raises(WireError, match="too many"):
        decoded(["l", *[row] * 5])
    node: Any = ["l", ["t", 1]]
    for _ in range(caps.MAX_DEPTH - 1):
        node = ["l", node]
    with pytest.raises(WireError, match="too deep"):
        decoded(node)


def test_deep_nodes_and_unused_text_are_wire_errors() -> None:
    node: Any = 0
    for _ in range(caps.MAX_DEPTH + 1):
        node = ["l", node]
    with pytest.raises(WireError):
        decoded(node)
    with pytest.raises(WireError):
        decoded(["s", 1], b"ab")
    with pytest.raises(WireError):
        decoded(["s", 1], b"\xff")
    with pytest.raises(WireError):
        decoded(["l", *[0] * (2 * caps.MAX_ITEMS + 1)])
