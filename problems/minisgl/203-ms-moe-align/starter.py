"""#203 ms-moe-align moe_align_block_size 与分组 GEMM / MoE block alignment and grouped GEMM"""

import torch


def moe_align_block_size(
    topk_ids: torch.Tensor, block_m: int, num_experts: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """把 T * k 个 (token, 专家) 对按专家排好，每个专家补齐到整块。
    Sorts the T * k pairs of token and expert by expert, each expert's padded to whole blocks.

    topk_ids: [T, k]，int32 或 int64，-1 表示没有专家 / int32 or int64, -1 for no expert

    返回 / Returns (n = 块数 / number of blocks):
        sorted_ids: int32 [n * block_m]，对的下标，补齐处是 T * k / indices of pairs, T * k where padded
        expert_ids: int32 [n]，每块的专家 / the expert of each block
    """
    raise NotImplementedError


def fused_moe_grouped(
    x: torch.Tensor, w: torch.Tensor, topk_ids: torch.Tensor, topk_weights: torch.Tensor, block_m: int
) -> torch.Tensor:
    """每个 token 的各个专家输出的加权和，逐块计算。
    The weighted sum of each token's experts, block by block.

    x: [T, D]；w: [E, F, D]；topk_weights: float32 [T, k]。返回 / Returns: [T, F]，dtype 同 x / in x's dtype.
    """
    raise NotImplementedError
