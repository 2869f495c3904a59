"""#195 ms-overlap-loop 重叠调度的结果处理 / The overlapped loop"""


def overlap_loop(world, eos: int) -> None:
    """先启动第 n + 1 轮，再处理第 n 轮，直到没有请求。
    Launches round n + 1 before round n is processed, until there is no request left.

    world.receive() -> [(uid, max_tokens), ...] | None      world.launch(uids) -> handle
    handle.wait() -> [token, ...]      world.send(uid, token, finished)      world.free(uid)
    """
    raise NotImplementedError
