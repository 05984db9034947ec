"""Loops over very many things give way to the thread that is to answer at once."""

from __future__ import annotations

import os
import sys
import threading
from types import SimpleNamespace

import pytest

from antidiag.kernels import gui_priority
from antidiag.kernels.cpu import workers


class Machine:
    """A clock that sleeping moves, and how long the favoured thread has worked: until it has
    worked ``until``."""

    def __init__(self) -> None:
        self.now, self.worked, self.until = 1.0, 0.0, 0.0
        self.naps = 0

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.worked = min(self.worked + seconds, max(self.until, self.worked))

    def sleep(self, seconds: float) -> None:
        self.naps += 1
        self.pass_time(seconds)

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def machine(monkeypatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(gui_priority, "time", SimpleNamespace(perf_counter=made.perf_counter, sleep=made.sleep))
    monkeypatch.setattr(gui_priority, "_worked", lambda: made.worked)
    monkeypatch.setattr(gui_priority, "_favoured", 0)
    monkeypatch.setattr(gui_priority, "_seen", gui_priority._LastLook())
    gui_priority.yield_gil()  # the first look
    return made


def test_a_loop_waits_until_the_favoured_thread_has_done(machine) -> None:
    machine.until = 0.012
    machine.pass_time(gui_priority.LOOK_S)
    gui_priority.yield_gil()
    assert machine.worked == pytest.approx(0.012)
    assert machine.naps in (10, 11, 12)


def test_nobody_waits_beside_a_thread_that_is_idle(machine) -> None:
    for _ in range(100):
        machine.pass_time(gui_priority.LOOK_S)
        gui_priority.yield_gil()
    assert machine.naps == 0


def test_nobody_waits_for_ever(machine) -> None:
    machine.until = 1000.0
    machine.pass_time(gui_priority.LOOK_S)
    before = machine.now
    gui_priority.yield_gil()
    assert gui_priority.LONGEST_WAIT_S <= machine.now - before <= gui_priority.LONGEST_WAIT_S + 2 * gui_priority.NAP_S


def test_the_favoured_thread_itself_goes_on(machine, monkeypatch) -> None:
    monkeypatch.setattr(gui_priority, "_favoured", threading.get_ident())
    machine.until = 1000.0
    machine.pass_time(gui_priority.LOOK_S)
    gui_priority.yield_gil()
    assert machine.naps == 0


def test_all_things_come_in_order_and_a_look_is_taken_between(monkeypatch) -> None:
    looks: list[int] = []
    come: list[int] = []
    monkeypatch.setattr(gui_priority, "yield_gil", lambda: looks.append(len(come)))
    count = 3 * gui_priority.TURN_SIZE + 7
    for number in gui_priority.iterate_yielding(iter(range(count))):
        come.append(number)
    assert come == list(range(count))
    assert looks == [gui_priority.TURN_SIZE, 2 * gui_priority.TURN_SIZE, 3 * gui_priority.TURN_SIZE, count]


def test_a_thread_is_favoured_and_no_longer() -> None:
    gui_priority.set_gui_thread(threading.get_ident())
    try:
        assert gui_priority._worked is None or gui_priority._worked() > 0
    finally:
        gui_priority.set_gui_thread(None)
    assert gui_priority._worked is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this for a thread")
@pytest.mark.parametrize("favoured", [False, True])
def test_threads_that_compute_stand_back_where_one_is_favoured(monkeypatch, favoured) -> None:
    monkeypatch.setattr(gui_priority, "_favoured", threading.get_ident() if favoured else 0)
    monkeypatch.setattr(workers, "_idle_pools", [])
    own, found = os.getpriority(os.PRIO_PROCESS, 0), []
    workers.share_work(
        lambda _: found.append(os.getpriority(os.PRIO_PROCESS, 0)), 2, workers.make_stop_word(), lambda: None
    )
    workers.end_idle_threads()
    assert found == 2 * [own + gui_priority.NICENESS if favoured else own]
    assert os.getpriority(os.PRIO_PROCESS, 0) == own
