"""How many may be connected, and whose connection is closed."""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import waitress

from web import connections
from web.connections import CONNECTIONS, OTHER_FILES, close_idle_soon, room_for_connections

IDLE_S = 0.5
BODY = b"x" * 100


def test_as_many_connections_as_the_system_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _kind, limits: allowed.append(limits))
    plenty = 1 << 20
    for soft, hard, room in (
        (1024, plenty, CONNECTIONS),
        (1024, 2048, 2048 - OTHER_FILES),
        (plenty, plenty, CONNECTIONS),
    ):
        monkeypatch.setattr(resource, "getrlimit", lambda _kind, limits=(soft, hard): limits)
        assert room_for_connections() == room
    assert allowed == [(CONNECTIONS + OTHER_FILES, plenty), (2048, 2048)]


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that says how long a body it got; on /slow after a while."""
    monkeypatch.setattr(connections, "IDLE_S", IDLE_S)

    def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/slow":
            time.sleep(4 * IDLE_S)
        said = str(len(environ["wsgi.input"].read())).encode()
        start_response("200 OK", [("Content-Length", str(len(said)))])
        return [said]

    server = waitress.create_server(application, host="127.0.0.1", port=0, cleanup_interval=IDLE_S / 5)
    close_idle_soon(server)

    def run() -> None:
        with suppress(OSError):  # it is closed under it at the end
            server.run()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield int(server.effective_port)
    server.close()


def ask(sock: socket.socket, path: str = "/", pause_s: float = 0.0) -> bytes:
    """The answer to a request that stops for a while within its body."""
    sock.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" % path.encode() + BODY[:50])
    time.sleep(pause_s)
    sock.sendall(BODY[50:])
    answer = b""
    while not answer.endswith(b"100") and (piece := sock.recv(4096)):
        answer += piece
    return answer


@pytest.mark.parametrize(("path", "pause_s"), [("/", 4 * IDLE_S), ("/slow", 0.0)], ids=["request", "answer"])
def test_what_is_slow_is_not_idle(port: int, path: str, pause_s: float) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as sock:
        assert ask(sock, path, pause_s).endswith(b"100")


def test_a_connection_is_kept_for_the_next_request_and_then_closed(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as sock:
        assert ask(sock).endswith(b"100") and ask(sock).endswith(b"100")
        began = time.monotonic()
        assert sock.recv(1) == b"", "the server closes what carries nothing"
        assert time.monotonic() - began > IDLE_S / 2
