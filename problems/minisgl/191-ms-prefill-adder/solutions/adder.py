"""Another way: an adder that holds what is left, and a queue that is eaten from the front."""

from collections import deque

from support import PendingReq


class Adder:
    def __init__(self, tokens, kv, rows):
        self.tokens, self.kv, self.rows = tokens, kv, rows

    def admit(self, req, need):
        if req.chunked is not None:
            return True
        if self.rows < 1 or self.kv < need:
            return False
        self.rows -= 1
        return True

    def add(self, req):
        done = req.chunked
        if done is None:
            done = req.cached_len
        left = req.input_len - done
        if self.tokens < 1 or not self.admit(req, left + req.output_len):
            return None
        self.kv -= left + req.output_len
        size = left if left < self.tokens else self.tokens
        self.tokens -= size
        return done, done + size


def schedule_prefill(pending, token_budget, reserved_size, available_kv, free_rows):
    adder = Adder(token_budget, available_kv - reserved_size, free_rows)
    queue, batch, again = deque(pending), [], []
    while queue and (span := adder.add(queue[0])) is not None:
        req = queue.popleft()
        batch.append((req.uid, *span))
        if span[1] != req.input_len:
            again.append(PendingReq(req.uid, req.input_len, req.output_len, req.cached_len, span[1]))
    return batch, [*again, *queue]
