"""Tensor parallelism: who this process is among the ranks, and what they exchange."""

from minisgl.distributed.impl import all_gather, all_reduce
from minisgl.distributed.info import TPInfo, get_tp_info, reset_tp_info, set_tp_info

__all__ = ["TPInfo", "all_gather", "all_reduce", "get_tp_info", "reset_tp_info", "set_tp_info"]
