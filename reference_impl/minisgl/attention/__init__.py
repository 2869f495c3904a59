"""Attention backends by name: "torch", "fi", "fa", a pair "prefill,decode", or "auto"."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

from minisgl.attention.base import BaseAttnBackend, BaseAttnMetadata, HybridBackend
from minisgl.utils import Registry, device_capability, init_logger

if TYPE_CHECKING:
    from minisgl.models import ModelConfig

logger = init_logger(__name__)

SUPPORTED_ATTENTION_BACKENDS: Registry[Callable[[ModelConfig], BaseAttnBackend]] = Registry(
    "attention backend"
)
GPU_KERNEL_DTYPES = (torch.float16, torch.bfloat16)  # all that FlashInfer and FlashAttention are built for
GPU_BACKENDS_MISSING = (
    "the GPU attention backends come with chapter 17 and are not here yet. They will need an NVIDIA GPU and "
    "`pip install sgl-kernel` (fa) or `pip install flashinfer-python` (fi); use 'torch' until then"
)


@SUPPORTED_ATTENTION_BACKENDS.register("torch")
def _create_torch(config: ModelConfig) -> BaseAttnBackend:
    from minisgl.attention.torch_backend import TorchAttnBackend

    return TorchAttnBackend(config)


@SUPPORTED_ATTENTION_BACKENDS.register("fi")
@SUPPORTED_ATTENTION_BACKENDS.register("fa")
def _create_gpu(config: ModelConfig) -> BaseAttnBackend:
    raise ImportError(GPU_BACKENDS_MISSING)


def validate_attn_backend(backend: str, allow_auto: bool = True) -> str:
    """Returns backend if it is a known name or a pair of them, else ArgumentTypeError with the choices."""
    if backend == "auto" and allow_auto:
        return backend
    for name in backend.split(",", 1):
        SUPPORTED_ATTENTION_BACKENDS.assert_supported(name)
    return backend


def create_attention_backend(backend: str, config: ModelConfig) -> BaseAttnBackend:
    """Builds a backend, or a hybrid of two different ones; ImportError says what is missing."""
    validate_attn_backend(backend, allow_auto=False)
    names = list(dict.fromkeys(backend.split(",", 1)))
    if len(names) == 1:
        return SUPPORTED_ATTENTION_BACKENDS[names[0]](config)
    logger.info("Hybrid attention backend: prefill=%s, decode=%s", *names)
    prefill, decode = (SUPPORTED_ATTENTION_BACKENDS[name](config) for name in names)
    return HybridBackend(prefill, decode)


def resolve_attn_backend(backend: str, device: torch.device, dtype: torch.dtype) -> str:
    """Turns "auto" into names for this device, and GPU kernels into "torch" where they lack the dtype."""
    validate_attn_backend(backend)
    if backend == "auto":
        return auto_attn_backend(device_capability(device), dtype)
    if dtype not in GPU_KERNEL_DTYPES and set(backend.split(",")) != {"torch"}:
        logger.warning("%s has no kernels for %s: using the torch backend", backend, dtype)
        return "torch"
    return backend


def auto_attn_backend(capability: tuple[int, int] | None, dtype: torch.dtype) -> str:
    """The rule of "auto": capability is (major, minor) of the GPU, None on the CPU."""
    if capability is None or dtype not in GPU_KERNEL_DTYPES:
        return "torch"
    return "fa,fi" if capability[0] == 9 else "fi"


__all__ = [
    "SUPPORTED_ATTENTION_BACKENDS",
    "BaseAttnBackend",
    "BaseAttnMetadata",
    "HybridBackend",
    "auto_attn_backend",
    "create_attention_backend",
    "resolve_attn_backend",
    "validate_attn_backend",
]
