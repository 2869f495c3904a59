"""Judges what was written and what was read; wrong writers and readers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judge.grading.author import check

from .shapes import MARK, TAG, Writer, described, plain


class TuplesLost(Writer):
    def sequence(self, items: Any) -> Any:
        return [self.write(item) for item in items]


class NoneDropped(Writer):
    def object(self, name: str, values: dict[str, Any]) -> Any:
        return super().object(name, {key: value for key, value in values.items() if value is not None})


class ShortDtype(Writer):
    def tensor(self, dtype: str, values: list[Any]) -> Any:
        return {**super().tensor(dtype, values), "dtype": dtype}


class Widened(Writer):
    def tensor(self, dtype: str, values: list[Any]) -> Any:
        return super().tensor("int64", [int(value) for value in values])


class OneDtype(Writer):
    def tensor(self, dtype: str, values: list[Any]) -> Any:
        return {**super().tensor(dtype, values), "dtype": "torch.int32"}


class ValuesListed(Writer):
    def tensor(self, dtype: str, values: list[Any]) -> Any:
        return {TAG: "Tensor", "buffer": values, "dtype": f"torch.{dtype}"}


class BoolsCounted(Writer):
    def simple(self, value: Any) -> Any:
        return int(value) if isinstance(value, bool) else value


class BytesListed(Writer):
    def simple(self, value: Any) -> Any:
        return list(value) if isinstance(value, bytes) else value


class InnerTagsLost(Writer):
    """What dataclasses.asdict makes of objects within objects."""

    depth = 0

    def object(self, name: str, values: dict[str, Any]) -> Any:
        self.depth += 1
        made = super().object(name, values)
        self.depth -= 1
        return made if self.depth == 0 else {key: value for key, value in made.items() if key != TAG}


WRITERS: Mapping[str, Callable[[], Writer]] = {
    "tuple-lost": TuplesLost,
    "none-dropped": NoneDropped,
    "dtype-name": ShortDtype,
    "dtype-lost": OneDtype,
    "dtype-widened": Widened,
    "values-listed": ValuesListed,
    "bool-as-int": BoolsCounted,
    "bytes-as-list": BytesListed,
    "inner-tags-lost": InnerTagsLost,
}


def written(got: Any, spec: Any, because: str = "") -> None:
    """Compares what serialize made; ``because`` names the mistake where the case was made to see one."""
    check.that(not _left(got), mistake=because or "not-plain", field="data", got=got, want=plain(spec))
    known = {} if because else {key: lambda make=make: make().write(spec) for key, make in WRITERS.items()}
    check.equal(got, plain(spec), field="data", mistake=because or "data-wrong", known=known)


def restored(got: Any, spec: Any, because: str = "") -> None:
    """Compares what deserialize made."""
    want = described(spec)
    known = {
        "objects-not-made": lambda: _outer(spec),
        "tuple-lost-back": lambda: _listed(want),
        "dtype-lost-back": lambda: _widened(want),
    }
    check.equal(
        got, want, field="message", mistake=because or "message-wrong", known={} if because else known
    )


def untouched(data: Any, spec: Any) -> None:
    """The data after it was read: the same, and if only its bytes are others, somebody wrote to them."""
    right = plain(spec)
    shared = _without_buffers(data) == _without_buffers(right)
    check.equal(data, right, field="data", mistake="shared-buffer" if shared else "data-changed")


def refused(call: Callable[[], Any], error: type[Exception], mistake: str) -> None:
    """``call`` raises just this; anything else is ``mistake``."""
    try:
        got = call()
    except error:
        return
    except Exception as raised:
        fault = getattr(raised, "learner_fault", None)
        if fault is None:
            raise
        got = str(fault.builtin)
    check.equal({"raised": got}, {"raised": error.__name__}, field="raised", mistake=mistake)


def _left(value: Any) -> bool:
    """Whether something that is not plain is left."""
    if isinstance(value, list | tuple):
        return any(map(_left, value))
    if isinstance(value, dict):
        return value.get(MARK) == "not plain" or any(map(_left, value.values()))
    return False


def _outer(spec: Any) -> Any:
    """The outermost object made, and nothing within."""
    if not isinstance(spec, dict) or MARK not in spec:
        return plain(spec)
    return {key: value if key == MARK else plain(value) for key, value in spec.items()}


def _without_buffers(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_without_buffers, value))
    if isinstance(value, dict):
        return {key: key == "buffer" or _without_buffers(one) for key, one in value.items()}
    return value


def _listed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_listed(item) for item in value]
    return {key: _listed(one) for key, one in value.items()} if isinstance(value, dict) else value


def _widened(value: Any) -> Any:
    """Every tensor an int64 one."""
    if isinstance(value, list | tuple):
        return type(value)(map(_widened, value))
    if not isinstance(value, dict):
        return value
    if value.get(MARK) == "Tensor":
        return {**value, "dtype": "int64"}
    return {key: _widened(one) for key, one in value.items()}
