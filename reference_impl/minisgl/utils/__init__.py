"""Small helpers without a home of their own."""

from minisgl.utils.device import device_capability
from minisgl.utils.hf import cached_load_hf_config
from minisgl.utils.logger import init_logger
from minisgl.utils.misc import align_up, div_ceil, div_even
from minisgl.utils.registry import Registry
from minisgl.utils.torch_utils import to_device, torch_dtype

__all__ = [
    "Registry",
    "align_up",
    "cached_load_hf_config",
    "device_capability",
    "div_ceil",
    "div_even",
    "init_logger",
    "to_device",
    "torch_dtype",
]
