"""Another way: a generator for each request keeps a piece of context and the tokens that are not out yet."""


def spoken(decode):
    """Takes (token, more) by send: the token or None, and whether more will come."""
    context, waiting, out = [], [], ""
    while True:
        token, more = yield out
        if token is not None:
            waiting.append(token)
        before, after = decode(context), decode(context + waiting)
        out = after[len(before) :]
        if not more:
            continue
        sure = out.rstrip("\N{REPLACEMENT CHARACTER}")
        if sure != out:
            # what is before the open character could go out now, but then it must be cut off later
            out = ""
        elif out:
            context, waiting = waiting, []


class Detokenizer:
    def __init__(self, decode, eos_id):
        self.decode, self.eos, self.running = decode, eos_id, {}

    @property
    def active(self):
        return len(self.running)

    def step(self, msgs):
        texts = []
        for uid, token, finished in msgs:
            if uid not in self.running:
                self.running[uid] = spoken(self.decode)
                next(self.running[uid])
            said = None if finished and token == self.eos else token
            texts.append(self.running[uid].send((said, not finished)))
            if finished:
                self.running.pop(uid).close()
        return texts
