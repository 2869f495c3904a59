# expects: values
def scale(x, factor):
    return x * x * factor
