"""#190 ms-batched-sampler 批量采样：每个请求一组参数 / Batched sampling, parameters per request"""

import torch


def sample_batch(
    logits: torch.Tensor,
    temperature: torch.Tensor,
    top_k: torch.Tensor,
    top_p: torch.Tensor,
    u: torch.Tensor,
) -> torch.Tensor:
    """每行采一个 token。
    One token for each row.

    logits: [B, V]，float32 或 bfloat16 / float32 or bfloat16.
    temperature: float32 [B]; top_k: int32 [B]; top_p: float32 [B].
    u: float32 [B]，[0, 1) 上的均匀随机数，每行一个 / uniform in [0, 1), one for each row.
    返回 / Returns: int64 [B].
    """
    raise NotImplementedError
