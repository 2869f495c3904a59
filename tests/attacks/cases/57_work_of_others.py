# 57: reads another's submission by its number, sends a recorded request again, and posts from another page
# site
# shows: read by number: 404
# shows: sent again without a login: 401
# shows: posted from another page: 403
def attack(site):
    """Numbers are guessable; what is behind them is not there for anybody else."""
    anna, ben = site.enter("anna"), site.enter("ben")
    number = site.judged(anna, "secret_of_anna = 1")["id"]
    for path in (
        f"/api/submissions/{number}",
        f"/submissions/{number}/panel",
        f"/problems/weighted-sums?submission={number}",
    ):
        site.tell("read by number", ben.get(path).status_code, (404,))
    site.tell("listed", "secret_of_anna" in ben.get("/problems/weighted-sums/history").text, (False,))
    site.tell("retried", ben.post(f"/api/submissions/{number}/retry", json={}).status_code, (404,))
    body = {"problem": 990, "source": "x = 1", "mode": "submit"}
    stranger = site.app.test_client()
    site.tell("sent again without a login", stranger.post("/api/submissions", json=body).status_code, (401,))
    stale = site.app.test_client()
    stale.set_cookie("judge_session", "eyJ1IjoxfQ.aaaa.bbbb")
    site.tell("forged cookie", stale.get(f"/api/submissions/{number}").status_code, (401,))
    origin = {"Origin": "http://evil.example"}
    site.tell(
        "posted from another page",
        anna.post("/api/submissions", json=body, headers=origin).status_code,
        (403,),
    )
    form = {"problem": "990", "source": "x = 1", "mode": "submit"}
    site.tell(
        "form without a token",
        anna.post("/problems/weighted-sums/submit", data=form).status_code,
        (403, 404, 405),
    )
    site.tell("class page", ben.get("/class").status_code, (403,))
    site.tell("rejudged", ben.post(f"/class/submissions/{number}/rejudge", data={}).status_code, (403,))
