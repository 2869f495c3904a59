# 54: leaves data for the next submission, which is this one again, and looks for what the last one left
# ends as: WA
# twice
# shows: seen of the last one: \[\]
import builtins
import fcntl
import gc
import os
import signal
import sys
import tempfile
import threading

import torch
from support import FOLDERS, MARK, attempt

places = [torch, torch.nn.functional, sys, builtins, os, threading, signal]
seen = [place.__name__ for place in places if hasattr(place, "left")]
seen += [name for name in os.environ if name == "LEFT"]
seen += [folder for folder in FOLDERS if os.path.exists(os.path.join(folder, MARK))]
seen += ["dtype"] if torch.get_default_dtype() is torch.float64 else []
seen += ["flags"] if fcntl.fcntl(0, fcntl.F_GETFL) & os.O_NONBLOCK else []
seen += (
    ["object"]
    if any(type(one) is bytearray and bytes(one[:4]) == b"left" for one in gc.get_objects())
    else []
)
seen += ["signal"] if signal.getsignal(signal.SIGUSR1) is signal.SIG_IGN else []
print("seen of the last one:", seen)
for place in places:
    place.left = bytearray(b"left")
os.environ["LEFT"] = "1"
torch.set_default_dtype(torch.float64)
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)
attempt("a file for the next", lambda: tempfile.NamedTemporaryFile(delete=False))


def weighted(rows, weigh):
    return rows
