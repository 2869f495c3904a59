"""#502 mx-write-before-read 先写 KV，再算注意力 / Write the KV, then attend"""

import torch
from support import attend  # noqa: F401  attend(q, k_pool, v_pool, meta) -> [N, H, d]


def attn_layer(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out_loc: torch.Tensor,
    k_pool: torch.Tensor,
    v_pool: torch.Tensor,
    meta: dict[str, torch.Tensor],
) -> torch.Tensor:
    """把本轮的 k、v 写进池里，并算出注意力。
    Writes this round's k and v into the pools and computes the attention.

    q: [N, H, d]; k, v: [N, H_kv, d]; out_loc: int32 [N].
    k_pool, v_pool: [slots, H_kv, d]，原地修改 / changed in place.
    返回 / Returns: [N, H, d].
    """
    raise NotImplementedError


def stale_keys(reqs: list[tuple[int, int]]) -> torch.Tensor:
    """忘了写 KV 时，每个 query 看得见的 key 里有几个是旧的。
    How many of the keys that each query sees would be stale, had the KV not been written.

    reqs: [(cached_len, device_len), ...]
    返回 / Returns: int32 [N].
    """
    raise NotImplementedError
