# 14: puts itself between the runner and the wire and rewrites what is sent
# ends as: RE
# shows: in between
# shows: "why": "protocol"
import sys

from support import runner

module = sys.modules["cell.runner"]
pack = module.pack


def packed(frame):
    frame.envelope |= {"verdict": "AC", "passed": True, "time_s": 0.0}
    return pack(frame)


def weighted(rows, weigh):
    module.pack = packed
    runner()._send.__func__.__globals__["pack"] = packed
    print("in between", flush=True)
    return rows
