"""What an engine is told when it is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from minisgl.distributed import TPInfo
from minisgl.models import ModelConfig


@dataclass(frozen=True)
class EngineConfig:
    """Sizes count tokens unless they say otherwise."""

    model_config: ModelConfig
    tp_info: TPInfo = field(default_factory=lambda: TPInfo(0, 1))
    dtype: torch.dtype = torch.float32
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    page_size: int = 1
    num_pages: int = 4096  # of the KV pool, beside one for dummies
    max_running_req: int = 64
    max_seq_len: int | None = None  # prompt and output together; None for what the model can do
    attention_backend: str = "auto"
    cuda_graph_bs: Sequence[int] | None = None  # sizes of decode batches to capture; None for the usual ones
    cuda_graph_max_bs: int = 0  # the largest usual size; below 1 nothing is captured
    seed: int = 0  # of sampling

    def __post_init__(self) -> None:
        for name in ("page_size", "num_pages", "max_running_req"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")

    @property
    def num_tokens(self) -> int:
        """Tokens that the pool can hold."""
        return self.num_pages * self.page_size

    @property
    def longest_seq_len(self) -> int:
        """The longest request that model, pool and max_seq_len allow."""
        most = min(self.num_tokens, self.model_config.rotary_config.max_position)
        return most if self.max_seq_len is None else min(most, self.max_seq_len)
