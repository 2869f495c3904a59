"""#199 ms-shard-tensor 张量并行的权重切分 / Tensor-parallel sharding"""

import torch


def div_even(a: int, b: int, allow_replicate: bool = False) -> int:
    """a / b，除不尽时抛 ValueError；allow_replicate 时，b 是 a 的倍数也行，每份是某一个的副本，返回 1。
    a / b, ValueError if it is not even; with allow_replicate, b may be a multiple of a: each share is a copy, 1.
    """
    raise NotImplementedError


def shard_tensor(key: str, value: torch.Tensor, rank: int, size: int, num_kv_heads: int) -> torch.Tensor:
    """checkpoint 里名为 key 的张量，第 rank 个进程（共 size 个）留下哪一部分。
    What rank (of size) keeps of the checkpoint's tensor called key.
    """
    raise NotImplementedError
