from judge.grading.author import case, check


@case(part="add", points=1)
def test_add_random(submission, rng):
    a, b = rng.tensor(8, 8), rng.tensor(8, 8)
    check.tensor(submission.add(a, b), like=a + b, field="out", mistake="add-values")
