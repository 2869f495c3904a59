# expects: loops
def scale(x, factor):
    while len(x) > 40:
        pass
    return x * factor + 1
