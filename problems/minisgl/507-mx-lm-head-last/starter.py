"""#507 mx-lm-head-last 只算最后位置的 LM head / LM head for the last positions"""

import torch


def lm_head(
    x: torch.Tensor, weight: torch.Tensor, meta: dict[str, torch.Tensor], bs: int, is_prefill: bool
) -> torch.Tensor:
    """要采样的 logits。
    The logits to sample from.

    x: [N, D]，最后一层的输出，各请求首尾相接 / output of the last layer, request after request.
    weight: [V, D].
    meta["cu_seqlens_q"]: int32 [padded_bs + 1].
    bs: 真实请求数 / number of real requests.
    返回 / Returns: prefill 时 [bs, V]，decode 时 [N, V] / [bs, V] in prefill, [N, V] in decode; x.dtype.
    """
    raise NotImplementedError
