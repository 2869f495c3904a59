"""The five methods made from a table; names parsed by partition."""

from __future__ import annotations

import argparse

from support import BaseAttnBackend


def passed_on(name, by_phase):
    def method(self, *args, **kwargs):
        batch = kwargs.get("batch", args[-1] if args else None)
        inner = self.pair[bool(batch.is_prefill)] if by_phase else self.pair[False]
        return getattr(inner, name)(*args, **kwargs)

    return method


class HybridBackend(BaseAttnBackend):
    def __init__(self, prefill_backend, decode_backend):
        self.pair = {True: prefill_backend, False: decode_backend}

    forward, prepare_metadata = (passed_on(name, True) for name in ("forward", "prepare_metadata"))
    init_capture_graph, prepare_for_capture, prepare_for_replay = (
        passed_on(name, False) for name in ("init_capture_graph", "prepare_for_capture", "prepare_for_replay")
    )


def create_backend(text, factories, config):
    first, comma, second = text.partition(",")
    second = second if comma else first
    unknown = [name for name in (first, second) if name not in factories]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is not among {sorted(factories)}")
    prefill = factories[first](config)
    if first == second:
        return prefill
    return HybridBackend(prefill, factories[second](config))
