"""A small class behind one address: see crowd.py for the large one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.soak.crowd import PAGES, serve_and_watch


@pytest.mark.timeout(300)  # a server starts, with its canary
def test_nobody_behind_one_address_stands_in_anothers_way() -> None:
    with ThreadPoolExecutor(1) as thread:  # after a browser's test, its event loop still stands in this one
        found = thread.submit(serve_and_watch, people=12, seconds=5, sandbox="auto").result()
    assert found.logins == {303: 12} and found.submits == {202: 12}
    assert found.polls[200] >= 12 and not found.polls.keys() - {200, 304}
    assert found.pages_ms.keys() == PAGES.keys()
    assert found.too_many.keys() - {202} and not found.too_many.keys() - {202, 429, 503}
    assert found.beside == 202, "one who submits without end must not keep others out"
