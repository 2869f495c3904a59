"""A running server judges what `judge test` hands over, with the pool and grader that it has warm."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from judge.catalogue import Catalogue
from judge.grading.seam import Grading
from judge.lines import UserError
from judge.remote.place import is_own, socket_in
from judge.remote.server import GraderServer, Keeper, listening

LOG = logging.getLogger(__name__)


@contextmanager
def taking_over(data: Path, grading: Grading, catalogue: Catalogue, keeper: Keeper) -> Iterator[None]:
    """Within this, processes of this user find the server at the socket in ``data``.

    A folder where no socket can be made (some mounted ones) costs the command line its speed and nothing else.
    """
    with ExitStack() as stack:
        try:
            listener = stack.enter_context(listening(socket_in(data)))
        except UserError as error:
            LOG.info("the command line judges by itself: %s", error)
            yield
            return
        server = GraderServer(grading, catalogue, keeper, admits=is_own)
        thread = threading.Thread(target=server.serve, args=[listener], name="takeover", daemon=True)
        thread.start()
        stack.callback(thread.join)
        stack.callback(server.close)
        stack.callback(listener.shutdown, socket.SHUT_RDWR)  # ends a blocked accept, which closing does not
        yield
