"""Hidden cases: what was made to see one mistake, then messages with everything in everything."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case, check
from judge.grading.seeds import Rng

from . import judging
from .shapes import CLASSES, FORMATS, MARK, TAG, listed, nested, numbers, plain, simple, tensor, user


@case(part="serialize", points=5)
def test_serialize_plain_values(submission: Any, rng: Rng) -> None:
    """What is plain stays as it is, with its type."""
    spec = [simple(rng) for _ in range(6)] + [None, True, False, 0, 1, 0.0, "", b"\x80", (), [], {}]
    judging.written(submission.harness.write(spec), spec)
    batch = {MARK: "BatchMsg", "data": spec, "extra": None}
    judging.written(submission.harness.write(batch), batch)


@case(part="serialize", points=5)
def test_serialize_nested(submission: Any, rng: Rng) -> None:
    """Messages within lists, tuples, dicts and messages, then anything within anything."""
    every: list[Any] = [[user(rng)], (user(rng), 1), {"a": user(rng), "b": [None]}]
    for spec in (*every, *(nested(rng, depth) for depth in (1, 2, 3, 3))):
        judging.written(submission.harness.write(spec), spec)


@case(part="serialize", points=6)
def test_serialize_dtypes(submission: Any, rng: Rng) -> None:
    """Every dtype; bfloat16 last, which numpy does not know."""
    for dtype in sorted(FORMATS, key=lambda name: name == "bfloat16"):
        spec = user(rng, dtype)
        try:
            got = submission.harness.write(spec)
        except (TypeError, ValueError, RuntimeError, AttributeError, KeyError) as error:
            check.that(
                getattr(error, "learner_fault", None) is None, mistake="dtype-refused", field=f"torch.{dtype}"
            )
            raise
        judging.written(got, spec)


@case(part="serialize", points=7)
def test_serialize_views(submission: Any, rng: Rng) -> None:
    """Tensors that are part of a larger one: only their own elements are sent."""
    for view in ("step", "column", "end"):
        for dtype in ("int32", "float64"):
            spec = user(rng, dtype, view)
            judging.written(submission.harness.write(spec), spec, "storage-sent")


@case(part="serialize", points=4, means={"RuntimeError": "empty-tensor", "ValueError": "empty-tensor"})
def test_serialize_short_tensors(submission: Any, rng: Rng) -> None:
    for size in (0, 1):
        spec = {MARK: "BatchMsg", "data": tensor("int32", numbers(rng, "int32", size)), "extra": size}
        judging.written(submission.harness.write(spec), spec, "empty-tensor")


@case(part="serialize", points=5)
def test_serialize_one_dimension_only(submission: Any, rng: Rng) -> None:
    """A shape is not sent, so it must not be needed."""
    row = numbers(rng, "int32", 3)
    for values in ([row], [[row]], [[value] for value in row], row[0]):
        spec = {MARK: "UserMsg", "uid": 1, "input_ids": tensor("int32", values), "sampling_params": None}
        judging.refused(lambda spec=spec: submission.harness.write(spec), ValueError, "any-shape")


@case(part="serialize", points=4)
def test_serialize_tag_as_key(submission: Any, rng: Rng) -> None:
    """A dict that would come back as an object."""
    for inner in ({TAG: "UserMsg", "uid": 1}, {"a": [{TAG: simple(rng)}]}):
        spec = {MARK: "BatchMsg", "data": [inner]}
        judging.refused(lambda spec=spec: submission.harness.write(spec), ValueError, "tag-as-key")


@case(part="serialize", points=4)
def test_serialize_strangers(submission: Any, rng: Rng) -> None:
    """What is neither plain nor a dataclass."""
    for kind in ("set", "complex", "object", "function"):
        spec = {MARK: "BatchMsg", "data": [{MARK: "stranger", "kind": kind}]}
        judging.refused(lambda spec=spec: submission.harness.write(spec), TypeError, "strangers")


@case(part="serialize", points=4, means={"ValueError": "message-changed"})
def test_serialize_changes_nothing(submission: Any, rng: Rng) -> None:
    """The sender still uses the message."""
    spec = {MARK: "BatchMsg", "data": [user(rng), {"a": user(rng)}], "extra": None}
    first, second, after, same = submission.harness.write_and_look(spec)
    judging.written(first, spec)
    judging.written(second, spec, "message-changed")
    check.equal([after, same], [spec, True], field="message", mistake="message-changed")


@case(part="deserialize", points=7, means={"RuntimeError": "dtype-refused", "ValueError": "dtype-refused",
                                           "AttributeError": "dtype-refused", "TypeError": "dtype-refused"})  # fmt: skip
def test_deserialize_dtypes(submission: Any, rng: Rng) -> None:
    for dtype in FORMATS:
        spec = user(rng, dtype)
        judging.restored(submission.harness.read(plain(spec), CLASSES), spec)


@case(part="deserialize", points=4, means={"RuntimeError": "empty-tensor", "ValueError": "empty-tensor"})
def test_deserialize_empty_tensor(submission: Any, rng: Rng) -> None:
    for dtype in ("int32", "bool"):
        for size in (0, 1):
            spec = [tensor(dtype, numbers(rng, dtype, size))]
            judging.restored(submission.harness.read(plain(spec), []), spec, "empty-tensor")


@case(part="deserialize", points=7)
def test_deserialize_own_memory(submission: Any, rng: Rng) -> None:
    """Tensors are filled after they were made, and the same data is read once more."""
    spec = {MARK: "BatchMsg", "data": [user(rng), tensor("int64", [5, 6]), {"a": user(rng)}], "extra": 1}
    first, second, data = submission.harness.read_and_overwrite(plain(spec), CLASSES)
    judging.restored(first, spec)
    judging.untouched(data, spec)
    judging.restored(second, spec, "shared-buffer")


@case(part="deserialize", points=5)
def test_deserialize_unknown_class(submission: Any, rng: Rng) -> None:
    """A name that is not in the table, at the top and deep within."""
    for spec in (
        user(rng),
        {"a": [user(rng)]},
        {MARK: "BatchMsg", "data": (1, {"b": user(rng)}), "extra": None},
    ):
        judging.refused(
            lambda spec=spec: submission.harness.read(plain(spec), ["BatchMsg", "UserMsg"]),
            KeyError,
            "unknown-class",
        )


@case(part="deserialize", points=4, means={"TypeError": "init-skipped"})
def test_deserialize_defaults(submission: Any, rng: Rng) -> None:
    """An older sender does not know a field: its default is made, a new one for each object."""
    uid = int(rng.integers(1, 1000))
    spec = [{MARK: "StatusMsg", "uid": uid}, {MARK: "SamplingParams", "top_k": 3}]
    want = [
        {MARK: "StatusMsg", "uid": uid, "counts": [0]},
        {
            MARK: "SamplingParams",
            "temperature": 0.0,
            "top_k": 3,
            "top_p": 1.0,
            "ignore_eos": False,
            "max_tokens": 1024,
        },
    ]
    judging.restored(submission.harness.read(plain(spec), CLASSES), want, "init-skipped")


@case(part="deserialize", points=4)
def test_deserialize_after_the_wire(submission: Any, rng: Rng) -> None:
    """Both ways, with a wire between that makes lists of tuples."""
    spec = {
        MARK: "BatchMsg",
        "data": (user(rng), [simple(rng), (1, (2,))], {"ids": tensor("int32", [4, 5])}),
        "extra": (),
    }
    judging.restored(submission.harness.there_and_back(spec, CLASSES), listed(spec))


@case(part="deserialize", points=6)
def test_deserialize_nested(submission: Any, rng: Rng) -> None:
    for depth in (1, 2, 3, 3):
        spec = nested(rng, depth)
        judging.restored(submission.harness.read(plain(spec), CLASSES), spec)


@case(
    part="deserialize",
    points=7,
    means=dict.fromkeys(("TLE", "MLE", "MemoryError", "RuntimeError"), "element-loop"),
)
def test_deserialize_long_tensor(submission: Any, rng: Rng) -> None:
    """A prompt of a million tokens, both ways."""
    size = 1_000_000 + 8 * int(rng.integers(1, 1000))
    got = submission.harness.long_tensor(size)
    check.equal(got, [4 * size, list(range(0, size, size // 8))], field="ids", mistake="message-wrong")
