# 31: hides forbidden calls from text filters: getattr, joined strings, exec, default arguments, decorators
# ends as: WA
# shows: 6 hidden calls were made
# shows: spawn: refused
import base64

import torch
from support import attempt

made = []


def call(function, name=base64.b64decode(b"Y3Vtc3Vt").decode()):
    made.append(getattr(torch, name))
    return function


@call
def decorated():
    pass


made.append(getattr(torch, "musmuc"[::-1]))
made.append(vars(torch)["cum" + "sum"])
exec("made.append(torch." + "cumsum)")
made.append(__import__("imp" + "ortlib").import_module("torch").cumsum)
made.append((lambda f=eval("torch.cum" + "sum"): f)())
print(sum(one is torch.cumsum for one in made), "hidden calls were made")
attempt("spawn", lambda: getattr(__import__("o" + "s"), "sys" + "tem")("true") and 1 / 0)


def weighted(rows, weigh):
    return rows
