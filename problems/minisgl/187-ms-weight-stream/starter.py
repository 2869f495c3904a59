"""#187 ms-weight-stream 流式加载权重 / A stream of weights"""

from collections.abc import Iterable, Iterator

import torch


def load_weights(
    items: Iterable[tuple[str, torch.Tensor]], num_experts: int = 0
) -> Iterator[tuple[str, torch.Tensor]]:
    """把 checkpoint 的 (名字, 张量) 逐个变成模型要的 (名字, 张量)；有一组没凑齐就在最后抛 ValueError。
    Turns names and tensors of a checkpoint into those of the model, one by one; ValueError at the end for what is
    incomplete.
    """
    raise NotImplementedError
