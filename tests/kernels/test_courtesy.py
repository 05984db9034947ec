"""Loops over very many things give way to the thread that is to answer at once."""

from __future__ import annotations

import os
import sys
import threading
from types import SimpleNamespace

import pytest

from antidiag.kernels import courtesy
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
    monkeypatch.setattr(courtesy, "time", SimpleNamespace(perf_counter=made.perf_counter, sleep=made.sleep))
    monkeypatch.setattr(courtesy, "_worked", lambda: made.worked)
    monkeypatch.setattr(courtesy, "_favoured", 0)
    monkeypatch.setattr(courtesy, "_seen", courtesy._Seen())
    courtesy.give_way()  # the first look
    return made


def test_a_loop_waits_until_the_favoured_thread_has_done(machine) -> None:
    machine.until = 0.012
    machine.pass_time(courtesy.LOOK_S)
    courtesy.give_way()
    assert machine.worked == pytest.approx(0.012)
    assert machine.naps in (10, 11, 12)


def test_nobody_waits_beside_a_thread_that_is_idle(machine) -> None:
    for _ in range(100):
        machine.pass_time(courtesy.LOOK_S)
        courtesy.give_way()
    assert machine.naps == 0


def test_nobody_waits_for_ever(machine) -> None:
    machine.until = 1000.0
    machine.pass_time(courtesy.LOOK_S)
    before = machine.now
    courtesy.give_way()
    assert courtesy.MOST_S <= machine.now - before <= courtesy.MOST_S + 2 * courtesy.NAP_S


def test_the_favoured_thread_itself_goes_on(machine, monkeypatch) -> None:
    monkeypatch.setattr(courtesy, "_favoured", threading.get_ident())
    machine.until = 1000.0
    machine.pass_time(courtesy.LOOK_S)
    courtesy.give_way()
    assert machine.naps == 0


def test_all_things_come_in_order_and_a_look_is_taken_between(monkeypatch) -> None:
    looks: list[int] = []
    come: list[int] = []
    monkeypatch.setattr(courtesy, "give_way", lambda: looks.append(len(come)))
    count = 3 * courtesy.TURN + 7
    for number in courtesy.in_turns(iter(range(count))):
        come.append(number)
    assert come == list(range(count))
    assert looks == [courtesy.TURN, 2 * courtesy.TURN, 3 * courtesy.TURN, count]


def test_a_thread_is_favoured_and_no_longer() -> None:
    courtesy.favour(threading.get_ident())
    try:
        assert courtesy._worked is None or courtesy._worked() > 0
    finally:
        courtesy.favour(None)
    assert courtesy._worked is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this for a thread")
@pytest.mark.parametrize("favoured", [False, True])
def test_threads_that_compute_stand_back_where_one_is_favoured(monkeypatch, favoured) -> None:
    monkeypatch.setattr(courtesy, "_favoured", threading.get_ident() if favoured else 0)
    monkeypatch.setattr(workers, "_idle", [])
    own, found = os.getpriority(os.PRIO_PROCESS, 0), []
    workers.share(lambda _: found.append(os.getpriority(os.PRIO_PROCESS, 0)), 2, workers.stop_word(), lambda: None)
    workers.end_idle()
    assert found == 2 * [own + courtesy.NICENESS if favoured else own]
    assert os.getpriority(os.PRIO_PROCESS, 0) == own
