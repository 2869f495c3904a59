"""Sets and a lookup by the major version; a pair is parsed into two fields."""

CHOICES = {"torch", "fi", "fa"}
BY_MAJOR = {9: "fa,fi"}


def has_kernels(dtype):
    return dtype.is_floating_point and dtype.itemsize == 2


def pick_backend(capability, dtype):
    if capability is not None and has_kernels(dtype):
        return BY_MAJOR.get(capability[0], "fi")
    return "torch"


def resolve_backend(backend, capability, dtype):
    if backend == "auto":
        return pick_backend(capability, dtype)
    prefill, comma, decode = backend.partition(",")
    unknown = {prefill, decode if comma else prefill} - CHOICES
    if unknown:
        raise ValueError(f"{backend!r}: no backend {sorted(unknown)[0]!r}; there are auto, {sorted(CHOICES)}")
    if not has_kernels(dtype):
        return "torch"
    return backend if comma and prefill != decode else prefill
