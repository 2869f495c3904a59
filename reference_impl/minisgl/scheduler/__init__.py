"""Which requests run next, and where their KV lies."""

from minisgl.scheduler.cache import CacheManager
from minisgl.scheduler.config import SchedulerConfig
from minisgl.scheduler.decode import DecodeManager
from minisgl.scheduler.prefill import PrefillAdder, PrefillManager
from minisgl.scheduler.scheduler import NextToken, Scheduler
from minisgl.scheduler.table import TableManager
from minisgl.scheduler.utils import ChunkedReq, PendingReq

__all__ = [
    "CacheManager",
    "ChunkedReq",
    "DecodeManager",
    "NextToken",
    "PendingReq",
    "PrefillAdder",
    "PrefillManager",
    "Scheduler",
    "SchedulerConfig",
    "TableManager",
]
