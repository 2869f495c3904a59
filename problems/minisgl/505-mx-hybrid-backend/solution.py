"""Reference solution of #505: the phase decides, graph hooks go to decode, and names are checked before anything is made."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any

from support import BaseAttnBackend


class HybridBackend(BaseAttnBackend):
    """One backend for prefill, another for decode."""

    def __init__(self, prefill_backend: BaseAttnBackend, decode_backend: BaseAttnBackend) -> None:
        self.prefill_backend = prefill_backend
        self.decode_backend = decode_backend

    def _of(self, batch: Any) -> BaseAttnBackend:
        return self.prefill_backend if batch.is_prefill else self.decode_backend

    def forward(self, q: Any, k: Any, v: Any, layer_id: int, batch: Any) -> Any:
        return self._of(batch).forward(q, k, v, layer_id, batch)

    def prepare_metadata(self, batch: Any) -> None:
        self._of(batch).prepare_metadata(batch)

    # only decode is ever captured

    def init_capture_graph(self, max_seq_len: int, bs_list: list[int]) -> None:
        self.decode_backend.init_capture_graph(max_seq_len, bs_list)

    def prepare_for_capture(self, batch: Any) -> None:
        self.decode_backend.prepare_for_capture(batch)

    def prepare_for_replay(self, batch: Any) -> None:
        self.decode_backend.prepare_for_replay(batch)


def create_backend(
    text: str, factories: dict[str, Callable[[Any], BaseAttnBackend]], config: Any
) -> BaseAttnBackend:
    """A backend, or a hybrid of two different ones; ArgumentTypeError before any is made."""
    names = list(dict.fromkeys(text.split(",", 1)))
    for name in names:
        if name not in factories:
            raise ArgumentTypeError(f"unknown attention backend {name!r}; supported: {', '.join(factories)}")
    prefill, *decode = (factories[name](config) for name in names)
    return HybridBackend(prefill, *decode) if decode else prefill
