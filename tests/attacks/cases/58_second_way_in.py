# 58: gets round the limit on waiting submissions by the other way in (run and submit), and by making accounts
# site
# shows: run when the limit is reached: 503
# shows: make an account: 40[0-9]
def attack(site):
    """One limit counts everything that a person sends."""
    carl = site.enter("carl")
    with site.held():
        for mode in ("submit", "run") * 15:
            answer = carl.post("/api/submissions", json={"problem": 990, "source": "x = 1", "mode": mode})
        site.tell("run when the limit is reached", answer.status_code, (503,))
        body = {"problem": "990", "source": "x = 1", "mode": "run"}
        site.tell(
            "by a form", carl.post("/problems/weighted-sums/submit", data=body).status_code, (403, 404, 405)
        )
    stranger = site.app.test_client()
    for path in ("/register", "/api/users", "/signup"):
        site.tell(
            "make an account", stranger.post(path, json={"name": "eve"}).status_code, (401, 403, 404, 405)
        )
