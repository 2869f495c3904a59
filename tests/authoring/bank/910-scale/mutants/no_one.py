# expects: no-one
def scale(x, factor):
    return x * factor
