"""Tensors: rebuilt as they were on the way to the cell, as bytes and facts on the way back."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import torch

from sandbox.cell import caps
from sandbox.cell.caps import Refused, WireError
from sandbox.cell.objects import ArgumentDecoder, Objects, ResultEncoder
from sandbox.cell.tensors import rebuild_storages
from sandbox.cell.values import DTYPES
from sandbox.cell.wire import Frame, read_frame
from sandbox.messages import ArgumentEncoder, Callbacks, ResultDecoder
from sandbox.proxy import TensorFacts, facts
from tests.sandbox.frames import Reader, packed

PLAIN = [name for name in DTYPES if not name.startswith("q")]


def no_answer(*_args: Any) -> Any:
    raise AssertionError("nobody should be asked")


def sent(*args: object) -> list[Any]:
    """Arguments as the cell gets them."""
    frame = read_frame(Reader(packed(ArgumentEncoder({}, Callbacks(), None).message(args, {}))))
    bases = rebuild_storages(frame.envelope["storages"], frame)
    decoder = ArgumentDecoder(frame, {}, Objects(no_answer), bases)
    return [decoder.decode(node) for node in frame.envelope["args"]]


def returned(value: object, groups: dict[int, int] | None = None, places: list[str] | None = None) -> Any:
    """A learner's value as the grader gets it."""
    encoder = ResultEncoder({}, Objects(no_answer), groups or {})
    encoder.frame.envelope["value"] = encoder.encode(value)
    frame = read_frame(Reader(packed(encoder.frame)))
    return decoded(frame, places or [])


def decoded(frame: Frame, places: list[str]) -> Any:
    return ResultDecoder(frame, {}, Callbacks(), places, no_answer).whole(frame.envelope["value"])


def known(tensor: torch.Tensor) -> TensorFacts:
    """The facts of a received tensor."""
    found = facts(tensor)
    assert found is not None
    return found


def refused(value: object) -> str:
    with pytest.raises(Refused) as caught:
        ResultEncoder({}, Objects(no_answer), {}).encode(value)
    return caught.value.kind


def bits(tensor: torch.Tensor) -> list[int]:
    """The bytes of a contiguous tensor."""
    nbytes = tensor.numel() * tensor.element_size()
    flat = torch.empty(0, dtype=torch.uint8)
    return flat.set_(tensor.untyped_storage(), tensor.storage_offset(), (nbytes,), (1,)).tolist()


def filled(name: str, *shape: int) -> torch.Tensor:
    """A tensor of any dtype, with bytes 1 for bool and mixed ones for others."""
    dtype = DTYPES[name]
    count = torch.Size(shape).numel() * dtype.itemsize
    data = torch.arange(count, dtype=torch.int64).mul(37).add(1).remainder(251).to(torch.uint8)
    data = torch.ones_like(data) if dtype is torch.bool else data
    stride = torch.empty(shape, device="meta").stride()
    return torch.empty(0, dtype=dtype).set_(data.untyped_storage(), 0, shape, stride)


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("shape", [(2, 3), (), (0,), (3, 0, 2)], ids=str)
def test_every_dtype_crosses_both_ways(name: str, shape: tuple[int, ...]) -> None:
    tensor = filled(name, *shape)
    for got in (sent(tensor)[0], returned(tensor)):
        assert got.dtype == tensor.dtype and got.shape == tensor.shape
        assert bits(got) == bits(tensor)


def test_the_cell_gets_stride_offset_and_sharing() -> None:
    base = torch.arange(24.0).view(4, 6)
    views = [base, base[1:, 2:5], base.t(), base[:, ::2], base[2].expand(3, 6), base[4:]]
    got = sent(views, {"again": base[0]})
    for view, copy in zip(views, got[0], strict=True):
        assert copy.stride() == view.stride() and copy.storage_offset() == view.storage_offset()
        assert torch.equal(copy, view)
    got[0][0][0, 0] = 99
    assert got[0][2][0, 0] == 99 and got[1]["again"][0] == 99
    assert base[0, 0] == 0


def test_views_of_two_dtypes_share_one_storage() -> None:
    words = torch.arange(4, dtype=torch.int32)
    got = sent(words, words.view(torch.int16))
    got[0][0] = 7
    assert got[1][0] == 7


def test_only_what_a_view_reaches_is_sent() -> None:
    secret = torch.tensor([111.0, 1.0, 2.0, 222.0])
    got = sent(secret[1:3])[0]
    everything = torch.empty(0).set_(got.untyped_storage())
    assert got.tolist() == [1, 2] and got.storage_offset() == 1
    assert everything.tolist() == [0, 1, 2]


def test_a_tensor_in_the_cell_can_be_resized_and_changed() -> None:
    tensor = sent(torch.zeros(3))[0]
    tensor.resize_(1000).fill_(1)
    assert tensor.sum() == 1000


def test_meta_tensors_cross_and_share() -> None:
    base = torch.empty(1 << 20, 1 << 20, device="meta")
    one, two = sent(base[:, 5], base.t())
    assert one.is_meta and one.stride() == (1 << 20,) and one.storage_offset() == 5
    assert one.untyped_storage()._cdata == two.untyped_storage()._cdata
    got = returned(base.t())
    assert got.is_meta and got.shape == base.shape and got.dtype == base.dtype
    assert known(got).device == "meta" and known(got).stride == (1, 1 << 20)


def test_gradients_are_asked_for_in_the_cell_and_a_fact_afterwards() -> None:
    leaf = torch.ones(2, requires_grad=True)
    argument = sent(leaf)[0]
    assert argument.requires_grad and argument.is_leaf
    got = returned({"out": (leaf * 2), "parameter": torch.nn.Parameter(leaf.detach())})
    assert not got["out"].requires_grad and known(got["out"]).requires_grad
    assert type(got["parameter"]) is torch.Tensor


def test_conjugate_and_negative_views_arrive_with_their_values() -> None:
    tensor = torch.tensor([1 + 2j, 3 - 4j])
    for view in (tensor.conj(), tensor.conj().imag, tensor.imag):
        assert torch.equal(returned(view), view) and torch.equal(sent(view)[0], view)


def test_a_bool_is_zero_or_one() -> None:
    strange = torch.tensor([0, 1, 2, 255], dtype=torch.uint8).view(torch.bool)
    assert bits(returned(strange)) == [0, 1, 1, 1]


def test_facts_tell_what_the_learner_had() -> None:
    table = torch.arange(12).view(3, 4)
    groups = {table.untyped_storage()._cdata: 0}
    got = returned(
        {"view": table[:, 1:], "own": table.clone(), "pair": [table[0], 1]}, groups, [("argument", 3)]
    )
    view = known(got["view"])
    assert got["view"].is_contiguous()
    assert (view.stride, view.storage_offset, view.contiguous) == ((4, 1), 1, False)
    assert view.aliases == ("argument 3", "result['pair'][0]")
    assert known(got["own"]).aliases == () and known(got["own"]).contiguous
    assert facts(table) is None


def test_giant_expanded_tensors_cost_nothing() -> None:
    assert refused(torch.zeros(1).expand(1 << 40)) == "too-big"
    assert refused([torch.zeros(1).expand(1 << 23)] * 3) == "too-big"
    assert returned(torch.zeros(1).expand(1 << 10)).shape == (1 << 10,)


@pytest.mark.filterwarnings("ignore")
def test_other_tensors_are_refused_by_kind() -> None:
    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, *_args: Any, **_kwargs: Any) -> Any:
            raise AssertionError("called")

    seen: list[torch.Tensor] = []

    def keep(row: torch.Tensor) -> torch.Tensor:
        seen.append(row)
        return row

    torch.vmap(keep)(torch.zeros(3, 2))
    cases = {
        "sparse": [torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr(), torch.zeros(2).to_mkldnn()],
        "quantised": [torch.quantize_per_tensor(torch.zeros(3), 1.0, 0, torch.qint8)],
        "nested": [torch.nested.nested_tensor([torch.zeros(1), torch.zeros(2)])],
        "subclass": [
            torch.zeros(2).as_subclass(Mine),
            torch.nested.as_nested_tensor([torch.zeros(1)], layout=torch.jagged),
        ],
        "wrapped": seen,
    }
    for kind, tensors in cases.items():
        assert [refused(tensor) for tensor in tensors] == [kind] * len(tensors)


def test_too_many_tensors_are_refused() -> None:
    assert refused([torch.zeros(1)] * (caps.MAX_TENSORS + 1)) == "too-big"
    assert len(returned([torch.zeros(1)] * caps.MAX_TENSORS)) == caps.MAX_TENSORS


def test_what_the_grader_cannot_send_is_named_with_its_place() -> None:
    for value, words in [
        ({"x": [object()]}, "argument 2['x'][0]: object cannot be sent (type)"),
        (torch.eye(2).to_sparse(), "argument 2: Tensor cannot be sent (sparse)"),
    ]:
        with pytest.raises(TypeError) as caught:
            ArgumentEncoder({}, Callbacks(), None).message((1, value), {})
        assert str(caught.value) == words


GOOD: list[Any] = ["float32", [2, 1], [1, 1], 0, "cpu", False, 0]


def changed(place: int, value: Any) -> list[Any]:
    return [*GOOD[:place], value, *GOOD[place + 1 :]]


@pytest.mark.parametrize(
    "parts",
    [
        changed(0, "qint8"),
        changed(0, "float33"),
        changed(0, None),
        changed(0, ["float32"]),
        *[
            changed(1, shape)
            for shape in ([2, 2], [-2, -1], [2], [True, 2], [2.0, 1], "ab", None, [2**70, 1])
        ],
        *[changed(1, shape) for shape in ([1 << 60, 0], [0, 1 << 62])],
        *[changed(2, stride) for stride in ([1], [1, 1, 1], [1, "1"], None, [2**64, 1])],
        *[changed(3, offset) for offset in (-1, 1.0, True, None, 2**63)],
        *[changed(4, device) for device in ("cpu:1x", None, "disk", 0)],
        *[changed(5, flag) for flag in (0, None, "yes")],
        *[changed(6, group) for group in (-1, None, 0.5, True)],
        GOOD[:-1],
        [*GOOD, 0],
        changed(1, [1] * 65),
    ],
    ids=lambda parts: repr(parts)[:60],
)
def test_a_hostile_tensor_is_a_wire_error(parts: list[Any]) -> None:
    with pytest.raises(WireError):
        decoded(Frame({"value": ["T", *parts]}, pieces=[torch.zeros(8, dtype=torch.uint8)]), [])


@pytest.mark.parametrize(
    "shape", [[1 << 31, 1 << 31], [1 << 60], [0, 1 << 60], [1 << 61, 0, 1 << 61]], ids=str
)
def test_a_hostile_meta_shape_is_a_wire_error_or_costs_nothing(shape: list[int]) -> None:
    frame = Frame({"value": ["T", "float32", shape, [1] * len(shape), 0, "meta", False, 0]})
    with contextlib.suppress(WireError):
        assert decoded(frame, []).numel() in (0, 1 << 60)


def test_a_tensor_that_lacks_its_piece_is_a_wire_error() -> None:
    with pytest.raises(WireError):
        decoded(Frame({"value": ["T", *GOOD]}), [])
    with pytest.raises(WireError):
        decoded(Frame({"value": None}, pieces=[torch.zeros(1, dtype=torch.uint8)]), [])


def test_received_strides_and_offsets_are_never_used() -> None:
    parts = ["float32", [2, 1], [1 << 40, 1 << 40], 1 << 40, "cuda:7", True, 5]
    got = decoded(Frame({"value": ["T", *parts]}, pieces=[torch.zeros(8, dtype=torch.uint8)]), [])
    assert got.tolist() == [[0], [0]] and got.stride() == (1, 1) and got.device.type == "cpu"
    assert known(got).device == "cuda:7"
