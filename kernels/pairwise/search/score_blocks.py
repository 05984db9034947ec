"""What a backend of a search computes: the score of every query with every sequence of a block of the database.

A backend is a generator (`BlockScorer`). The driver gives it the blocks of the database one by one, so that a database
larger than the memory of a card streams through it, and takes the scores of a block while the backend works on the
next ones. The driver keeps the best hits, reports progress, and saves what an interrupted search needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

LETTER_CODES = 32
"""Codes of letters: 0 to 25 are A to Z, 26 is '*', 31 is `PADDING`; 27 to 30 are not used."""
STOP_CODE, PADDING = 26, 31
PADDING_SCORE = -(2**14)
"""Score of `PADDING` with every letter in `SearchQueries.table`: no alignment goes through it."""


def make_letter_codes() -> np.ndarray:
    """Return the code of every byte, uint8 (256,); `PADDING` for bytes that are neither letters nor '*'."""
    codes = np.full(256, PADDING, np.uint8)
    codes[ord("A") : ord("Z") + 1] = codes[ord("a") : ord("z") + 1] = np.arange(26, dtype=np.uint8)
    codes[ord("*")] = STOP_CODE
    codes.setflags(write=False)
    return codes


CODE_OF_BYTE = make_letter_codes()


@dataclass(frozen=True, eq=False)
class SearchQueries:
    """Queries and costs as a backend takes them.

    Parameters
    ----------
    queries : tuple of ndarray of uint8
        Codes of the letters of each query; none is empty.
    table : ndarray of int32, shape (32, 32)
        Score of a query letter (row) with a database letter (column), in engine units. Codes that do not occur, and
        `PADDING`, score `PADDING_SCORE`.
    open, extend : int
        A gap of k letters costs ``open + k * extend``, in engine units; linear gaps have ``open`` 0.
    """

    queries: tuple[np.ndarray, ...]
    table: np.ndarray
    open: int
    extend: int


@dataclass(frozen=True, eq=False)
class DatabaseBlock:
    """Consecutive sequences of a database that is sorted by length, the longest first.

    Parameters
    ----------
    codes : ndarray of uint8
        Codes of the letters of all sequences, one sequence after another, without padding. The array may be a view of a
        memory-mapped file and is read-only.
    offsets : ndarray of int64, shape (count + 1,)
        Sequence i of the block has ``codes[offsets[i] : offsets[i + 1]]``; ``offsets[0]`` is 0.
    first : int
        Number of the first sequence of the block in the sorted database.
    """

    codes: np.ndarray
    offsets: np.ndarray
    first: int

    def __len__(self) -> int:
        return self.offsets.size - 1

    @property
    def letter_count(self) -> int:
        """The letters of all sequences."""
        return int(self.offsets[-1])


@dataclass(frozen=True, eq=False)
class BlockScores:
    """The scores of one block: ``scores[query, sequence]`` in engine units, int32, shape (queries, len(block)).

    A score is that of the best local alignment (Smith and Waterman 1981, Gotoh 1982), 0 where no pair scores above 0.
    """

    block: DatabaseBlock
    scores: np.ndarray


ReportCells = Callable[[int], None]
"""``report(cells)`` adds computed cells to the progress; it raises Cancelled when the user cancelled."""

BlockScorer = Callable[[SearchQueries, Iterable[DatabaseBlock], ReportCells], Iterator[BlockScores]]
"""``score_blocks(queries, blocks, report)`` yields the scores of every block, in the order of the blocks.

It may take the next blocks before it yields the scores of one, to copy them behind the computing. It calls ``report``
at least every 250 ms, and leaves nothing allocated when its caller closes the generator or ``report`` raises.
"""


def encode_letters(letters: np.ndarray) -> np.ndarray:
    """Return the codes of letters given as bytes, uint8 in and out."""
    return CODE_OF_BYTE[letters]


def make_code_table(scores: np.ndarray, codes_of_bytes: np.ndarray) -> np.ndarray:
    """Return a score table by letter codes, int32 (32, 32).

    Parameters
    ----------
    scores : ndarray of int32, shape (letters, letters)
        Scores in engine units by the codes of a matrix (`kernels.scoring.Scoring.scores`).
    codes_of_bytes : ndarray of int16, shape (256,)
        The code in the matrix of every byte, -1 for none (`kernels.scoring.SubstitutionMatrix.codes`).
    """
    letters = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ*", np.uint8)
    places = codes_of_bytes[letters]
    known = np.flatnonzero(places >= 0)
    table = np.full((LETTER_CODES, LETTER_CODES), PADDING_SCORE, np.int32)
    table[np.ix_(known, known)] = scores[np.ix_(places[known], places[known])]
    return table
