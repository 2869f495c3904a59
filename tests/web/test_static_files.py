"""Static files: one address for one content, compressed where that exists, cached for good."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from judge.config import Config
from judge.service import Service
from web.app import content_hash, create_app


@pytest.fixture
def static(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    (folder / "css").mkdir(parents=True)
    (folder / "vendor").mkdir()
    (folder / "css" / "site.css").write_text("body {}")
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / "vendor" / "monaco.js").write_text("plain " * 9)
    (folder / "vendor" / "monaco.js.br").write_bytes(b"squeezed")
    return folder


def test_every_file_that_a_page_names_is_there_and_immutable(client: FlaskClient) -> None:
    page = client.get("/problems/add-pair").text
    paths = {path for path in re.findall(r'(?:href|src)="(/static/[^"]+)"', page) if "/vendor/" not in path}
    assert len(paths) >= 3
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_changed_file_changes_the_address(static: Path) -> None:
    before = content_hash(static)
    assert content_hash(static) == before
    (static / "css" / "site.css").write_text("body { margin: 0 }")
    assert content_hash(static) != before


def test_the_compressed_twin_is_sent_to_who_takes_it(service: Service, config: Config, static: Path) -> None:
    client = create_app(service, config, static).test_client()
    path = f"/static/{content_hash(static)}/vendor/monaco.js"
    squeezed = client.get(path, headers={"Accept-Encoding": "br"})
    assert (squeezed.data, squeezed.headers["Content-Encoding"]) == (b"squeezed", "br")
    assert client.get(path, headers={"Accept-Encoding": "identity"}).data.startswith(b"plain")


def test_nothing_outside_the_folder_is_served(client: FlaskClient) -> None:
    for path in ("/static/", "/static/../app.py", "/static/x/%2e%2e/%2e%2e/app.py", "/static/css/site.css"):
        assert client.get(path).status_code == 404


def test_without_the_bundle_the_page_says_so_and_names_no_part_of_it(
    service: Service, config: Config, static: Path
) -> None:
    page = create_app(service, config, static).test_client().get("/problems/add-pair").text
    assert "普通文本框" in page
    assert "vendor/" not in page
    assert '"vendor": false' in page


def test_a_page_names_ahead_what_its_script_will_import(
    service: Service, config: Config, static: Path
) -> None:
    (static / "js").mkdir()
    (static / "js" / "workspace.js").write_text(
        "import {\n  a,\n} from './a.js';\nconst later = () => import('./later.js');"
    )
    (static / "js" / "a.js").write_text("import { b } from './b.js';\nimport './workspace.js';")
    (static / "js" / "b.js").write_text("export const b = 1;")
    (static / "vendor" / "monaco.js").write_text('import{$ as C}from"./chunk-A1.js";import"./chunk-B2.js";')
    (static / "vendor" / "bundle.json").write_text("{}")
    page = create_app(service, config, static).test_client().get("/problems/add-pair").text
    named = re.findall(r'rel="(?:modulepreload|preload)"[^>]* href="/static/\w+/([^"]+)"', page)
    modules = ["js/a.js", "js/b.js", "vendor/monaco.js", "vendor/chunk-A1.js", "vendor/chunk-B2.js"]
    assert named == [*modules, "vendor/monaco.css", "vendor/monaco.zh-cn.js"]
