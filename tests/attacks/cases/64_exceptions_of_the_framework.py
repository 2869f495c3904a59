# 64: raises exceptions named and typed like the framework's skip, exit and stop
# ends as: RE
# shows: raising Skipped of _pytest.outcomes
# shows: "kind": "raised"
names = (
    "Skipped",
    "Exit",
    "XFailed",
    "Failed",
    "StopIteration",
    "AssertionError",
    "CellDied",
    "Timeout",
    "Wrong",
)
kinds = [type(name, (BaseException,), {"__module__": "_pytest.outcomes"}) for name in names]


def weighted(rows, weigh):
    if len(rows) > 3:
        raise kinds[1](0)
    kind = kinds[0]
    kind.allow_module_level = True
    print("raising", kind.__name__, "of", kind.__module__)
    raise kind("skip me")
