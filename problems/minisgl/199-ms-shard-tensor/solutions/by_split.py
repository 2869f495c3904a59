"""A table from layers to rules; parts come from torch.split."""

import torch

ROWS = {"q_proj", "gate_proj", "up_proj"}
COPIED = {"k_proj", "v_proj"}
COLUMNS = {"o_proj", "down_proj"}
VOCABULARY = {"embed_tokens", "lm_head"}


def div_even(a, b, allow_replicate=False):
    quotient, rest = divmod(a, b)
    if not rest:
        return quotient
    if allow_replicate and quotient == 0 and b % a == 0:
        return 1
    raise ValueError(f"{b} does not divide {a}")


def shard_tensor(key, value, rank, size, num_kv_heads):
    name = key.rsplit(".", 2)[-2]
    if name in VOCABULARY:
        parts = torch.split(value, -(-value.shape[0] // size))
        return parts[rank].clone() if rank < len(parts) else value.new_empty(0, *value.shape[1:])
    if name in COPIED and size > num_kv_heads:
        copies = size // num_kv_heads
        rank, size = rank // copies, num_kv_heads
    if name in ROWS | COPIED:
        return torch.split(value, div_even(value.shape[0], size))[rank].clone()
    if name in COLUMNS and value.ndim > 1:
        return torch.split(value, div_even(value.shape[1], size), dim=1)[rank].contiguous().clone()
    return value.clone()
