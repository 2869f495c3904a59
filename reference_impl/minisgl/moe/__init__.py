"""Mixture of experts: who computes what, and the products in blocks of one expert each."""

from minisgl.moe.align import moe_align_block_size
from minisgl.moe.grouped import fused_moe, select_experts

__all__ = ["fused_moe", "moe_align_block_size", "select_experts"]
