"""#185 ms-req-lengths Req 的几个长度 / Request length bookkeeping"""

import torch


class Req:
    """一个请求：0 <= cached_len < device_len <= max_device_len。
    One request: 0 <= cached_len < device_len <= max_device_len.

    属性 / Attributes: input_ids, cached_len, device_len, max_device_len, remain_len, extend_len, can_decode.
    """

    def __init__(self, input_ids: torch.Tensor, cached_len: int, output_len: int) -> None:
        """input_ids: int32 [n]，在 CPU 上 / on the CPU."""
        raise NotImplementedError

    def complete_one(self) -> None:
        """一步算完了：全部 token 都有 KV，下一个 token 即将到来。
        A step is done: all tokens have KV, and one more is coming.
        """
        raise NotImplementedError

    def append_host(self, next_token: torch.Tensor) -> None:
        """把采到的 token（[1]）接到 input_ids 后面 / adds the sampled token ([1]) to input_ids."""
        raise NotImplementedError
