import solution


def twice(rows, others, weigh):
    """Calls weighted, writes other rows into the same tensor and calls again; both answers, and the rows after each."""
    first = solution.weighted(rows, weigh)
    kept = rows.clone()
    rows.copy_(others)
    second = solution.weighted(rows, weigh)
    return {"first": first, "kept": kept, "second": second, "after": rows}
