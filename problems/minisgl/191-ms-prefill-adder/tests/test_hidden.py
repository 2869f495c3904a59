"""Hidden cases: limits that are just met or just missed, requests in the middle of their prompt, random rounds."""

from __future__ import annotations

from typing import Any

from judge.grading.author import case
from judge.grading.seeds import Rng

from .queue_model import arrive, plan, play, random_runs


def sizes(rng: Rng) -> tuple[int, int, int]:
    """input_len, output_len and cached_len of a request."""
    size = int(rng.integers(10, 30))
    return size, int(rng.integers(2, 10)), int(rng.integers(1, size - 5))


@case(part="admission", points=10)
def test_admission_room_just_enough(submission: Any, rng: Rng) -> None:
    """What is left of the pool is just what is needed, one more, and one less."""
    runs = []
    for spare in (0, 1, -1):
        (a, b, c), (d, e, f) = sizes(rng), sizes(rng)
        reserved = int(rng.integers(0, 20))
        first, both = a - c + b, a - c + b + d - f + e
        runs.append([arrive(1, a, b, c), plan(500, reserved, reserved + first + spare, 9)])
        runs.append([arrive(1, a, b, c), arrive(2, d, e, f), plan(500, reserved, reserved + both + spare, 9)])
    play(submission, runs)


@case(part="admission", points=8)
def test_admission_nobody_overtakes(submission: Any, rng: Rng) -> None:
    """A large request waits in front, and small ones that would fit behind it."""
    small, large = int(rng.integers(3, 9)), int(rng.integers(60, 90))
    requests = [arrive(1, small, 2), arrive(2, large, 5), arrive(3, small, 2), arrive(4, 2, 1)]
    play(
        submission,
        [[*requests, plan(500, 4, 50, 9), plan(500, 4, 100, 9)], [*requests[1:], plan(500, 0, 40, 9)]],
    )


@case(part="admission", points=8)
def test_admission_rows(submission: Any, rng: Rng) -> None:
    """Fewer rows than requests, one, and none."""
    requests = [arrive(uid, int(rng.integers(3, 9)), 2) for uid in range(1, 6)]
    play(submission, [[*requests, plan(500, 0, 900, rows), plan(500, 0, 900, 1)] for rows in (0, 1, 3, 5, 7)])


@case(part="admission", points=8)
def test_admission_cached_prompts(submission: Any, rng: Rng) -> None:
    """What the prefix cache has is not computed, not reserved, and not part of the budget."""
    runs = []
    for _ in range(3):
        (a, b, c), (d, e, f) = sizes(rng), sizes(rng)
        room = a - c + b + d - f + e
        requests = [arrive(1, a, b, c), arrive(2, d, e, f), arrive(3, 5, 5)]
        runs.append([*requests, plan(a - c + d - f, 0, room, 9)])
        runs.append([*requests, plan(a - c + 1, 3, room + 3, 9)])
    play(submission, runs)


@case(part="admission", points=6)
def test_admission_budget_just_used_up(submission: Any, rng: Rng) -> None:
    """After the first prompt no token is left, or there was none to begin with."""
    a, b, _ = sizes(rng)
    a += 300
    requests = [arrive(1, a, b), arrive(2, 5, 1), arrive(3, 4, 0)]
    play(submission, [[*requests, plan(budget, 0, 900, 9)] for budget in (a, a + 5, a + 6, 0, -3)])


@case(part="chunking", points=7)
def test_chunking_many_rounds(submission: Any, rng: Rng) -> None:
    """A prompt of five chunks, then one that needs the budget's last token."""
    size = int(rng.integers(41, 50))
    rounds = [plan(10, 0, 900, 9)] * 6
    play(submission, [[arrive(1, size, 3, 2), arrive(2, 12, 3), *rounds], [arrive(1, 40, 3), *rounds]])


@case(part="chunking", points=7)
def test_chunking_needs_no_admission(submission: Any, rng: Rng) -> None:
    """A request in the middle of its prompt has its row and its room: it goes on when there is neither."""
    size = int(rng.integers(30, 40))
    head = [arrive(1, size, 6), plan(8, 0, 900, 1)]
    late = [arrive(2, 4, 1), arrive(3, 4, 1)]
    runs = [[*head, *late, plan(budget, 5, 5, 0)] for budget in (6, 200)]
    play(submission, [*runs, [*head, *late, plan(size, 0, 900, 1)], [*head, *late, plan(5, 0, 900, 1)]])


@case(part="chunking", points=8)
def test_chunking_reserves_each_round(submission: Any, rng: Rng) -> None:
    """What it still needs is reserved again: a newcomer must fit beside it, just or not."""
    size, output = int(rng.integers(30, 40)), int(rng.integers(3, 9))
    done, reserved = 9, int(rng.integers(0, 10))
    room = reserved + size - done + output + 5 + 2
    head = [arrive(1, size, output), plan(done, 0, 900, 4), arrive(2, 5, 2)]
    play(submission, [[*head, plan(size, reserved, room + spare, 4)] for spare in (0, -1, -2, 1)])


@case(part="chunking", points=8)
def test_chunking_in_front(submission: Any, rng: Rng) -> None:
    """Prompts are cut behind others, some of which are done and some of which were not looked at."""
    requests = [arrive(uid, int(rng.integers(5, 12)), 1, int(rng.integers(0, 4))) for uid in range(1, 7)]
    play(
        submission,
        [[*requests, plan(budget, 0, 900, 9), plan(budget, 0, 900, 9)] for budget in (14, 19, 23, 28)],
    )


@case(part="rounds", points=10)
def test_rounds_random(submission: Any, rng: Rng) -> None:
    play(submission, random_runs(rng, 10, 14))


@case(part="rounds", points=10)
def test_rounds_one_long_run(submission: Any, rng: Rng) -> None:
    play(submission, random_runs(rng, 2, 60))
