"""Another way: rounds in a queue, requests as objects that know in how many rounds they are."""

from collections import deque


class Request:
    def __init__(self, uid, limit):
        self.uid, self.limit = uid, limit
        self.launched = self.received = 0
        self.done = False

    @property
    def wanted(self):
        return not self.done and self.launched < self.limit


def overlap_loop(world, eos):
    requests, rounds = [], deque()

    def process(handle, batch):
        for request, token in zip(batch, handle.wait(), strict=True):
            request.received += 1
            if not request.done:
                request.done = token == eos or request.received == request.limit
                world.send(request.uid, token, request.done)
            if request.done and request.received == request.launched:
                requests.remove(request)
                world.free(request.uid)

    open_ = True
    while open_ or requests or rounds:
        arrived = world.receive()
        if arrived is None:
            open_ = False
        else:
            requests += [Request(*one) for one in arrived]
        batch = [request for request in requests if request.wanted]
        under_way = len(rounds)
        if batch:
            rounds.append((world.launch([request.uid for request in batch]), batch))
            for request in batch:
                request.launched += 1
        if under_way:
            process(*rounds.popleft())
