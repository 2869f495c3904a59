"""Tensor parallelism: who this process is among the ranks."""

from minisgl.distributed.info import TPInfo, get_tp_info, reset_tp_info, set_tp_info

__all__ = ["TPInfo", "get_tp_info", "reset_tp_info", "set_tp_info"]
