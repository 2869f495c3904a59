from judge.grading.author import case, check


@case(part="total", points=1)
def test_total_book(submission):
    got = submission.harness.total_of([3, 1, 2])
    check.keys(got, {"sum", "after"}, mistake="total-value")
    check.equal(got["sum"], 6, field="sum", mistake="total-value")
