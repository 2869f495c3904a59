# 25: stops every clock that Python has, then burns time
# ends as: TLE
# shows: clocks stand still
import resource
import time

real = time.perf_counter
for name in (
    "time",
    "perf_counter",
    "monotonic",
    "process_time",
    "thread_time",
    "time_ns",
    "monotonic_ns",
    "perf_counter_ns",
):
    setattr(time, name, lambda: 0)
resource.getrusage = lambda who: None


def weighted(rows, weigh):
    print("clocks stand still", time.time(), flush=True)
    while len(rows) == 3:
        real()
    return rows
