def scale(x, factor):
    raise NotImplementedError
