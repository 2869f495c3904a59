"""#194 ms-chunk-size 分块 prefill 的块大小怎么选 / Choosing a chunk size"""


def simulate(L: int, C: int, n_decode: int, a: int, b: int) -> tuple[int, int]:
    """(ttft, max_gap)，微秒：首 token 的时刻，和 decode 请求相邻两个 token 的最长间隔。
    (ttft, max_gap) in microseconds: when the first token is there, and the longest pause of those who decode.
    """
    raise NotImplementedError


def best_chunk(L: int, n_decode: int, a: int, b: int, tpot_slo: int, candidates: list[int]) -> int | None:
    """满足 max_gap <= tpot_slo 的候选里 TTFT 最小的；没有时是 None。
    Of the candidates with max_gap <= tpot_slo the one with the least TTFT; None if there is none.
    """
    raise NotImplementedError
