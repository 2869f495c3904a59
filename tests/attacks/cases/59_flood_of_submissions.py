# 59: sends hundreds of submissions at once, from several threads
# site
# shows: taken of 200: 20
# shows: judged twice: 0
# shows: another learner meanwhile: AC
from concurrent.futures import ThreadPoolExecutor


def attack(site):
    """A few wait, the rest is turned away, and nobody else notices."""
    dora, ben = site.enter("dora"), site.enter("ben")
    body = {"problem": 990, "source": "def weighted(rows, weigh):\n    return rows\n", "mode": "submit"}
    with site.held(), ThreadPoolExecutor(4) as pool:
        sent = list(pool.map(lambda _: dora.post("/api/submissions", json=body), range(200)))
    taken = [answer.get_json()["id"] for answer in sent if answer.status_code in (201, 202)]
    site.tell("taken of 200", len(taken), (20,))
    site.tell("turned away", sorted({answer.status_code for answer in sent}), ([202, 429, 503],))
    view = site.judged(ben, site.solution)
    site.tell("another learner meanwhile", view["verdict"], ("AC",))
    views = [site.wait(dora, number) for number in taken]
    site.tell("ended as", {view["verdict"] for view in views}, ({"WA"},))
    site.tell("judged twice", site.judged_more_than_once(), (0,))
