# 37: crashes with a large memory image, for a core or a trace file
# ends as: RE
# shows: asks for a core: refused
# shows: "signal": 6
import os
import resource

from support import attempt


def weighted(rows, weigh):
    attempt("asks for a core", lambda: resource.setrlimit(resource.RLIMIT_CORE, (1 << 30, 1 << 30)))
    kept = bytearray(64 << 20)
    os.abort()
    return kept
