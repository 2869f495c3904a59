"""After set-up nothing needs the network: the site serves and judges where there is only a loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import missing

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "tests" / "judge" / "bank" / "tiny"
_LIMIT_S = 300
_IN_NAMESPACE = 'ip link set lo up && exec "$@"'
# serves, asks for the site's first page, submits, and waits for the verdict, all inside the namespace
_SERVE_AND_JUDGE = """
import json, signal, socket, subprocess, sys, time, urllib.request
url, source = sys.argv[1], open(sys.argv[2], encoding="utf-8").read()
if [name for _, name in socket.if_nameindex() if name not in ("lo", "tunl0", "sit0", "ip6tnl0", "gre0", "gretap0", "erspan0")]:
    sys.exit("this is no empty network namespace")

def ask(path, body=None):
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url + path, data, headers), timeout=30) as answer:
        return answer.read()

server = subprocess.Popen([sys.executable, "-m", "web"], stdout=sys.stderr)
try:
    while True:
        try:
            ask("/healthz")
            break
        except OSError:
            if server.poll() is not None:
                sys.exit("the server did not start")
            time.sleep(0.2)
    page = ask("/").decode()
    view = json.loads(ask("/api/submissions", {"problem": 901, "source": source, "mode": "submit"}))
    while view["status"] != "done":
        time.sleep(0.2)
        view = json.loads(ask(f"/api/submissions/{view['id']}"))
    print(json.dumps({"verdict": view["verdict"], "backend": view["backend"], "listed": "901" in page}))
finally:
    server.send_signal(signal.SIGTERM)
    server.wait(30)
"""


@pytest.mark.timeout(_LIMIT_S + 10)
@pytest.mark.parametrize("sandbox", ["namespace", "landlock"])
def test_it_serves_and_judges_in_an_empty_network_namespace(sandbox: str, tmp_path: Path) -> None:
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        missing("making an empty network namespace needs root on Linux")
    given = {
        "JUDGE_DATA": str(tmp_path),
        "JUDGE_PROBLEMS": str(TINY),
        "JUDGE_PORT": "8765",
        "JUDGE_SANDBOX": sandbox,
        "JUDGE_WORKERS": "1",
        "JUDGE_LANG": "en",
    }
    inner = [
        sys.executable,
        "-c",
        _SERVE_AND_JUDGE,
        "http://127.0.0.1:8765",
        str(TINY / "901-add" / "solution.py"),
    ]
    told = subprocess.run(
        ["unshare", "-n", "sh", "-c", _IN_NAMESPACE, "sh", *inner],
        cwd=ROOT,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
    )
    if "cannot be used" in told.stderr or "no sandbox" in told.stderr:
        missing(told.stderr.strip().splitlines()[-1])
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout) == {"verdict": "AC", "backend": sandbox, "listed": True}
