"""`python -m web`: start the judge's service and serve the site with waitress until told to stop."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from types import FrameType
from typing import NoReturn

import waitress

from judge.config import Config, ConfigError, choose_language
from judge.lines import UserError, judge_command, line
from judge.problem import ProblemError
from judge.service import Service
from judge.users import can_log_in
from web import i18n
from web.app import create_app
from web.connections import close_idle_soon, room_for_connections
from web.current import THREADS
from web.watching import set_up_logs

BODY_LIMIT_BYTES = 8 << 20  # above the application's own cap, so that this one rarely has to speak


def main() -> int:
    """Serve until interrupted; 2 with one line for a setting that cannot be used, 3 for a fault of ours."""
    try:
        config = Config.from_env()
    except ConfigError as error:
        return complain(error.line("en" if os.environ.get("JUDGE_LANG") == "en" else "zh"), error.status)
    set_up_logs(config.log)
    lang = choose_language(config)
    if not config.is_loopback and not config.accounts:
        return complain(i18n.translate(lang, "serve.not-loopback", host=config.host), 2)
    try:
        with listen(config) as sock:
            return serve(config, sock, lang)
    except UserError as error:
        return complain(error.line(lang), error.status)
    except ProblemError as error:
        return complain(line("error.problem", lang, why=error), 3)
    except OSError as error:
        return complain(no_address(config, lang, error), 2)


def listen(config: Config) -> socket.socket:
    """A listening socket on the configured address, taken before anything slow starts."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((config.host, config.port))
        sock.listen(1024)
    except OSError:
        sock.close()
        raise
    return sock


def serve(config: Config, sock: socket.socket, lang: str) -> int:
    """Start the service, answer requests on ``sock``, and close the service whatever ends it."""
    signal.signal(signal.SIGTERM, stop)
    service = Service(config)
    app = create_app(service, config)
    try:
        service.start()
        server = waitress.create_server(
            app,
            sockets=[sock],
            threads=THREADS,
            ident=None,
            max_request_body_size=BODY_LIMIT_BYTES,
            connection_limit=room_for_connections(),
            asyncore_use_poll=True,  # select() takes descriptors below 1024 alone
            cleanup_interval=1,
            clear_untrusted_proxy_headers=False,  # web/proxies.py knows whom to trust
        )
        close_idle_soon(server)
        if config.accounts and not can_log_in(service.database):
            print(i18n.translate(lang, "serve.no-admin", judge=judge_command()), flush=True)
        said = {"address": config.address, "sandbox": service.backend, "judge": judge_command()}
        print(i18n.translate(lang, "serve.ready", **said), flush=True)
        server.run()
    except KeyboardInterrupt:
        pass
    finally:
        service.close()
        if helper := app.extensions["helper"]:
            helper.close()
    return 0


def stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    """End as Ctrl+C does, so that the service is closed."""
    raise KeyboardInterrupt


def no_address(config: Config, lang: str, error: OSError) -> str:
    """Why the address cannot be listened on, and the command that works instead."""
    if error.errno != errno.EADDRINUSE:
        return i18n.translate(lang, "serve.no-address", address=config.address, why=error.strerror or error)
    return i18n.translate(lang, "serve.port-taken", port=config.port, free=free_port(config))


def free_port(config: Config) -> int:
    """A port near the wanted one that is free now."""
    for port in range(config.port + 1, min(config.port + 100, 65536)):
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", port)):
                return port
    return config.port + 1


def complain(text: str, status: int) -> int:
    """Print one line for the user and pass the exit status on."""
    print(text, file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
