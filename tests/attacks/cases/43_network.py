# 43: sends what it knows to the world: TCP, UDP, raw and netlink sockets, a cloud's metadata, a reverse shell
# ends as: WA
# shows: connect to 1.1.1.1: refused
# shows: metadata: refused
import socket
import urllib.request

from support import attempt

for host in ("1.1.1.1", "127.0.0.1", "169.254.169.254", "::1"):
    attempt(f"connect to {host}", lambda host=host: socket.create_connection((host, 80), timeout=0.2))
attempt(
    "metadata", lambda: urllib.request.urlopen("http://169.254.169.254/latest/meta-data/", timeout=0.2).read()
)
for family, kind in (
    (2, 1),
    (2, 2),
    (2, 3),
    (10, 1),
    (10, 2),
    (16, 3),
    (17, 3),
    (1, 1),
    (1, 2),
    (40, 1),
    (38, 5),
    (30, 5),
):
    attempt(f"socket {family} {kind}", lambda family=family, kind=kind: socket.socket(family, kind))
attempt("listen", lambda: socket.create_server(("127.0.0.1", 40990)))
pair = socket.socketpair()
attempt("send to an address", lambda: pair[0].sendto(b"x", "\0abstract"))
attempt("pair of datagrams", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))


def weighted(rows, weigh):
    return rows
