"""#201 ms-graph-replay CUDA Graph：补齐、固定缓冲区与 replay / CUDA graphs: padding, fixed buffers, replay"""

from collections.abc import Callable
from typing import Any

import torch

Request = tuple[int, int, int]  # (input_id, position, seq_len)


def determine_graph_bs(max_bs: int) -> list[int]:
    """1、2、4 和 8 的倍数，不超过 max_bs，升序。
    1, 2, 4 and the multiples of 8 up to max_bs, ascending.
    """
    raise NotImplementedError


class GraphRunner:
    """有合适的图就重放，没有就直接调用模型。
    Replays a graph where one fits, else calls the model.
    """

    def __init__(
        self, model: Callable[..., torch.Tensor], record: Callable[..., Any], max_bs: int, vocab: int
    ) -> None:
        """model(input_ids, positions, seq_lens) -> logits，int32 [n] 各一 / each int32 [n]，float32 [n, vocab]
        record(input_ids, positions, seq_lens, logits) -> graph，记住这四个张量 / remembers these four tensors
        graph.replay()：从记住的张量读，写进记住的 logits / reads what it remembers, writes into its logits
        """
        raise NotImplementedError

    def pad(self, reqs: list[Request]) -> list[Request]:
        """补上 (0, 0, 1) 到最近的批大小。
        Adds (0, 0, 1) up to the nearest size.
        """
        raise NotImplementedError

    def run(self, reqs: list[Request]) -> torch.Tensor:
        """float32 [len(reqs), vocab]，自己的内存 / with memory of its own."""
        raise NotImplementedError
