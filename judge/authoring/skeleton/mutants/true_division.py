# expects: dtype
import torch


def pages_needed(lens, page_size):
    return torch.ceil(lens / page_size)
