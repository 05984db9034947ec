"""Regular expressions over the letters of an alignment as finite automata, which read each letter once.

What a match is goes by Python's `re`: the leftmost, and of those that begin there the one that the expression tries
first. The automaton that looks ahead keeps the threads of a search in the order in which they are tried (Thompson 1968,
with the order of Pike's editor sam); the one that looks back says where any match begins. Letters, classes, groups,
alternatives and repeats are taken; anchors, looking around, references and the like are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np

from antidiag.kernels.io.aligned import GAP

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*"
BYTES = 128
"""Width of a table: letters are less."""
MOST_STATES, MOST_PARTS, MOST_TIMES = 1500, 3000, 1000
"""Beyond these an expression is left to `re`: states of an automaton, letters of an expression written out, repeats."""
LETTER = re.compile(r"\[\^?(?:[A-Za-z]-[A-Za-z]|[A-Za-z*])+\]|[A-Za-z.]|\\\*")
GROUP = re.compile(r"\((?:\?:)?(?!\?)")
TIMES = re.compile(r"(?:([*+?])|\{(\d*)(?:(,)(\d*))?\})(\??)(?![*+?{])")
DEAD, START = 0, 1
"""States of the automaton that looks ahead: no match is possible any more; nothing was read yet."""

_Key = TypeVar("_Key", bound=Hashable)


class TooMuch(Exception):
    """An expression that is left to `re`."""


class Automaton(NamedTuple):
    """``ahead`` uint16 (states, BYTES) is the state after a letter, ``accepts`` bool (states,) whether what was read is
    a match; ``back`` is the state before a letter, from the last letter on, ``begins`` whether a match begins with it.

    Without ``back``, of no states, matches are tried everywhere, for they are short.
    """

    ahead: np.ndarray
    accepts: np.ndarray
    back: np.ndarray
    begins: np.ndarray


@dataclass(frozen=True)
class Part:
    """A part of an expression: a set of ``letters``, or ``parts`` one after another, or one of them where ``either``,
    ``least`` to ``most`` times, None for any number, as few as possible where ``lazy``."""

    letters: frozenset[str] = frozenset()
    parts: tuple[Part, ...] = ()
    either: bool = False
    least: int = 1
    most: int | None = 1
    lazy: bool = False

    @property
    def lengths(self) -> tuple[int, int | None]:
        """Letters of the shortest match, and of the longest; None where there is none."""
        lengths: list[tuple[int, int | None]] = [(1, 1)] if self.letters else [part.lengths for part in self.parts]
        shortest = (min if self.either else sum)([low for low, _ in lengths]) * self.least
        known = [high for _, high in lengths if high is not None]
        if self.most == 0 or not any(high != 0 for _, high in lengths):
            return shortest, 0
        if self.most is None or len(known) < len(lengths):
            return shortest, None
        return shortest, (max if self.either else sum)(known) * self.most


def automaton(pattern: str) -> Automaton | None:
    """The automaton of an expression that `re` compiles; None where it is not one of those that are taken."""
    try:
        whole, end = _either(pattern, 0)
        if end < len(pattern) or not whole.lengths[0]:
            return None
        threads = Threads()
        first = threads.add(whole, threads.end)
        ahead, accepts = _ahead(threads, first)
        try:
            back, begins = _back(threads, first)
        except TooMuch:
            if whole.lengths[1] is None:
                return None
            back, begins = np.empty((0, BYTES), np.uint16), np.empty(0, np.bool_)
    except (TooMuch, RecursionError):
        return None
    return Automaton(ahead, accepts, back, begins)


def _either(pattern: str, at: int) -> tuple[Part, int]:
    """Alternatives from a place on, and the place after them."""
    found = []
    while True:
        part, at = _sequence(pattern, at)
        found.append(part)
        if at >= len(pattern) or pattern[at] != "|":
            return (found[0] if len(found) == 1 else Part(parts=tuple(found), either=True)), at
        at += 1


def _sequence(pattern: str, at: int) -> tuple[Part, int]:
    found: list[Part] = []
    while at < len(pattern) and pattern[at] not in "|)":
        part, at = _one(pattern, at)
        if times := TIMES.match(pattern, at):
            part, at = _repeated(part, times), times.end()
        found.append(part)
    return Part(parts=tuple(found)), at


def _one(pattern: str, at: int) -> tuple[Part, int]:
    """A letter, a class or a group."""
    if group := GROUP.match(pattern, at):
        part, at = _either(pattern, group.end())
        if at >= len(pattern):
            raise TooMuch
        return part, at + 1
    letter = LETTER.match(pattern, at)
    if letter is None:
        raise TooMuch
    # What a class holds is told by `re` itself.
    taken = frozenset(re.findall(letter[0], LETTERS, re.IGNORECASE))
    if not taken:
        raise TooMuch
    return Part(taken), letter.end()


def _repeated(part: Part, times: re.Match[str]) -> Part:
    sign, low, several, high, lazy = times.groups()
    if sign is None and not low and not several:
        raise TooMuch  # braces that are letters
    least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(sign or "", (0, None))
    if sign is None:
        least = int(low or 0)
        most = (int(high) if high else None) if several else least
    # A part that may be empty is repeated in a way of its own by `re`.
    if max(least, most or 0) > MOST_TIMES or not part.lengths[0]:
        raise TooMuch
    return Part(parts=(part,), least=least, most=most, lazy=bool(lazy))


@dataclass
class Threads:
    """What a search may be at: numbers of places. A place takes one of its ``letters`` and goes on at the ``after``; or
    it has ``ways``, which are tried in this order; ``end`` is that of the expression."""

    letters: list[frozenset[str]] = field(default_factory=lambda: [frozenset()])
    after: list[int] = field(default_factory=lambda: [0])
    ways: list[tuple[int, ...] | None] = field(default_factory=lambda: [None])
    end: int = 0

    def add(self, part: Part, after: int) -> int:
        """Places of a part, after which others come; the first of them."""
        if part.letters:
            return self._new(part.letters, after, None)
        at = after
        if part.most is None:
            loop = self._new(frozenset(), 0, ())
            body = self._once(part, loop)
            self.ways[loop] = (after, body) if part.lazy else (body, after)
            at = loop
        else:
            for _ in range(part.most - part.least):
                body = self._once(part, at)
                at = self._new(frozenset(), 0, (after, body) if part.lazy else (body, after))
        for _ in range(part.least):
            at = self._once(part, at)
        return at

    def _once(self, part: Part, after: int) -> int:
        if part.either:
            return self._new(frozenset(), 0, tuple(self.add(one, after) for one in part.parts))
        for one in reversed(part.parts):
            after = self.add(one, after)
        return after

    def _new(self, letters: frozenset[str], after: int, ways: tuple[int, ...] | None) -> int:
        if len(self.letters) > MOST_PARTS:
            raise TooMuch
        self.letters.append(letters)
        self.after.append(after)
        self.ways.append(ways)
        return len(self.letters) - 1

    def reached(self, place: int) -> list[int]:
        """The places that take a letter, or the end, to which a place leads without one, in the order of trying."""
        found: dict[int, None] = {}
        seen, waiting = set(), [place]
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            ways = self.ways[at]
            if ways is None:
                found[at] = None
            else:
                waiting += reversed(ways)
        return list(found)


def _ahead(threads: Threads, first: int) -> tuple[np.ndarray, np.ndarray]:
    reached = [threads.reached(after) for after in threads.after]

    def step(state: tuple[tuple[int, ...], bool], letter: str) -> tuple[tuple[int, ...], bool]:
        found: dict[int, None] = {}
        for place in state[0]:
            if letter in threads.letters[place]:
                for other in reached[place]:
                    if other == threads.end:  # what would be tried later is not
                        return tuple(found), True
                    found[other] = None
        return tuple(found), False

    table, states = _table([((), False), (tuple(threads.reached(first)), False)], step, lambda state: not state[0])
    return table, np.array([accepted for _, accepted in states])


def _back(threads: Threads, first: int) -> tuple[np.ndarray, np.ndarray]:
    """The states are sets of places, as bits, from each of which what was read from the end leads to a match."""
    reached = [threads.reached(after) for after in threads.after]
    masks = [sum(1 << place for place in found) for found in reached]
    taking = {letter: [place for place, taken in enumerate(threads.letters) if letter in taken] for letter in LETTERS}
    end = 1 << threads.end

    def step(state: int, letter: str) -> int:
        return sum(1 << place for place in taking[letter] if masks[place] & (state | end))

    table, states = _table([0], step)
    start = sum(1 << place for place in threads.reached(first))
    return table, np.array([bool(state & start) for state in states])


def _table(
    states: list[_Key], step: Callable[[_Key, str], _Key], dead: Callable[[_Key], bool] = lambda state: False
) -> tuple[np.ndarray, list[_Key]]:
    """All states that ``step`` leads to from these, and the state after each letter; gaps leave a state as it is."""
    numbers = {state: number for number, state in enumerate(states)}
    rows: list[np.ndarray] = []
    while len(rows) < len(states):
        state, row = states[len(rows)], np.zeros(BYTES, np.uint16)
        for letter in LETTERS if not dead(state) else ():
            other = step(state, letter)
            if other not in numbers:
                numbers[other] = len(states)
                states.append(other)
                if len(states) > MOST_STATES:
                    raise TooMuch
            row[ord(letter)] = numbers[other]
        row[GAP] = len(rows)
        rows.append(row)
    return np.array(rows), states
