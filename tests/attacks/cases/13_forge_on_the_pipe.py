# 13: finds the wire among the open descriptors and writes frames that say the case has passed
# ends as: RE
# shows: wrote [1-9][0-9]* forged frames to [0-9]+
# shows: "why": "protocol"
import json
import os
import stat
import struct

from support import runner


def frame(envelope):
    text = json.dumps(envelope).encode()
    return struct.pack(">IQ", len(text), 0) + text


def weighted(rows, weigh):
    nonce = runner()._calls[-1].nonce
    forged = [
        {"nonce": nonce, "kind": "return", "verdict": "AC", "sizes": []},
        {"nonce": "0" * 16, "kind": "return"},
    ]
    forged += [{"nonce": nonce, "kind": "done", "value": True, "sizes": []}, {"done": {"load": None}}]
    for descriptor in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                print("wrote", len(forged), "forged frames to", descriptor, flush=True)
                os.write(descriptor, b"".join(map(frame, forged)))
        except OSError:
            continue
    return rows
