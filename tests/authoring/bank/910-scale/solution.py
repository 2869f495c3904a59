def scale(x, factor: "int | float"):
    """x times factor, plus one."""
    return x * factor + 1
