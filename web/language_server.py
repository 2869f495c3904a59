"""One language server as a process of its own, asked over stdin and stdout (LSP); started when needed, ended when idle.

It may hang, die or be killed: whoever asks then gets None, and the next question starts it again.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

LOG = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parents[1]
ANSWER_S = 4.0
SILENT_MAX = 3  # questions in a row without an answer, after which it is ended
IDLE_S = 10 * 60.0
LOOK_EVERY_S = 30.0
DOCUMENTS_MAX = 64
REST_S = 20.0  # between two starts of a server that does not stay


class _Gone(Exception):
    """The server closed its end."""


@dataclass
class _Waiter:
    there: threading.Event = field(default_factory=threading.Event)
    answer: Any = None


class LanguageServer:
    """``command`` run in ``folder`` and confined to reading ``readable``. Thread-safe."""

    def __init__(
        self, command: list[str], folder: Path, readable: list[str], memory_mib: int, idle_s: float = IDLE_S
    ) -> None:
        confined = [sys.executable, "-P", "-s", "-m", "web.confined", str(memory_mib), *readable, "--"]
        self._command = [*confined, *command]
        self._folder, self._idle_s = folder, idle_s
        self._lock = threading.Lock()  # of what follows, and of writing
        self._process: subprocess.Popen[bytes] | None = None
        self._documents: OrderedDict[str, tuple[int, str]] = OrderedDict()  # uri: version, text
        self._waiting: dict[int, _Waiter] = {}
        self._number = self._silent = 0
        self._asked_s = 0.0
        self._started_s = -REST_S

    @property
    def pid(self) -> int | None:
        """Of the server while one is alive."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def ask(self, uri: str, text: str, method: str, **params: Any) -> Any:
        """The answer to ``method`` about a document that now holds ``text``; None where there is none in time."""
        if not self._lock.acquire(timeout=ANSWER_S):  # it does not read what another is writing
            self.close()
            return None
        try:
            self._ensure()
            self._show(uri, text)
            number, waiter = self._send(method, {"textDocument": {"uri": uri}, **params})
        except (OSError, _Gone):
            self._stop()
            return None
        finally:
            self._lock.release()
        return self._await(number, waiter)

    def close(self) -> None:
        """End the server; a later question starts it again."""
        self._kill()
        with self._lock:
            self._stop()

    def _kill(self) -> None:
        """Without the lock: who holds it may be writing to a process that does not read, and is freed by this."""
        process = self._process
        if process is not None and process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def _ensure(self) -> None:
        self._asked_s = time.monotonic()
        if self.pid is not None:
            return
        self._stop()
        if self._asked_s - self._started_s < REST_S:
            raise _Gone
        self._started_s = self._asked_s
        self._process = subprocess.Popen(
            self._command,
            cwd=self._folder,
            # no key, no address, no home of ours; one thread beside the main one
            env={
                "HOME": str(self._folder),
                "PATH": os.defpath,
                "PYTHONPATH": str(ROOT),
                "LANG": "C.UTF-8",
                "TY_MAX_PARALLELISM": "1",
                "RAYON_NUM_THREADS": "1",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        threading.Thread(target=self._read, args=[self._process], name="language-server", daemon=True).start()
        threading.Thread(target=self._watch, args=[self._process], name="language-idle", daemon=True).start()
        self._send("initialize", _hello(self._folder))
        self._write({"method": "initialized", "params": {}})

    def _stop(self) -> None:
        process, self._process = self._process, None
        self._documents.clear()
        self._silent = 0
        for waiter in list(self._waiting.values()):
            waiter.there.set()
        self._waiting.clear()
        if process is not None:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    _close(pipe)

    def _show(self, uri: str, text: str) -> None:
        """Tell the server what the document holds, where that is not what it was last told."""
        version, before = self._documents.get(uri, (0, ""))
        if not version:
            document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
            self._write({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        elif before != text:
            document = {"uri": uri, "version": version + 1}
            change = {"textDocument": document, "contentChanges": [{"text": text}]}
            self._write({"method": "textDocument/didChange", "params": change})
        self._documents[uri] = (version + 1, text)
        self._documents.move_to_end(uri)
        while len(self._documents) > DOCUMENTS_MAX:
            oldest, _ = self._documents.popitem(last=False)
            self._write({"method": "textDocument/didClose", "params": {"textDocument": {"uri": oldest}}})

    def _send(self, method: str, params: dict[str, Any]) -> tuple[int, _Waiter]:
        self._number += 1
        waiter = self._waiting[self._number] = _Waiter()
        self._write({"id": self._number, "method": method, "params": params})
        return self._number, waiter

    def _write(self, message: dict[str, Any]) -> None:
        if self._process is None or self._process.stdin is None:
            raise _Gone
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def _await(self, number: int, waiter: _Waiter) -> Any:
        if waiter.there.wait(ANSWER_S):
            self._silent = 0
            return waiter.answer
        self._waiting.pop(number, None)
        self._silent += 1
        if self._silent >= SILENT_MAX:
            LOG.warning("%s does not answer: it is ended", self._command[-2])
            self.close()
        return None

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        """Hands answers to who waits for them; in a thread of its own until the server is gone."""
        assert process.stdout is not None
        try:
            while (message := _message(process.stdout)) is not None:
                self._take(process, message)
        except (OSError, ValueError):
            pass  # it was ended, or says what is no LSP
        with self._lock:
            if self._process is process:
                self._stop()

    def _take(self, process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
        if "method" in message:
            if "id" in message:  # it asks for settings, which are all in its file
                items = (message.get("params") or {}).get("items") or []
                with self._lock:
                    if self._process is process:
                        self._write({"id": message["id"], "result": [None for _ in items] or None})
            return
        waiter = self._waiting.pop(message.get("id", 0), None)
        if waiter is not None:
            waiter.answer = message.get("result")
            waiter.there.set()

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        """Ends a server that nobody asks."""
        while self._process is process and process.poll() is None:
            if time.monotonic() - self._asked_s > self._idle_s:
                self._started_s = -REST_S
                self.close()
                return
            time.sleep(min(LOOK_EVERY_S, self._idle_s))


def _message(pipe: IO[bytes]) -> dict[str, Any] | None:
    """The next message, None at the end; ValueError for what is none."""
    length = 0
    while (line := pipe.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not line:
        return None
    message = json.loads(pipe.read(length))
    if not isinstance(message, dict):
        raise ValueError("no object")
    return message


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:  # what was still to be written to it
        return


def _hello(folder: Path) -> dict[str, Any]:
    uri = folder.as_uri()
    text_document = {
        "completion": {"completionItem": {"snippetSupport": False}},
        "hover": {"contentFormat": ["markdown"]},
        "signatureHelp": {"signatureInformation": {"documentationFormat": ["markdown"]}},
        "diagnostic": {},
        "formatting": {},
    }
    return {
        "processId": None,
        "rootUri": uri,
        "workspaceFolders": [{"uri": uri, "name": "practice"}],
        "capabilities": {"textDocument": text_document, "general": {"positionEncodings": ["utf-16"]}},
    }
