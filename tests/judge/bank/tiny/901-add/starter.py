import torch


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    raise NotImplementedError
