# expects: wrong-backend
"""The condition is the wrong way round."""

from argparse import ArgumentTypeError

from support import BaseAttnBackend


class HybridBackend(BaseAttnBackend):
    def __init__(self, prefill_backend, decode_backend):
        self.prefill_backend = prefill_backend
        self.decode_backend = decode_backend

    def pick(self, batch):
        return self.prefill_backend if not batch.is_prefill else self.decode_backend

    def forward(self, q, k, v, layer_id, batch):
        return self.pick(batch).forward(q, k, v, layer_id, batch)

    def prepare_metadata(self, batch):
        self.pick(batch).prepare_metadata(batch)

    def init_capture_graph(self, max_seq_len, bs_list):
        self.decode_backend.init_capture_graph(max_seq_len, bs_list)

    def prepare_for_capture(self, batch):
        self.decode_backend.prepare_for_capture(batch)

    def prepare_for_replay(self, batch):
        self.decode_backend.prepare_for_replay(batch)


def create_backend(text, factories, config):
    names = text.split(",", 1)
    for name in names:
        if name not in factories:
            raise ArgumentTypeError(f"unknown backend {name}")
    if names[0] == names[-1]:
        return factories[names[0]](config)
    return HybridBackend(factories[names[0]](config), factories[names[1]](config))
