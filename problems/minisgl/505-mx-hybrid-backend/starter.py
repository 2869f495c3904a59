"""#505 mx-hybrid-backend prefill 和 decode 各用各的 / One for prefill, one for decode"""

from argparse import ArgumentTypeError  # noqa: F401
from collections.abc import Callable
from typing import Any

from support import BaseAttnBackend


class HybridBackend(BaseAttnBackend):
    """把每次调用转发给两个后端之一 / Passes each call on to one of two backends."""

    def __init__(self, prefill_backend: BaseAttnBackend, decode_backend: BaseAttnBackend) -> None:
        raise NotImplementedError

    # forward(q, k, v, layer_id, batch), prepare_metadata(batch),
    # init_capture_graph(max_seq_len, bs_list), prepare_for_capture(batch), prepare_for_replay(batch)


def create_backend(
    text: str, factories: dict[str, Callable[[Any], BaseAttnBackend]], config: Any
) -> BaseAttnBackend:
    """ "name" 或 "prefill,decode" -> 后端 / a backend; ArgumentTypeError 在调用任何工厂之前 / before any factory is called."""
    raise NotImplementedError
