"""Another way: TTFT only falls with larger chunks, so the answer is the largest candidate that keeps the SLO."""


def rounds(L, C, n_decode, a, b):
    whole, rest = divmod(L, C)
    prefill = [(whole, C)] * (whole > 0) + [(1, rest)] * (rest > 0)
    count = sum(number for number, _ in prefill)
    seconds = sum(number * (a + b * size) for number, size in prefill)
    return count, seconds, max(size for _, size in prefill)


def simulate(L, C, n_decode, a, b):
    count, spent, largest = rounds(L, C, n_decode, a, b)
    if n_decode == 0:
        return spent, 0
    pause = a + b * n_decode
    return spent + pause * (count - 1), a + b * largest + pause


def best_chunk(L, n_decode, a, b, tpot_slo, candidates):
    fits = filter(lambda C: simulate(L, C, n_decode, a, b)[1] <= tpot_slo, candidates)
    return max(fits, default=None)
