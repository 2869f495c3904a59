# 61: leaves a key in the kernel's keyring of the shared user, for a later submission to read
# ends as: WA
# twice
# shows: add a key to -4: refused
# shows: find the last one's key: refused
from support import MARK, attempt, syscall

attempt("find the last one's key", lambda: syscall(249, 218, b"user", MARK.encode(), 0, 0))
for ring in (-1, -2, -3, -4, -5):
    attempt(
        f"add a key to {ring}", lambda ring=ring: syscall(248, 217, b"user", MARK.encode(), b"left", 4, ring)
    )
    attempt(f"look into {ring}", lambda ring=ring: syscall(250, 219, 11, ring, bytes(64), 64))


def weighted(rows, weigh):
    return rows
