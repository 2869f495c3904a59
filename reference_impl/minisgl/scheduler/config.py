"""What a scheduler is told beside what its engine needs."""

from __future__ import annotations

from dataclasses import dataclass

from minisgl.engine import EngineConfig


@dataclass(frozen=True)
class SchedulerConfig(EngineConfig):
    """Sizes count tokens."""

    max_extend_tokens: int = 8192  # new tokens of one prefill batch; longer prompts are computed in chunks
    cache_type: str = "radix"  # or "naive"
    eos_token_ids: frozenset[int] = frozenset()  # a request ends with one of these
    overlap: bool = True  # launch the next batch before the last one's tokens are looked at

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_extend_tokens < 1:
            raise ValueError(f"max_extend_tokens must be at least 1, got {self.max_extend_tokens}")
