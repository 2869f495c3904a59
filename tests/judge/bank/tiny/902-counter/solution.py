def total(item):
    return sum(item.values)


def fill(n):
    if n < 0:
        raise ValueError("n is negative")
    return [n] * n
