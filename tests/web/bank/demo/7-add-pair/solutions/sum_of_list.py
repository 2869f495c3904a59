def add(a, b):
    return sum([a, b])
