"""Problem and answer of a batch of pairs: sequences, which of them are aligned with which, and the rule of scoring."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Sequence, concatenate_letters, sequence_lengths
from antidiag.kernels.pairwise.model import Alignment, PairAnswer, PairProblem
from antidiag.kernels.scoring import (
    FREE_ENDS,
    NO_FREE_ENDS,
    UNKNOWN,
    FreeEnds,
    Mode,
    Scoring,
    encode_sequence,
    number_used_codes,
    refuse_overflow,
)
from antidiag.kernels.serialization import stored

RECORDS, ALL, QUERIES = "records", "all", "queries"
PAIRINGS = (RECORDS, ALL, QUERIES)
"""Which sequences are aligned: each of the first half with the one in the same place of the second half; every two;
each of the first ones (the queries) with each of the others."""


@dataclass(frozen=True, eq=False)
class PairIndices:
    """The numbers of the sequences of each pair, int32."""

    firsts: np.ndarray
    seconds: np.ndarray

    def __len__(self) -> int:
        return self.firsts.size


@stored("pair-batch-problem")
@dataclass(frozen=True)
class BatchProblem:
    """Sequences, the pairs of them that are aligned, scoring and mode.

    ``query_count`` are the first sequences that are queries, with the pairing QUERIES. ``chosen_ends`` are the free
    ends of the mode CUSTOM, ``columns`` those of saved tables.
    """

    sequences: Sequences[Sequence]
    scoring: Scoring
    mode: Mode = Mode.LOCAL
    chosen_ends: FreeEnds = NO_FREE_ENDS
    pairing: str = RECORDS
    query_count: int = 1
    columns: str = ""

    def __post_init__(self) -> None:
        longest = np.sort(sequence_lengths(self.sequences))[-2:]
        refuse_overflow(int(longest[0]), int(longest[-1]), self.scoring)

    @property
    def data(self) -> Sequences[Sequence]:
        """The sequences, the data of the problem."""
        return self.sequences

    @property
    def free_ends(self) -> FreeEnds:
        """The ends whose letters may stay unaligned at no cost; none in the mode LOCAL, where all may."""
        return FREE_ENDS.get(self.mode, self.chosen_ends if self.mode is Mode.CUSTOM else NO_FREE_ENDS)

    @property
    def pair_count(self) -> int:
        """The number of pairs."""
        count = len(self.sequences)
        if self.pairing == ALL:
            return count * (count - 1) // 2
        return count // 2 if self.pairing == RECORDS else self.query_count * (count - self.query_count)

    @cached_property
    def pairs(self) -> PairIndices:
        """The pairs, in their order."""
        count = len(self.sequences)
        if self.pairing == ALL:
            firsts, seconds = np.triu_indices(count, 1)
        elif self.pairing == RECORDS:
            firsts, seconds = np.arange(count // 2), np.arange(count // 2, count)
        else:
            firsts = np.repeat(np.arange(self.query_count), count - self.query_count)
            seconds = np.tile(np.arange(self.query_count, count), self.query_count)
        return PairIndices(firsts.astype(np.int32), seconds.astype(np.int32))

    @cached_property
    def cells(self) -> int:
        """Cells of all matrices."""
        lengths = sequence_lengths(self.sequences).astype(np.int64)
        total = int(lengths.sum())
        if self.pairing == ALL:
            return (total * total - int((lengths * lengths).sum())) // 2
        if self.pairing == RECORDS:
            half = lengths.size // 2
            return int((lengths[:half] * lengths[half:]).sum())
        queries = int(lengths[: self.query_count].sum())
        return queries * (total - queries)

    @property
    def title(self) -> str:
        """The number of pairs, as a title."""
        return f"{self.pair_count:,} pair{'s' * (self.pair_count != 1)}"

    @property
    def size(self) -> str:
        """The numbers of pairs and sequences, and the mode, as text."""
        return f"{self.title} of {len(self.sequences):,} sequences, {self.mode_text}"

    @property
    def mode_text(self) -> str:
        """The mode as text, with the free ends of CUSTOM."""
        return f"{self.mode}, free: {self.chosen_ends}" if self.mode is Mode.CUSTOM else str(self.mode)

    def make_pair(self, number: int) -> PairProblem:
        """Return a pair as a problem of its own."""
        first, second = self.sequences[self.pairs.firsts[number]], self.sequences[self.pairs.seconds[number]]
        return PairProblem(first, second, self.scoring, self.mode, self.chosen_ends)

    @cached_property
    def encoded(self) -> EncodedBatch:
        """The letters as codes; InputError names a letter that has no score."""
        return encode_batch(self)


@dataclass(frozen=True, eq=False)
class EncodedBatch:
    """The letters of all sequences as codes of those that occur.

    ``codes`` uint8, one sequence after another from ``offsets`` (int64, count + 1) on; ``table`` int32, scores
    [code of the first sequence, code of the second].
    """

    codes: np.ndarray
    offsets: np.ndarray
    table: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """Letters of each sequence, int64."""
        return np.diff(self.offsets)


def encode_batch(problem: BatchProblem) -> EncodedBatch:
    """Return the letters of all sequences as codes of those that occur.

    Raises InputError for a letter without a score, with its record and position, and for an empty sequence.
    """
    lengths = sequence_lengths(problem.sequences)
    if not lengths.all():
        name = problem.sequences[int(np.argmin(lengths))].name
        raise InputError(f"{name}: the sequence is empty; remove it")
    codes = concatenate_letters(problem.sequences).tobytes().translate(problem.scoring.matrix.translation)
    if UNKNOWN in codes:
        for sequence in problem.sequences:
            encode_sequence(sequence, problem.scoring)
    present, numbers = number_used_codes([codes], len(problem.scoring.scores))
    table = np.ascontiguousarray(problem.scoring.scores[np.ix_(present, present)])
    return EncodedBatch(
        np.frombuffer(codes.translate(numbers), np.uint8), np.concatenate([[0], np.cumsum(lengths)]), table
    )


@stored("pair-batch-paths")
@dataclass(frozen=True, eq=False)
class BatchPaths:
    """Paths of all pairs.

    ``starts`` and ``ends`` are cells (first, second), int32 (pairs, 2), as in `Alignment`. The operations of pair i are
    ``lengths[i]`` elements of ``pieces[piece_numbers[i]]`` (uint8) from ``begins[i]`` (int64) on.
    """

    starts: np.ndarray
    ends: np.ndarray
    pieces: tuple[np.ndarray, ...]
    piece_numbers: np.ndarray
    begins: np.ndarray
    lengths: np.ndarray

    def __getitem__(self, number: int) -> Alignment:
        start, end = self.starts[number].tolist(), self.ends[number].tolist()
        begin = int(self.begins[number])
        operations = self.pieces[int(self.piece_numbers[number])][begin : begin + int(self.lengths[number])]
        return Alignment((start[0], start[1]), (end[0], end[1]), operations)


@stored("pair-batch-answer")
@dataclass(frozen=True, eq=False)
class BatchAnswer:
    """The best scores of all pairs, in engine units, int32, and their paths where the method gives them."""

    scores: np.ndarray
    paths: BatchPaths | None = None

    @property
    def score(self) -> int:
        """The greatest score."""
        return int(self.scores.max())

    def pair_answer(self, number: int) -> PairAnswer:
        """Return the answer of a pair, whose path is known."""
        assert self.paths is not None, "this method gives no paths"
        path = self.paths[number]
        return PairAnswer(int(self.scores[number]), path.end, path)

    def check(self, problem: BatchProblem) -> None:
        """Rescore paths independently: all of a small batch, else some; AssertionError where one does not fit."""
        assert self.scores.size == problem.pair_count, "a score a pair"
        if self.paths is not None:
            for number in _choose_checked(problem.pair_count):
                self.pair_answer(number).check(problem.make_pair(number))


MOST_CHECKED = 1000
"""Pairs of a batch that are rescored."""


def _choose_checked(count: int) -> Iterator[int]:
    """Yield the numbers of at most MOST_CHECKED pairs, evenly spread."""
    yield from np.unique(np.linspace(0, count - 1, min(count, MOST_CHECKED)).astype(np.int64)).tolist()
