"""Keys and slots as Python lists, children in a list that is searched, leaves found by a linear scan."""

import torch


def common_len(a, b):
    n = min(a.numel(), b.numel())
    same = (a[:n] == b[:n]).to(torch.uint8)
    return int(same.cumprod(0).sum())


class Handle:
    def __init__(self, cache, end, cached_len):
        self.cache, self.end, self.cached_len = cache, end, cached_len


class Edge:
    def __init__(self, up=None, tokens=(), slots=(), used=0, held=0):
        self.up, self.tokens, self.slots, self.used, self.held = up, list(tokens), list(slots), used, held
        self.down = []

    def ancestors(self):
        edge = self
        while edge.up is not None:
            yield edge
            edge = edge.up


def shared(xs, ys):
    for i, (x, y) in enumerate(zip(xs, ys, strict=False)):
        if x != y:
            return i
    return min(len(xs), len(ys))


class RadixCache:
    def __init__(self, page_size=1):
        self.size = page_size
        self.top = Edge()
        self.now = 0

    def _edges(self, edge=None):
        for child in (edge or self.top).down:
            yield child
            yield from self._edges(child)

    @property
    def evictable_size(self):
        return sum(len(edge.tokens) for edge in self._edges() if not edge.held)

    @property
    def protected_size(self):
        return sum(len(edge.tokens) for edge in self._edges() if edge.held)

    def _descend(self, tokens):
        self.now += 1
        edge, at = self.top, 0
        while at < len(tokens):
            rest = tokens[at:]
            found = [c for c in edge.down if c.tokens[: self.size] == rest[: self.size]]
            if not found:
                break
            child = found[0]
            n = shared(child.tokens, rest)
            n -= n % self.size
            if n < len(child.tokens):
                upper = Edge(edge, child.tokens[:n], child.slots[:n], held=child.held)
                edge.down[edge.down.index(child)] = upper
                upper.down.append(child)
                child.up, child.tokens, child.slots = upper, child.tokens[n:], child.slots[n:]
                child = upper
            child.used = self.now
            edge, at = child, at + n
        return edge, at

    def _cut(self, ids):
        tokens = ids.tolist()
        return tokens[: len(tokens) - len(tokens) % self.size]

    def match_prefix(self, input_ids):
        return Handle(self, *self._descend(self._cut(input_ids)))

    def insert_prefix(self, input_ids, indices):
        tokens = self._cut(input_ids)
        edge, known = self._descend(tokens)
        if known < len(tokens):
            leaf = Edge(edge, tokens[known:], indices.tolist()[known : len(tokens)], self.now)
            edge.down.append(leaf)
            edge = leaf
        return known, Handle(self, edge, len(tokens))

    def matched_indices(self, handle):
        slots = []
        for edge in handle.end.ancestors():
            slots = edge.slots + slots
        return torch.tensor(slots, dtype=torch.int32)

    def lock(self, handle):
        for edge in handle.end.ancestors():
            edge.held += 1

    def unlock(self, handle):
        for edge in handle.end.ancestors():
            edge.held -= 1

    def evict(self, size):
        if size > self.evictable_size:
            raise MemoryError("not so much to forget")
        gone = []
        while len(gone) < size:
            leaf = min((e for e in self._edges() if not e.down and not e.held), key=lambda e: e.used)
            gone += leaf.slots
            leaf.up.down.remove(leaf)
        return torch.tensor(gone, dtype=torch.int32)
