from judge.grading.author import case, check


@case(part="scale", points=3)
def test_scale_random(submission, rng):
    x, factor = rng.tensor(3, 5), float(rng.uniform(2, 5))
    check.tensor(submission.scale(x, factor), like=x * factor + 1, field="out", mistake="values")


@case(part="scale", points=2, means={"TLE": "loops"})
def test_scale_long(submission, rng):
    x = rng.tensor(50)
    check.tensor(submission.scale(x, 2.0), like=x * 2 + 1, field="out", mistake="values")
