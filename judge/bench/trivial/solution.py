import torch


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b
