# 62: a page of another origin, or one behind a rebound name, posts code to a judge without login
# site
# shows: foreign host: 421
# shows: foreign origin: 403
# shows: form of another page: 415
# shows: without a login: 401
def attack(site):
    """Whatever a browser can be made to send from elsewhere is refused before it is read."""
    body = {"problem": 990, "source": "x = 1", "mode": "submit"}
    url, here = "/api/submissions", {"Host": "localhost"}
    for client in (site.enter("anna"), site.app.test_client()):
        for host in ("evil.example", "127.0.0.1.evil.example", "judge.evil.example:8000"):
            site.tell("foreign host", client.post(url, json=body, headers={"Host": host}).status_code, (421,))
            site.tell("foreign host", client.get("/", headers={"Host": host}).status_code, (421,))
        for origin in (
            "http://evil.example",
            "null",
            "http://localhost:9999",
            "https://localhost.evil.example",
        ):
            headers = {**here, "Origin": origin}
            site.tell("foreign origin", client.post(url, json=body, headers=headers).status_code, (403,))
        headers = {**here, "Sec-Fetch-Site": "cross-site"}
        site.tell("foreign site", client.post(url, json=body, headers=headers).status_code, (403,))
        for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"):
            told = client.post(url, data='{"problem": 990}', content_type=kind).status_code
            site.tell("form of another page", told, (415,))
    site.tell("without a login", site.app.test_client().post(url, json=body).status_code, (401,))
