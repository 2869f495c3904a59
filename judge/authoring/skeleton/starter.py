"""What a learner begins with: the signatures, and what goes in and comes out. It must run and score nothing."""

import torch


def pages_needed(lens: torch.Tensor, page_size: int) -> torch.Tensor:
    """每个请求需要几页 / How many pages each request needs.

    lens: int32 [n]，token 数 / numbers of tokens.
    返回 / Returns: int32 [n].
    """
    raise NotImplementedError
