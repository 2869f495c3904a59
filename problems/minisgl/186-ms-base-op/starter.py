"""#186 ms-base-op BaseOP：不用 nn.Module 收集和加载权重 / A tree of weights without nn.Module"""

from collections.abc import Iterable, Iterator, Mapping

import torch


class BaseOP:
    """一个算子。子类不会调用 super().__init__()。
    An operation. Subclasses do not call super().__init__().
    """

    def state_dict(self, prefix: str = "") -> dict[str, torch.Tensor]:
        """按定义的顺序，返回 {名字: 权重本身}。
        The weights themselves by name, in the order of definition.
        """
        raise NotImplementedError

    def load_state_dict(self, state_dict: Mapping[str, torch.Tensor]) -> None:
        """用给定的张量替换权重。名字不对抛 KeyError，形状或 dtype 不对抛 ValueError，并且什么都不改。
        Replaces the weights. KeyError for wrong names, ValueError for a wrong shape or dtype; then nothing changes.
        """
        raise NotImplementedError


class OPList(BaseOP):
    """一列算子，名字是 0、1、2……
    A list of operations, named 0, 1, 2, ...
    """

    def __init__(self, ops: Iterable[BaseOP]) -> None:
        raise NotImplementedError

    def __iter__(self) -> Iterator[BaseOP]:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError
