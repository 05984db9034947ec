"""Search of motifs and regular expressions in the letters of an alignment, across gaps, on all cores."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import regex

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.workers import count_processors, make_stop_word, share_work
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor

CODES = "A=A C=C G=G T=TU U=TU R=AGR Y=CTUY S=CGS W=ATUW K=GTUK M=ACM B=CGTUYSKB D=AGTURWKD H=ACTUYWMH V=ACGRSMV"
IUPAC = {**dict(code.split("=") for code in CODES.split()), "N": "ABCDGHKMNRSTUVWY"}
AMINO = {"X": "ABCDEFGHIKLMNPQRSTVWXYZUO", "B": "BDN", "Z": "ZEQ", "J": "JIL"}
"""The letters that each code of nucleotides and of amino acids stands for."""
MOTIF = re.compile(r"([A-Za-z]+)(?:\s+[~/]?(\d+))?")
MAX_HITS = 100_000
MOTIF_PART = 1 << 22
"""Letters that a thread searches between two checks for cancelling."""
WORD_LETTERS = 64
"""Letters of a motif that are bits of a word; further ones are compared where these match."""

EXPRESSION_PART, EXPRESSION_SECONDS = 1 << 18, 10.0
"""Letters that a thread searches for a regular expression between two checks for cancelling, and the seconds that it
may take for them: usually 0.002, but an expression with nested repeats can take for ever."""
LOOKS_AROUND = re.compile(r"(?<!\[)\^|[$\\]|\(\?(?!:)")
"""Parts of an expression that see the end of a row, or letters beside the match."""

Search = Callable[[np.ndarray], np.ndarray]
"""A function that finds hits in letters, uint8 (rows, columns): int64 (n, 3), row, first column, column after the
last."""


@cached_njit
def _find_motif_hits(letters, sets, masks, allowed, found):
    """Find a motif in the letters that are no gaps, with at most ``allowed`` mismatches.

    ``sets``, bool (length, 256), has the letters that each position of the motif takes; ``masks``, uint64 (256,), the
    same of its first WORD_LETTERS as bits. ``found``, int64 (n, 3), takes the first n hits. Return their number, n + 1
    for more. Bit b of ``exact``, and of ``states[k]``, says whether the last b + 1 letters match the first of the motif
    with 0 or k mismatches (Baeza-Yates and Gonnet 1992; Wu and Manber 1992).
    """
    length, one = len(sets), np.uint64(1)
    known = min(length, WORD_LETTERS)
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
                stop = column + 1 if length == known else _motif_end(letters[row], first, sets, allowed)
                if stop > 0:
                    if count == len(found):
                        return count + 1
                    found[count, 0], found[count, 1], found[count, 2] = row, first, stop
                    count += 1
    return count


@inner_njit
def _motif_end(line, first, sets, allowed):
    """Return the column after a motif that begins at ``first``; 0 where there are too many mismatches."""
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


def find_motif(
    alignment: AlignedSequences, order: np.ndarray, pattern: str, monitor: Monitor | None = None, threads: int = 0
) -> np.ndarray:
    """Find a motif or a regular expression in the letters without gaps.

    Parameters
    ----------
    alignment : AlignedSequences
    order : array of int64
        The rows to search, in the order of the hits.
    pattern : str
        Letters, with IUPAC codes for several, and then how many may differ ("GXGXXG 1"); or a regular expression
        between slashes ("/N[^P][ST]/").
    monitor : Monitor, optional
        Receives the parts that are done; may cancel.
    threads : int
        0 for all cores.

    Returns
    -------
    array of int64, shape (n, 3)
        Row, first column, and the column after the last, of at most MAX_HITS hits.

    Raises
    ------
    InputError
        Where the pattern is neither, or the expression takes too long.
    """
    if len(pattern) > 2 and pattern[0] == pattern[-1] == "/":
        search, letters = _expression_search(pattern[1:-1]), EXPRESSION_PART
    else:
        search, letters = _motif_search(pattern, alignment.type), MOTIF_PART
    step = max(1, letters // alignment.letters.shape[1])
    parts = [order[at : at + step] for at in range(0, order.size, step)]
    found = _search_parts(
        alignment, parts, search, monitor or Monitor(), min(threads or count_processors(), len(parts))
    )
    return np.concatenate([np.empty((0, 3), np.int64), *found])[:MAX_HITS]


def _search_parts(
    alignment: AlignedSequences, parts: list[np.ndarray], search: Search, monitor: Monitor, threads: int
) -> list[np.ndarray]:
    """Return the hits in the rows of each part, in order, until there are MAX_HITS."""
    found: list[np.ndarray | None] = [None] * len(parts)
    numbers, stop, lock = iter(range(len(parts))), make_stop_word(), threading.Lock()
    done, hits = 0, 0

    def work(_: int) -> None:
        nonlocal done, hits
        for number in numbers:
            if stop[0] or hits >= MAX_HITS:
                return
            rows = parts[number]
            places = search(np.asarray(alignment.letters[rows]))
            places[:, 0] = rows[places[:, 0]]
            with lock:
                found[number] = places
                while done < len(found) and (part := found[done]) is not None:
                    done, hits = done + 1, hits + len(part)

    if threads > 1:
        share_work(work, threads, stop, lambda: monitor.update(done, len(parts), "searching"))
    else:
        work(0)
    return [part for part in found[:done] if part is not None]


def _motif_search(wanted: str, kind: SequenceType) -> Search:
    """Return a search for letters with IUPAC codes."""
    match = MOTIF.fullmatch(wanted.strip())
    if match is None:
        raise InputError(
            f"{wanted!r} is not a motif; give letters such as NXST, GXGXXG 1 (one may differ), or /N[^P][ST]/"
        )
    allowed = int(match[2] or 0)
    if allowed >= len(match[1]):
        raise InputError(f"{wanted!r}: all {len(match[1])} letters may differ; allow fewer mismatches than letters")
    codes = AMINO if kind == SequenceType.PROTEIN else IUPAC
    motif = _encode_motif([codes.get(letter, letter) for letter in match[1].upper()])
    return lambda letters: _first_hits(letters, motif, allowed)


def _encode_motif(taken: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the letters that each position of a motif takes, as `_find_motif_hits` reads them."""
    sets, masks = np.zeros((len(taken), 256), bool), np.zeros(256, np.uint64)
    for number, letters in enumerate(taken):
        sets[number, list(letters.encode())] = True
        if number < WORD_LETTERS:
            masks[sets[number]] |= np.uint64(1) << np.uint64(number)
    return sets, masks


def _first_hits(letters: np.ndarray, motif: tuple[np.ndarray, np.ndarray], allowed: int) -> np.ndarray:
    """Return the first MAX_HITS hits of a motif."""
    found = np.empty((min(MAX_HITS, letters.size), 3), np.int64)
    count = _find_motif_hits(letters, *motif, allowed, found)
    return found[: min(count, len(found))].copy()


def _expression_search(pattern: str) -> Search:
    """Return a search for a regular expression."""
    try:
        expression = regex.compile(pattern.encode("ascii", "replace"), regex.IGNORECASE)
    except regex.error as error:
        raise InputError(f"/{pattern}/ is not a regular expression: {error}; correct it") from error
    looks_around = LOOKS_AROUND.search(pattern) is not None

    def search(letters: np.ndarray) -> np.ndarray:
        try:
            return _find_expression_hits(letters, expression, looks_around)
        except TimeoutError:
            raise InputError(
                f"/{pattern}/ takes too long (more than {EXPRESSION_SECONDS:g} s in a few rows); simplify its "
                "nested repeats"
            ) from None

    return search


def _find_expression_hits(letters: np.ndarray, expression: Any, looks_around: bool) -> np.ndarray:
    """Return the first MOST_HITS matches in the letters without gaps, row by row.

    Rows are searched together, with a line feed after each, and only those with a match are looked at alone: a match
    must not reach into the next row. Expressions that look around see the rows alone at once.
    """
    columns = np.full((len(letters), letters.shape[1] + 1), ord("\n"), np.uint8)
    columns[:, :-1] = letters
    kept = np.flatnonzero(columns.reshape(-1) != GAP)
    text = columns.reshape(-1)[kept].tobytes()
    ends = np.flatnonzero(kept % columns.shape[1] == columns.shape[1] - 1)
    hits: list[tuple[int, int, int]] = []
    row, deadline = 0, time.monotonic() + EXPRESSION_SECONDS
    while row < len(letters) and len(hits) < MAX_HITS:
        start = int(ends[row - 1]) + 1 if row else 0
        limit = max(deadline - time.monotonic(), 0.001)
        if not looks_around:
            match = expression.search(text, start, concurrent=True, timeout=limit)
            if match is None:
                break
            row = int(np.searchsorted(ends, match.start()))
            start = int(ends[row - 1]) + 1 if row else 0
        line = text[start : int(ends[row])]
        spans = (found.span() for found in expression.finditer(line, concurrent=True, timeout=limit))
        hits += [(row, start + first, start + last - 1) for first, last in spans if last > first]
        row += 1
    found = np.array(hits[:MAX_HITS], np.int64).reshape(-1, 3)
    found[:, 1:] = kept[found[:, 1:]] % columns.shape[1]
    found[:, 2] += 1
    return found
