"""#508 mx-graph-hooks CUDA Graph 的三个钩子 / The three hooks of a CUDA graph"""

import torch


class GraphHooks:
    """注意力后端为捕获的 decode 准备的固定缓冲区。
    The fixed buffers that an attention backend keeps for captured decodes.
    """

    def __init__(self) -> None:
        pass

    def init_capture_graph(self, max_seq_len: int, bs_list: list[int]) -> None:
        """为 bs_list 里的各个大小建缓冲区；第二次调用抛 RuntimeError。
        Makes the buffers for graphs of the sizes in bs_list; RuntimeError when called again.
        """
        raise NotImplementedError

    def prepare_for_capture(self, bs: int) -> dict[str, torch.Tensor | int]:
        """捕获大小为 bs 的图时用的元数据；没有这个大小时抛 ValueError。
        The metadata that the graph of size bs is recorded with; ValueError for a size that is not in the list.
        """
        raise NotImplementedError

    def prepare_for_replay(self, meta: dict[str, torch.Tensor | int]) -> None:
        """重放之前，把这个 batch 的元数据放到图会读的地方。
        Before a replay, puts the batch's metadata where the graph will read.
        """
        raise NotImplementedError
