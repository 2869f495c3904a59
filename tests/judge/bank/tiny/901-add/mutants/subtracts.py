# expects: add-subtracts
def add(a, b):
    return a - b
