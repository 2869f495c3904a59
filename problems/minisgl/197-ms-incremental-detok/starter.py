"""#197 ms-incremental-detok 增量反分词 / Incremental detokenization"""

from collections.abc import Callable


class Detokenizer:
    """把一个接一个到来的 token 变成可以发出去的文本，同时服务许多请求。
    Turns tokens that come one by one into text that can be sent, for many requests at once.
    """

    def __init__(self, decode: Callable[[list[int]], str], eos_id: int) -> None:
        raise NotImplementedError

    @property
    def active(self) -> int:
        """还保有状态的请求数 / how many requests it holds state of."""
        raise NotImplementedError

    def step(self, msgs: list[tuple[int, int, bool]]) -> list[str]:
        """每条消息 (uid, token, finished) 对应的新文本。
        The new text of each message (uid, token, finished).
        """
        raise NotImplementedError
