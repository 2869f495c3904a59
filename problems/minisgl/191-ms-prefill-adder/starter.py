"""#191 ms-prefill-adder PrefillAdder：准入控制与分块 prefill / Admission and chunked prefill"""

from support import PendingReq


def schedule_prefill(
    pending: list[PendingReq],
    token_budget: int,
    reserved_size: int,
    available_kv: int,
    free_rows: int,
) -> tuple[list[tuple[int, int, int]], list[PendingReq]]:
    """排一轮 prefill：返回 [(uid, start, end), ...] 和还要等的请求。
    Plans one round of prefill: [(uid, start, end), ...], and the requests that still wait.
    """
    raise NotImplementedError
