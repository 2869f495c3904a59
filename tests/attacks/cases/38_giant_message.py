# 38: raises an exception whose message, and returns a value whose text, is endless
# ends as: RE
# shows: a message of 20000000 characters
# shows: xxxxxxxxxx
class Giant:
    def __repr__(self):
        return "y" * 20_000_000

    __str__ = __repr__


def weighted(rows, weigh):
    print("a message of 20000000 characters")
    if len(rows) == 3:
        raise ValueError("x" * 20_000_000)
    return Giant()
