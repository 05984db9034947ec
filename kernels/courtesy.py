"""Loops of Python's own over very many things, beside a thread that is to answer at once, such as that of a window.

Who runs Python keeps the interpreter from all others until it is asked for it, and then for `sys.getswitchinterval`.
A window gives it away at every call of its toolkit, hundreds of times in a picture, and waits as often. So loops go
`in_turns`: where the thread that was `favour`ed is at work, they wait until it has done. Threads that compute
`stand_back`: they need no interpreter, but on few processors a window that wakes up would wait for one of theirs.
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

TURN = 500
"""Things that a loop goes over before it looks again."""
LOOK_S, NAP_S = 0.002, 0.001
"""How often a thread looks, and how long it waits before it looks again at one that is at work."""
SOME, MUCH = 0.1, 0.25
"""Of the time between two looks, what the favoured thread has worked when it seems to be at work, and of a wait, in
which it has the interpreter, when it still is."""
MOST_S = 0.03
"""How long a thread waits before it goes on in any case: nobody is to wait for ever for one that always works."""

NICENESS = 5
"""Of threads that compute: beside another a thread has a third of a processor, alone all of it."""

Thing = TypeVar("Thing")
Clock = Callable[[], float]


class _Seen(threading.local):
    """What a thread saw when it last looked: the time, and how long the favoured thread had worked."""

    at, worked = 0.0, 0.0


_seen = _Seen()
_worked: Clock | None = None
_favoured = 0


def favour(thread: int | None) -> None:
    """Have loops wait for this thread, by its `threading.get_ident`, while it is at work; None for none.

    Where the system does not tell how long a thread has worked, nobody waits.
    """
    global _worked, _favoured
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    if thread is None or clock_of is None:
        _worked, _favoured = None, 0
        return
    clock = clock_of(thread)
    _worked, _favoured = (lambda: time.clock_gettime(clock)), thread


def stand_back() -> None:
    """Leave processors to the favoured thread, and to all others; from now on, where there is one, and where the system
    (Linux) has this for a thread."""
    if _favoured and sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)


def in_turns(things: Iterable[Thing]) -> Iterator[Thing]:
    """The things, as they are; now and then the thread gives way."""
    rest = iter(things)
    while part := list(islice(rest, TURN)):
        yield from part
        give_way()


def give_way() -> None:
    """Wait until the favoured thread has done what it is at, for `MOST_S` at most."""
    if _worked is None or threading.get_ident() == _favoured:
        return
    now = time.perf_counter()
    if now - _seen.at < LOOK_S:
        return
    end, share = now + MOST_S, SOME
    while _share_worked(_worked) > share and time.perf_counter() < end:
        time.sleep(NAP_S)
        share = MUCH


def _share_worked(clock: Clock) -> float:
    """Which part of the time since this thread looked last the favoured thread has worked."""
    now, worked = time.perf_counter(), clock()
    share = (worked - _seen.worked) / (now - _seen.at) if _seen.at else 0.0
    _seen.at, _seen.worked = now, worked
    return share
