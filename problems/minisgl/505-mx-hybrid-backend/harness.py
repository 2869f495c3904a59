"""Spies in the place of backends, and drivers that write down who was called with what.

They only call your class and function and hand back what they find; the comparison is made elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import solution
from support import BaseAttnBackend

METHODS = ("forward", "prepare_metadata", "init_capture_graph", "prepare_for_capture", "prepare_for_replay")


class Desk:
    """Who was called, and a label for every object that is handed around."""

    def __init__(self) -> None:
        self.log: list[list[Any]] = []
        self._labels: list[tuple[Any, str]] = []

    def new(self, label: str, thing: Any = None) -> Any:
        """``thing``, or a new object, that will be known as ``label``."""
        made = SimpleNamespace(label=label) if thing is None else thing
        self._labels.append((made, label))
        return made

    def label(self, thing: Any) -> Any:
        """What an object is known as; numbers by themselves, and "?" for strangers."""
        if thing is None or type(thing) is int:
            return thing
        return next((label for one, label in self._labels if one is thing), "?")


class Spy(BaseAttnBackend):
    """Writes down each call; ``forward`` returns a new object, and raises where it is asked to."""

    def __init__(self, desk: Desk, name: str, fails: bool = False) -> None:
        self.desk, self.name, self.fails = desk, name, fails

    def _note(self, method: str, *args: Any) -> None:
        self.desk.log.append([self.name, method, [self.desk.label(arg) for arg in args]])
        if self.fails:
            raise LookupError(f"{self.name} failed")

    def forward(self, q: Any, k: Any, v: Any, layer_id: int, batch: Any) -> Any:
        self._note("forward", q, k, v, layer_id, batch)
        return self.desk.new(f"output of {self.name}")

    def prepare_metadata(self, batch: Any) -> None:
        self._note("prepare_metadata", batch)

    def init_capture_graph(self, max_seq_len: int, bs_list: list[int]) -> None:
        self._note("init_capture_graph", max_seq_len, bs_list)

    def prepare_for_capture(self, batch: Any) -> None:
        self._note("prepare_for_capture", batch)

    def prepare_for_replay(self, batch: Any) -> None:
        self._note("prepare_for_replay", batch)


def _batch(desk: Desk, label: str, phase: str, spans: list[list[int]]) -> Any:
    reqs = [SimpleNamespace(cached_len=start, device_len=end, extend_len=end - start) for start, end in spans]
    batch = desk.new(label)
    batch.phase, batch.is_prefill, batch.is_decode = phase, phase == "prefill", phase == "decode"
    batch.reqs = batch.padded_reqs = reqs
    batch.size = batch.padded_size = len(reqs)
    batch.attn_metadata = None
    return batch


def _use(desk: Desk, backend: Any, batches: list[Any], ops: list[list[Any]]) -> list[dict[str, Any]]:
    """What each operation came to; an operation is ``[method, batch, number]``."""
    return [_one(desk, backend, batches, *op) for op in ops]


def _one(
    desk: Desk, backend: Any, batches: list[Any], method: str, which: int, number: int
) -> dict[str, Any]:
    desk.log = []
    arguments: list[Any] = [batches[which]]
    if method == "forward":
        arguments = [*(desk.new(name) for name in "qkv"), number, *arguments]
    elif method == "init_capture_graph":
        arguments = [number, desk.new("bs_list", [1, 2, number])]
    outcome = _try(lambda: desk.label(getattr(backend, method)(*arguments)))
    return {**outcome, "log": desk.log}


def play(batches: list[list[Any]], ops: list[list[Any]], fails: bool = False) -> dict[str, Any]:
    """A HybridBackend of two spies through all operations; a batch is ``[label, phase, spans]``."""
    desk = Desk()
    backend = solution.HybridBackend(Spy(desk, "prefill", fails), Spy(desk, "decode", fails))
    made = [_batch(desk, *batch) for batch in batches]
    done = _use(desk, backend, made, ops)
    return {"done": done, "is_backend": isinstance(backend, BaseAttnBackend)}


def create(
    texts: list[str], names: list[str], broken: str, batches: list[list[Any]], ops: list[list[Any]]
) -> list[dict[str, Any]]:
    """For each text: what create_backend came to, which factories it called, and what its backend then did."""
    desk, made = Desk(), []
    config = desk.new("config")

    def factory(name: str) -> Callable[[Any], Spy]:
        def make(given: Any) -> Spy:
            made.append([name, desk.label(given)])
            if name == broken:
                raise ImportError(f"no library for {name}")
            return desk.new(f"backend {len(made)}", Spy(desk, name))

        return make

    factories = {name: factory(name) for name in names}
    lots = [_batch(desk, *batch) for batch in batches]
    found = []
    for text in texts:
        made.clear()
        outcome = _try(solution.create_backend, text, factories, config)
        outcome["made"] = [list(one) for one in made]
        if "value" in outcome:
            backend, outcome["value"] = outcome["value"], None
            outcome["hybrid"] = isinstance(backend, solution.HybridBackend)
            outcome["spy"] = isinstance(backend, Spy)
            outcome["done"] = _use(desk, backend, lots, ops)
        found.append(outcome)
    return found


def _try(call: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """What a call returned; or the classes of what it raised, and its words."""
    try:
        return {"value": call(*arguments)}
    except Exception as error:
        text = " ".join(str(part) for part in error.args)
        return {"raised": [kind.__name__ for kind in type(error).__mro__], "text": text}
