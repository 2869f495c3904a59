"""Drafts over the API, and what the page shows of them."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

import pytest
from flask.testing import FlaskClient

URL = "/api/problems/add-pair/draft"
PAGE = "/problems/add-pair"


def read(answer: Any) -> Any:
    return json.loads(answer.data)


def boot(client: FlaskClient) -> dict[str, Any]:
    page = client.get(PAGE).text
    found: dict[str, Any] = json.loads(page.split('id="boot">')[1].split("</script>")[0])
    return found


def code(page: str) -> str:
    found = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
    assert found
    return found[1]


def test_a_draft_is_stored_and_comes_back_on_any_page(client: FlaskClient) -> None:
    assert read(client.get(URL)) == {"draft": None}
    assert boot(client)["draft"] is None
    answer = client.put(URL, json={"source": "mine = 1", "based_on": 0})
    assert (answer.status_code, read(answer)["version"]) == (200, 1)
    assert read(client.get(URL))["draft"]["source"] == "mine = 1"
    assert boot(client)["draft"]["version"] == 1
    assert code(client.get(PAGE).text) == "mine = 1"


def test_an_older_base_is_told_what_is_stored(client: FlaskClient) -> None:
    client.put(URL, json={"source": "a", "based_on": 0})
    answer = client.put(URL, json={"source": "b", "based_on": 0})
    assert answer.status_code == 409
    assert read(answer)["error"]["code"] == "draft-changed"
    assert (read(answer)["draft"]["source"], read(answer)["draft"]["version"]) == ("a", 1)
    assert client.put(URL, json={"source": "b", "based_on": 1}).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"source": "x" * (129 << 10), "based_on": 0}, 413),
        ({"source": 1, "based_on": 0}, 400),
        ({"source": "x"}, 400),
        ({"source": "x", "based_on": True}, 400),
    ],
)
def test_what_cannot_be_a_draft_is_refused(client: FlaskClient, body: dict[str, Any], status: int) -> None:
    assert client.put(URL, json=body).status_code == status
    assert read(client.get(URL)) == {"draft": None}


def test_a_form_or_another_site_cannot_store_one(client: FlaskClient) -> None:
    assert client.put(URL, data={"source": "x", "based_on": "0"}).status_code == 415
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert client.put(URL, json={"source": "x", "based_on": 0}, headers=foreign).status_code == 403


def test_a_plain_form_makes_its_code_the_draft(client: FlaskClient, token: str) -> None:
    client.put(URL, json={"source": "older", "based_on": 0})
    client.post(PAGE, data={"csrf": token, "source": "right = 1", "mode": "submit"})
    assert read(client.get(URL))["draft"]["source"] == "right = 1"


def test_a_submission_in_the_address_goes_before_the_draft(client: FlaskClient, submit: Any) -> None:
    first = submit("wrong")
    client.put(URL, json={"source": "later", "based_on": 0})
    assert code(client.get(f"{PAGE}?submission={first['id']}").text) == "wrong = 1"
    assert code(client.get(PAGE).text) == "later"


def test_an_attempt_can_be_kept_as_a_file(client: FlaskClient, submit: Any) -> None:
    answer = client.get(f"/submissions/{submit('wrong')['id']}/code.py")
    assert answer.text == "wrong = 1"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="7-add-pair-1.py"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert client.get("/submissions/99/code.py").status_code == 404


def test_all_own_code_is_one_archive(client: FlaskClient, submit: Any) -> None:
    assert "code.zip" not in client.get("/").text
    submit("wrong")
    for source in ("wrong = 1", "drafted = '注意'"):
        assert 'href="/code.zip"' in client.get("/").text
        with zipfile.ZipFile(io.BytesIO(client.get("/code.zip").data)) as archive:
            assert archive.namelist() == ["code/7-add-pair.py"]
            assert archive.read("code/7-add-pair.py").decode() == source
        client.put(URL, json={"source": "drafted = '注意'", "based_on": 0})
