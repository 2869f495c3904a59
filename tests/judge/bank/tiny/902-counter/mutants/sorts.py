# expects: fill-input
def total(item):
    item.values.sort()
    return sum(item.values)


def fill(n):
    if n < 0:
        raise ValueError
    return [n] * n
