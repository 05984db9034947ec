import numpy as np

from antidiag.kernels.steps import BLOCK, STEP, StepLog


def test_events_are_given_in_order_of_their_start_however_they_came():
    steps = StepLog()
    assert steps.ordered_events().size == 0
    for start in (30, 10):
        steps.add(1, start, (0, 5), (0, 5), 0, start, start + 5)
    assert steps.ordered_events()["start_ns"].tolist() == [10, 30]
    more = np.zeros(2, STEP)
    more["start_ns"] = 20, 0
    steps.add_array(more)
    assert steps.ordered_events()["start_ns"].tolist() == [0, 10, 20, 30]
    assert steps.ordered_events() is steps.ordered_events() and not steps.ordered_events().flags.writeable


def test_many_events_of_one_call_each_are_all_there_and_wait_in_no_long_list():
    steps, count = StepLog(), 2 * BLOCK + 3
    for start in reversed(range(count)):
        steps.add(1, start, (0, 5), (0, 5), 0, start, start + 5)
        assert len(steps._events) < BLOCK
    assert steps.count == count
    assert steps.ordered_events()["strip"].tolist() == list(range(count))
