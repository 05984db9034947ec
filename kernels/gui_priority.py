"""Priority of the GUI thread over Python loops and computing threads of the same process.

A thread that runs Python holds the GIL for `sys.getswitchinterval` after another thread requests it. The GUI thread
releases the GIL at every call of Qt, hundreds of times per repaint, and waits as often. Long loops therefore use
`iterate_yielding` and wait while the GUI thread (`set_gui_thread`) is busy. Computing threads release the GIL; they
call `lower_thread_priority` so that the GUI thread gets a processor at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

TURN_SIZE = 500
"""Number of loop items between two checks."""
LOOK_S, NAP_S = 0.002, 0.001
"""Shortest time between two checks, and the time of a sleep while the GUI thread is busy."""
SOME, MUCH = 0.1, 0.25
"""Share of the time between two checks from which the GUI thread counts as busy: first, and while sleeping."""
LONGEST_WAIT_S = 0.03
"""Longest wait for the GUI thread."""

NICENESS = 5
"""Niceness added to computing threads; beside a GUI thread they get a third of a processor."""

Thing = TypeVar("Thing")
Clock = Callable[[], float]


class _LastLook(threading.local):
    """Time of a thread's last check, and the CPU time of the GUI thread then."""

    at, worked = 0.0, 0.0


_seen = _LastLook()
_worked: Clock | None = None
_favoured = 0


def set_gui_thread(thread: int | None) -> None:
    """Set the GUI thread by its `threading.get_ident`; None for none.

    Loops do not wait on systems that do not report the CPU time of a thread.
    """
    global _worked, _favoured
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    if thread is None or clock_of is None:
        _worked, _favoured = None, 0
        return
    clock = clock_of(thread)
    _worked, _favoured = (lambda: time.clock_gettime(clock)), thread


def lower_thread_priority() -> None:
    """Lower the priority of the calling thread, on Linux and if a GUI thread is set."""
    if _favoured and sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)


def iterate_yielding(things: Iterable[Thing]) -> Iterator[Thing]:
    """Yield the items unchanged; from time to time wait for the GUI thread."""
    rest = iter(things)
    while part := list(islice(rest, TURN_SIZE)):
        yield from part
        yield_gil()


def yield_gil() -> None:
    """Wait until the GUI thread is idle, at most `LONGEST_WAIT_S`."""
    if _worked is None or threading.get_ident() == _favoured:
        return
    now = time.perf_counter()
    if now - _seen.at < LOOK_S:
        return
    end, share = now + LONGEST_WAIT_S, SOME
    while _share_worked(_worked) > share and time.perf_counter() < end:
        time.sleep(NAP_S)
        share = MUCH


def _share_worked(clock: Clock) -> float:
    """Return the share of the time since the last check in which the GUI thread was busy."""
    now, worked = time.perf_counter(), clock()
    share = (worked - _seen.worked) / (now - _seen.at) if _seen.at else 0.0
    _seen.at, _seen.worked = now, worked
    return share
