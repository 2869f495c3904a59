# 47: reaches for the judge's own services and its database
# ends as: WA
# shows: port 5432: refused
# shows: open \S*judge.sqlite3: refused
import os
import socket
import sqlite3

from support import PROJECT, attempt

for port in (5432, 8000, 6379, 5672):
    attempt(f"port {port}", lambda port=port: socket.create_connection(("127.0.0.1", port), timeout=0.2))
for path in ("data/judge.sqlite3", "data/web.key", "data/serve.sock"):
    path = os.path.join(PROJECT, path)
    attempt(f"open {path}", lambda path=path: open(path, "rb").read(16))
    attempt(
        f"database {path}", lambda path=path: sqlite3.connect(path).execute("select 1 from users").fetchall()
    )


def weighted(rows, weigh):
    return rows
