"""Motifs and regular expressions sought in the letters of an alignment, over gaps, by all cores."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import partial

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.cpu.workers import cores, share, stop_word
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import automata
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.automata import DEAD, START, Automaton
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor

IUPAC = {
    "A": "A", "C": "C", "G": "G", "T": "TU", "U": "TU", "R": "AGR", "Y": "CTUY", "S": "CGS", "W": "ATUW", "K": "GTUK",
    "M": "ACM", "B": "CGTUYSKB", "D": "AGTURWKD", "H": "ACTUYWMH", "V": "ACGRSMV", "N": "ABCDGHKMNRSTUVWY",
}  # fmt: skip
AMINO = {"X": "ABCDEFGHIKLMNPQRSTVWXYZUO", "B": "BDN", "Z": "ZEQ", "J": "JIL"}
MOTIF = re.compile(r"([A-Za-z]+)(?:\s+[~/]?(\d+))?")
MOST_HITS = 100_000
PART = 1 << 22
"""Letters that a thread searches between two looks whether somebody cancelled."""
LONGEST = 64
"""Letters of a motif that are bits of a word; the others are looked at where these are found."""

Search = Callable[[np.ndarray], np.ndarray]
"""What finds places in letters, uint8 (rows, columns): int64 (n, 3), row, first column and the one after the last."""


@compiled
def _hits(letters, sets, masks, allowed, found):
    """Places of a motif, of which ``allowed`` letters may be others, in the letters that are no gaps.

    ``sets`` bool (length, 256): what each letter of the motif takes; ``masks`` uint64 (256,) the same of its first
    LONGEST as bits. ``found`` int64 (n, 3) takes the first n places; how many there are, or n + 1 for more. Bit b of
    ``exact``, and of ``states[k]``: whether the last b + 1 letters are the first of the motif, but for k (Baeza-Yates
    and Gonnet 1992; Wu and Manber 1992).
    """
    length, one = len(sets), np.uint64(1)
    known = min(length, LONGEST)
    last = one << np.uint64(known - 1)
    states = np.zeros(allowed + 1, np.uint64)
    count = 0
    for row in range(letters.shape[0]):
        exact = np.uint64(0)
        states[:] = 0
        for column in range(letters.shape[1]):
            letter = letters[row, column]
            if letter == GAP:
                continue
            mask, before = masks[letter], exact
            exact = ((exact << one) | one) & mask
            reached = exact
            for wrong in range(1, allowed + 1):
                reached = ((((states[wrong] << one) | one) & mask) | (before << one)) | one
                before, states[wrong] = states[wrong], reached
            if reached & last:
                first, lacking = column, known - 1
                while lacking > 0:
                    first -= 1
                    lacking -= letters[row, first] != GAP
                stop = column + 1 if length == known else _stop(letters[row], first, sets, allowed)
                if stop > 0:
                    if count == len(found):
                        return count + 1
                    found[count, 0], found[count, 1], found[count, 2] = row, first, stop
                    count += 1
    return count


@called
def _stop(line, first, sets, allowed):
    """The column after a motif that begins at ``first``; 0 where the letters are others."""
    at, wrong = 0, 0
    for column in range(first, line.size):
        if line[column] != GAP:
            wrong += not sets[at, line[column]]
            at += 1
            if wrong > allowed:
                return 0
            if at == len(sets):
                return column + 1
    return 0


@compiled
def _matches(letters, ahead, accepts, back, begins, found):
    """Places at which an `Automaton` matches, none in another, in the letters that are no gaps; ``found`` int64 (n, 3)
    takes the first n. How many there are."""
    columns, count = letters.shape[1], 0
    starts = np.empty(columns, np.int64)
    for row in range(letters.shape[0]):
        line, there = letters[row], 0
        if back.shape[0]:
            state = 0
            for column in range(columns - 1, -1, -1):
                state = back[state, line[column]]
                starts[there] = column
                there += begins[state] & (line[column] != GAP)
        else:
            for column in range(columns - 1, -1, -1):
                starts[there] = column
                there += (ahead[START, line[column]] != DEAD) & (line[column] != GAP)
        after = 0
        for place in range(there - 1, -1, -1):
            first, state, stop = starts[place], START, 0
            if first < after:
                continue
            for column in range(first, columns):
                if line[column] != GAP:
                    state = ahead[state, line[column]]
                    if state == DEAD:
                        break
                    if accepts[state]:
                        stop = column + 1
            if stop:
                found[count, 0], found[count, 1], found[count, 2] = row, first, stop
                after, count = stop, count + 1
                if count == len(found):
                    return count
    return count


def find(
    alignment: AlignedSequences, order: np.ndarray, wanted: str, monitor: Monitor | None = None, threads: int = 0
) -> np.ndarray:
    """Where a motif is in the letters without gaps: int64 (n, 3), row, first column, and the one after the last.

    ``wanted`` is letters with the codes of IUPAC for several, and then how many may differ ("GXGXXG 1"); or between
    slashes a regular expression ("/N[^P][ST]/"). Rows in ``order``; at most MOST_HITS. InputError for what is neither.
    """
    if len(wanted) > 2 and wanted[0] == wanted[-1] == "/":
        search = _by_expression(wanted[1:-1])
    else:
        search = _by_motif(wanted, alignment.type)
    step = max(1, PART // alignment.letters.shape[1])
    parts = [order[at : at + step] for at in range(0, order.size, step)]
    found = _in_parts(alignment, parts, search, monitor or Monitor(), min(threads or cores(), len(parts)))
    return np.concatenate([np.empty((0, 3), np.int64), *found])[:MOST_HITS]


def _in_parts(
    alignment: AlignedSequences, parts: list[np.ndarray], search: Search, monitor: Monitor, threads: int
) -> list[np.ndarray]:
    """What is found in the rows of each part, until that is enough; those of the parts after it are not there."""
    found: list[np.ndarray | None] = [None] * len(parts)
    numbers, stop, lock = iter(range(len(parts))), stop_word(), threading.Lock()
    done, hits = 0, 0

    def work(_: int) -> None:
        nonlocal done, hits
        for number in numbers:
            if stop[0] or hits >= MOST_HITS:
                return
            rows = parts[number]
            places = search(np.asarray(alignment.letters[rows]))
            places[:, 0] = rows[places[:, 0]]
            with lock:
                found[number] = places
                while done < len(found) and (part := found[done]) is not None:
                    done, hits = done + 1, hits + len(part)

    if threads > 1:
        share(work, threads, stop, lambda: monitor.update(done, len(parts), "searching"))
    else:
        work(0)
    return [part for part in found[:done] if part is not None]


def _by_motif(wanted: str, kind: SequenceType) -> Search:
    """What finds letters with codes of IUPAC."""
    match = MOTIF.fullmatch(wanted.strip())
    if match is None:
        raise InputError(f"{wanted!r}: give letters, such as NXST or GXGXXG 1 (one may differ), or /N[^P][ST]/")
    allowed = int(match[2] or 0)
    if allowed >= len(match[1]):
        raise InputError(f"{wanted!r}: {allowed} of {len(match[1])} letters may differ; give fewer")
    codes = AMINO if kind == SequenceType.PROTEIN else IUPAC
    motif = _motif([codes.get(letter, letter) for letter in match[1].upper()])
    return lambda letters: _places(letters, motif, allowed)


def _motif(taken: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The letters that each letter of a motif takes, as `_hits` wants them."""
    sets, masks = np.zeros((len(taken), 256), bool), np.zeros(256, np.uint64)
    for number, letters in enumerate(taken):
        sets[number, list(letters.encode())] = True
        if number < LONGEST:
            masks[sets[number]] |= np.uint64(1) << np.uint64(number)
    return sets, masks


def _places(letters: np.ndarray, motif: tuple[np.ndarray, np.ndarray], allowed: int) -> np.ndarray:
    """The first MOST_HITS places of a motif."""
    found = np.empty((min(MOST_HITS, letters.size), 3), np.int64)
    count = _hits(letters, *motif, allowed, found)
    return found[: min(count, len(found))].copy()


def _read(automaton: Automaton, letters: np.ndarray) -> np.ndarray:
    """The first MOST_HITS matches."""
    found = np.empty((min(MOST_HITS, letters.size), 3), np.int64)
    return found[: _matches(letters, *automaton, found)].copy()


def _by_expression(pattern: str) -> Search:
    """What finds a regular expression."""
    try:
        expression = re.compile(pattern.encode("ascii", "replace"), re.IGNORECASE)
    except re.error as error:
        raise InputError(f"/{pattern}/ is no regular expression: {error}") from error
    if (found := automata.automaton(pattern)) is not None:
        return partial(_read, found)

    def search(letters: np.ndarray) -> np.ndarray:
        hits: list[tuple[int, int, int]] = []
        for row, line in enumerate(letters):
            there = np.flatnonzero(line != GAP)
            found = (one.span() for one in expression.finditer(line[there].tobytes()))
            hits += [(row, int(there[first]), int(there[last - 1]) + 1) for first, last in found if last > first]
            if len(hits) >= MOST_HITS:
                break
        return np.array(hits, np.int64).reshape(-1, 3)

    return search
