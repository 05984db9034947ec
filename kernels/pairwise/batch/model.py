"""Problem and answer of a batch of pairs: sequences, which of them are aligned with which, and the rule of scoring."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Sequence, SequenceType, concatenate_letters, sequence_lengths
from antidiag.kernels.pairwise.model import UNKNOWN_END, Alignment, PairAnswer, PairProblem
from antidiag.kernels.scoring import (
    FREE_ENDS,
    NO_FREE_ENDS,
    UNKNOWN,
    FreeEnds,
    Mode,
    Scoring,
    Strand,
    encode_sequence,
    number_used_codes,
    refuse_overflow,
)
from antidiag.kernels.sequences.alphabets import complement_codes
from antidiag.kernels.sequences.sequence_set import take_sequences
from antidiag.kernels.serialization import added_field, stored

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
    ends of the mode CUSTOM, of the sequences as given; ``columns`` are those of saved tables. With the ``strand`` BOTH
    the better strand is chosen for each pair.
    """

    sequences: Sequences[Sequence]
    scoring: Scoring
    mode: Mode = Mode.LOCAL
    chosen_ends: FreeEnds = NO_FREE_ENDS
    pairing: str = RECORDS
    query_count: int = 1
    columns: str = ""
    strand: Strand = added_field(Strand.FORWARD)  # noqa: RUF009 - it returns a dataclass field

    def __post_init__(self) -> None:
        longest = np.sort(sequence_lengths(self.sequences))[-2:]
        refuse_overflow(int(longest[0]), int(longest[-1]), self.scoring)

    @property
    def data(self) -> Sequences[Sequence]:
        """The sequences, the data of the problem."""
        return self.sequences

    @property
    def free_ends(self) -> FreeEnds:
        """The ends whose letters may stay unaligned at no cost; none in the mode LOCAL, where all may.

        With the strand REVERSE they are those of the sequences as they are aligned.
        """
        if self.mode is not Mode.CUSTOM:
            return FREE_ENDS.get(self.mode, NO_FREE_ENDS)
        return self.chosen_ends.reversed_first() if self.strand is Strand.REVERSE else self.chosen_ends

    @property
    def strand_problems(self) -> tuple[BatchProblem, ...]:
        """The problems of one strand each, of which the better answer of each pair counts."""
        if self.strand is not Strand.BOTH:
            return (self,)
        return tuple(replace(self, strand=strand) for strand in (Strand.FORWARD, Strand.REVERSE))

    @property
    def first_count(self) -> int:
        """How many sequences, from the first one on, are the first of some pair."""
        count = len(self.sequences)
        return {ALL: count - 1, RECORDS: count // 2}.get(self.pairing, self.query_count)

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
        return self.index_pairs(0, self.pair_count)

    @cached_property
    def second_ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """For each sequence that is first of some pair: where the seconds of its pairs begin and end, int64."""
        count, firsts = len(self.sequences), np.arange(self.first_count)
        if self.pairing == ALL:
            return firsts + 1, np.full_like(firsts, count)
        if self.pairing == RECORDS:
            return firsts + count // 2, firsts + count // 2 + 1
        return np.full_like(firsts, self.query_count), np.full_like(firsts, count)

    @cached_property
    def pair_begins(self) -> np.ndarray:
        """For each sequence that is first of some pair: the number of its first pair, int64."""
        begins, ends = self.second_ranges
        return np.cumsum(ends - begins) - (ends - begins)

    def index_pairs(self, first: int, last: int) -> PairIndices:
        """Return the pairs from number ``first`` to before ``last``, without the indices of others."""
        numbers = np.arange(first, last)
        firsts = np.searchsorted(self.pair_begins, numbers, side="right") - 1
        seconds = self.second_ranges[0][firsts] + numbers - self.pair_begins[firsts]
        return PairIndices(firsts.astype(np.int32), seconds.astype(np.int32))

    def select_pairs(self, first: int, last: int) -> BatchProblem:
        """Return the problem of the pairs from number ``first`` to before ``last``, record by record."""
        chosen = self.index_pairs(first, last)
        sequences = take_sequences(self.sequences, np.concatenate([chosen.firsts, chosen.seconds]).tolist())
        return replace(self, sequences=sequences, pairing=RECORDS, query_count=0)

    @property
    def cells(self) -> int:
        """Cells of all matrices; of both strands, those of each."""
        return self.matrix_cells * len(self.strand_problems)

    @cached_property
    def matrix_cells(self) -> int:
        """Cells of the matrices of one strand."""
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
        """The numbers of pairs and sequences, the mode, and a strand that is not forward, as text."""
        strand = {Strand.REVERSE: ", reverse strand", Strand.BOTH: ", both strands"}.get(self.strand, "")
        return f"{self.title} of {len(self.sequences):,} sequences, {self.mode_text}{strand}"

    @property
    def mode_text(self) -> str:
        """The mode as text, with the free ends of CUSTOM."""
        return f"{self.mode}, free: {self.chosen_ends}" if self.mode is Mode.CUSTOM else str(self.mode)

    def make_pair(self, number: int, found_strand: Strand | None = None) -> PairProblem:
        """Return a pair as a problem of its own; ``found_strand`` is its better one, where both were compared."""
        first, second = self.sequences[self.pairs.firsts[number]], self.sequences[self.pairs.seconds[number]]
        found = found_strand if self.strand is Strand.BOTH else None
        return PairProblem(first, second, self.scoring, self.mode, self.chosen_ends, self.strand, found)

    @cached_property
    def encoded(self) -> EncodedBatch:
        """The letters as codes; InputError names a letter that has no score."""
        return encode_batch(self)


@dataclass(frozen=True, eq=False)
class EncodedBatch:
    """The letters of all sequences as codes of those that occur.

    The ``lengths[k]`` codes (uint8) of sequence k begin at ``begins[k]`` where it is the second of a pair, and at
    ``first_begins[k]`` where it is the first: on the reverse strand its reverse complement. All three are int64.
    ``table`` int32 are scores [code of the first sequence, code of the second].
    """

    codes: np.ndarray
    lengths: np.ndarray
    begins: np.ndarray
    first_begins: np.ndarray
    table: np.ndarray


def encode_batch(problem: BatchProblem) -> EncodedBatch:
    """Return the letters of all sequences as codes of those that occur.

    Raises InputError for a letter without a score, with its record and position, and for an empty sequence.
    """
    lengths = sequence_lengths(problem.sequences)
    if not lengths.all():
        name = problem.sequences[int(np.argmin(lengths))].name
        raise InputError(f"{name}: the sequence is empty; remove it")
    letters = concatenate_letters(problem.sequences)
    ends = np.cumsum(lengths)
    begins = first_begins = ends - lengths
    if problem.strand is Strand.REVERSE:
        count = problem.first_count
        complements = _complement_letters(problem.sequences[:count], lengths[:count], letters[: ends[count - 1]])
        first_begins = letters.size + complements.size - ends
        letters = np.concatenate([letters, complements[::-1]])
    codes = letters.tobytes().translate(problem.scoring.matrix.translation)
    if UNKNOWN in codes:
        for number in range(problem.pair_count):
            for sequence in problem.make_pair(number).sequences:
                encode_sequence(sequence, problem.scoring)
    present, numbers = number_used_codes([codes], len(problem.scoring.scores))
    if present != list(range(len(present))):
        codes = codes.translate(numbers)
    table = np.ascontiguousarray(problem.scoring.scores[np.ix_(present, present)])
    return EncodedBatch(np.frombuffer(codes, np.uint8), lengths, begins, first_begins, table)


def _complement_letters(sequences: Sequences[Sequence], lengths: np.ndarray, letters: np.ndarray) -> np.ndarray:
    """Return the complements of the concatenated letters of nucleotide sequences, each by the type of its sequence."""
    is_rna = np.fromiter((one.type == SequenceType.RNA for one in sequences), bool, len(lengths))
    codes = [complement_codes(kind)[letters] for kind in (SequenceType.RNA, SequenceType.DNA)]
    return np.where(np.repeat(is_rna, lengths), *codes)


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
    """The best scores of all pairs, in engine units, int32, and their paths where the method gives them.

    ``is_reversed`` (bool) says of each pair whether the reverse complement of its first sequence is aligned; None where
    no strand but the forward one was asked for.
    """

    scores: np.ndarray
    paths: BatchPaths | None = None
    is_reversed: np.ndarray | None = added_field(None)  # noqa: RUF009 - it returns a dataclass field

    @property
    def score(self) -> int:
        """The greatest score."""
        return int(self.scores.max())

    def settled_pair(self, problem: BatchProblem, number: int) -> PairProblem:
        """Return a pair as a problem of its own, on its better strand."""
        is_reversed = self.is_reversed is not None and self.is_reversed[number]
        return problem.make_pair(number, Strand.REVERSE if is_reversed else Strand.FORWARD)

    def pair_answer(self, number: int) -> PairAnswer:
        """Return the answer of a pair; its end is unknown where the method gives no paths."""
        if self.paths is None:
            return PairAnswer(int(self.scores[number]), UNKNOWN_END)
        path = self.paths[number]
        return PairAnswer(int(self.scores[number]), path.end, path)

    def select_pair(self, number: int) -> BatchAnswer:
        """Return the answer of a batch of this pair alone."""
        one, paths = slice(number, number + 1), self.paths
        alone = None
        if paths is not None:
            zero = np.zeros(1, np.int32), np.zeros(1, np.int64)
            pieces = (paths[number].operations,)
            alone = BatchPaths(paths.starts[one], paths.ends[one], pieces, *zero, paths.lengths[one])
        return BatchAnswer(self.scores[one], alone, None if self.is_reversed is None else self.is_reversed[one])

    def check(self, problem: BatchProblem) -> None:
        """Rescore paths independently: all of a small batch, else some; AssertionError where one does not fit."""
        assert self.scores.size == problem.pair_count, "a score a pair"
        if self.paths is not None:
            for number in _choose_checked(problem.pair_count):
                self.pair_answer(number).check(self.settled_pair(problem, number))


MOST_CHECKED = 1000
"""Pairs of a batch that are rescored."""


def _choose_checked(count: int) -> Iterator[int]:
    """Yield the numbers of at most MOST_CHECKED pairs, evenly spread."""
    yield from np.unique(np.linspace(0, count - 1, min(count, MOST_CHECKED)).astype(np.int64)).tolist()
