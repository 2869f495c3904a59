# expects: values
def scale(x, factor):
    return 1 - x * factor
