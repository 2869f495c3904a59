"""The operations that later chapters give kernels of their own; here in plain PyTorch."""

from minisgl.kernel.torch_ops import (
    apply_rope_inplace,
    fused_add_rmsnorm,
    indexing,
    rmsnorm,
    silu_and_mul,
    store_cache,
)

__all__ = [
    "apply_rope_inplace",
    "fused_add_rmsnorm",
    "indexing",
    "rmsnorm",
    "silu_and_mul",
    "store_cache",
]
