"""The front of the engine: prompts in, tokens out, all at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from types import TracebackType

import torch

from minisgl.core import SamplingParams
from minisgl.scheduler import Scheduler, SchedulerConfig


class LLM:
    """An engine for one process and one caller; one at a time in a process, until shutdown()."""

    def __init__(self, config: SchedulerConfig, weights: Iterable[tuple[str, torch.Tensor]]) -> None:
        """weights: a Hugging Face checkpoint's names and whole tensors."""
        self.scheduler = Scheduler(config, weights)
        self._uids = count()

    def generate(
        self, prompts: Sequence[Sequence[int]], params: SamplingParams | Sequence[SamplingParams]
    ) -> list[list[int]]:
        """The tokens that follow each prompt, one that ends it included; one set of params, or one a prompt."""
        each = [params] * len(prompts) if isinstance(params, SamplingParams) else params
        requests = [
            self.scheduler.new_request(next(self._uids), torch.tensor(prompt, dtype=torch.int32), one)
            for prompt, one in zip(prompts, each, strict=True)
        ]
        outputs: dict[int, list[int]] = {request.uid: [] for request in requests}
        for request in requests:
            self.scheduler.add_request(request)
        while not self.scheduler.idle:
            for reply in self.scheduler.step():
                outputs[reply.uid].append(reply.token)
        return list(outputs.values())

    def shutdown(self) -> None:
        """Lets the next LLM of this process be built."""
        self.scheduler.shutdown()

    def __enter__(self) -> LLM:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
