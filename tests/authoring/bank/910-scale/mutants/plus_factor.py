# expects: values
def scale(x, factor):
    return x + factor
