import numpy as np

from kernels.steps import STEP, Steps


def test_events_are_given_in_order_of_their_start_however_they_came():
    steps = Steps()
    assert steps.array().size == 0
    for start in (30, 10):
        steps.add(1, start, (0, 5), (0, 5), 0, start, start + 5)
    assert steps.array()["start_ns"].tolist() == [10, 30]
    more = np.zeros(2, STEP)
    more["start_ns"] = 20, 0
    steps.extend(more)
    assert steps.array()["start_ns"].tolist() == [0, 10, 20, 30]
    assert steps.array() is steps.array() and not steps.array().flags.writeable
