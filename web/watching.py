"""For who runs the site: figures for Prometheus at ``/metrics``, and a line of log for each request."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Iterable

from flask import Blueprint, Flask, Response, current_app, g, request

from judge.statistics import Counts, count
from web.current import reader, service
from web.errors import Refused
from web.proxies import is_within

bp = Blueprint("watching", __name__)

ACCESS = logging.getLogger("judge.access")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "OPTIONS"})
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Requests:
    """What was answered since the start, in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.answered: Counter[tuple[str, int]] = Counter()  # by method and status
        self.within: Counter[float] = Counter()  # by the least bucket that holds the time
        self.seconds = 0.0

    def add(self, method: str, status: int, seconds: float) -> None:
        """Count one answer."""
        bucket = next((bound for bound in BUCKETS_S if seconds <= bound), float("inf"))
        with self._lock:
            self.answered[method if method in METHODS else "OTHER", status] += 1
            self.within[bucket] += 1
            self.seconds += seconds


def install(app: Flask) -> None:
    """Time every request of ``app``, from before its checks until its answer is made."""
    app.extensions["requests"] = Requests()
    app.before_request(begin)
    app.after_request(finish)
    app.register_blueprint(bp)


def begin() -> None:
    """Start the clock of a request."""
    g.began = time.perf_counter()


def finish(response: Response) -> Response:
    """Count the answer and log it. Only its path is logged: a query may hold what somebody searched for."""
    seconds = time.perf_counter() - g.get("began", time.perf_counter())
    requests: Requests = current_app.extensions["requests"]
    requests.add(request.method, response.status_code, seconds)
    if ACCESS.isEnabledFor(logging.INFO):
        who = reader()
        told = {
            "method": request.method,
            "path": request.path,
            "status": response.status_code,
            "ms": round(seconds * 1000, 1),
            "address": request.remote_addr,
            "user": who.name if who else None,
        }
        ACCESS.info("%s %s %s", request.method, request.path, response.status_code, extra={"told": told})
    return response


@bp.get("/metrics")
def show() -> Response:
    """Figures in Prometheus' text format; a page that is not there for addresses outside JUDGE_METRICS."""
    if not is_within(request.remote_addr or "", current_app.config["METRICS"]):
        raise Refused("not-found", 404)
    with service().database.read() as session:
        counts = count(session)
    text = "\n".join([*of_requests(current_app.extensions["requests"]), *of_judge(counts), ""])
    return Response(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def of_requests(requests: Requests) -> Iterable[str]:
    """Answers by method and status, and their times as a histogram."""
    yield "# TYPE judge_http_requests_total counter"
    for (method, status), number in sorted(requests.answered.items()):
        yield f'judge_http_requests_total{{method="{method}",status="{status}"}} {number}'
    yield "# TYPE judge_http_request_seconds histogram"
    total = 0
    for bound in (*BUCKETS_S, float("inf")):
        total += requests.within[bound]
        yield f'judge_http_request_seconds_bucket{{le="{"+Inf" if bound == float("inf") else bound}"}} {total}'
    yield f"judge_http_request_seconds_sum {requests.seconds:.6f}"
    yield f"judge_http_request_seconds_count {total}"


def of_judge(counts: Counts) -> Iterable[str]:
    """What waits, runs and was judged, and the bank."""
    yield "# TYPE judge_judgements gauge"
    for status in ("queued", "running"):
        yield f'judge_judgements{{status="{status}"}} {counts.unfinished.get(status, 0)}'
    yield "# TYPE judge_verdicts gauge"
    for verdict, number in sorted(counts.verdicts.items()):
        yield f'judge_verdicts{{verdict="{verdict}"}} {number}'
    yield "# TYPE judge_problems gauge"
    yield f"judge_problems {len(service().catalogue.all())}"
    yield "# TYPE judge_problems_broken gauge"
    yield f"judge_problems_broken {len(service().catalogue.broken)}"


class JsonLines(logging.Formatter):
    """A log as one JSON object a line; an exception is one field of it."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


def set_up_logs(form: str) -> None:
    """``plain``: warnings for people. ``json``: a line for each request as well."""
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it warns of each request that has to wait
    if form == "plain":
        logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
        return
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    ACCESS.setLevel(logging.INFO)
