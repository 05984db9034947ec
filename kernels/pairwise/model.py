"""Problem, alignment and answer of two sequences, and the score of an alignment."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from antidiag.kernels.file_conventions import CigarStyle, cigar_style
from antidiag.kernels.model import Sequence
from antidiag.kernels.scoring import (
    FREE_ENDS,
    NO_FREE_ENDS,
    FreeEnds,
    Mode,
    Scoring,
    Strand,
    encode_sequence,
    number_used_codes,
    refuse_overflow,
)
from antidiag.kernels.sequences.alphabets import find_identical_letters, reverse_complement_letters
from antidiag.kernels.serialization import ADDED_LATER, added_field, stored
from antidiag.kernels.text import format_count

DIAGONAL, UP, LEFT = 0, 1, 2
"""Operations of a path: both letters; a letter of the first against a gap (E); of the second (F)."""

SAME, INSERTED, DELETED, MISMATCH = DIAGONAL, UP, LEFT, 3
"""Kinds of columns, seen from the second sequence."""

CHUNK = 1 << 20
"""Operations that are processed at a time where temporary arrays are wider than the path itself."""


@stored("pair-problem")
@dataclass(frozen=True)
class PairProblem:
    """Two sequences, scoring and mode: everything that defines the best pairwise alignment.

    ``first`` and ``second`` are the sequences as given, ``sequences`` as they are aligned: on the reverse strand the
    first one is its reverse complement. ``chosen_ends`` are the free ends of the mode CUSTOM, of the sequences as
    given. ``found_strand`` is the better strand of a problem of BOTH, once an engine has compared them.
    """

    first: Sequence
    second: Sequence
    scoring: Scoring
    mode: Mode = Mode.LOCAL
    chosen_ends: FreeEnds = added_field(NO_FREE_ENDS)  # noqa: RUF009 - it returns a dataclass field
    strand: Strand = added_field(Strand.FORWARD)  # noqa: RUF009
    found_strand: Strand | None = added_field(None, compare=False)  # noqa: RUF009

    def __post_init__(self) -> None:
        refuse_overflow(len(self.first), len(self.second), self.scoring)

    @property
    def free_ends(self) -> FreeEnds:
        """The ends of the aligned ``sequences`` whose letters may stay unaligned at no cost; none in the mode LOCAL,
        where all may."""
        if self.mode is not Mode.CUSTOM:
            return FREE_ENDS.get(self.mode, NO_FREE_ENDS)
        return self.chosen_ends.reversed_first() if self.is_reversed else self.chosen_ends

    @property
    def is_reversed(self) -> bool:
        """Whether the reverse complement of the first sequence is aligned."""
        return (self.found_strand or self.strand) is Strand.REVERSE

    @property
    def is_undecided(self) -> bool:
        """Whether both strands are still to be compared; no method can run on such a problem itself."""
        return self.strand is Strand.BOTH and self.found_strand is None

    @property
    def variants(self) -> tuple[PairProblem, ...]:
        """The problems of one strand each, of which the best answer is that of this problem."""
        return self._both_strands if self.is_undecided else (self,)

    @cached_property
    def _both_strands(self) -> tuple[PairProblem, PairProblem]:
        """The problems of each strand, always the same ones, so that what is known of them is kept."""
        return replace(self, strand=Strand.FORWARD), replace(self, strand=Strand.REVERSE)

    def settle_variant(self, number: int) -> PairProblem:
        """Return this problem with the strand of a variant as the better one."""
        return replace(self, found_strand=self.variants[number].strand) if self.is_undecided else self

    @property
    def mode_text(self) -> str:
        """The mode as text, with the free ends of CUSTOM."""
        return f"{self.mode}, free: {self.chosen_ends}" if self.mode is Mode.CUSTOM else str(self.mode)

    @cached_property
    def sequences(self) -> tuple[Sequence, Sequence]:
        """Both sequences as they are aligned, the first one as its reverse complement on the reverse strand."""
        return (_reverse_complement(self.first) if self.is_reversed else self.first), self.second

    @property
    def data(self) -> tuple[Sequence, Sequence]:
        """Both sequences as given, the data of the problem."""
        return self.first, self.second

    @cached_property
    def cells(self) -> int:
        """Number of cells to compute: those of the matrix, twice where both strands are still to be compared."""
        return self.matrix_cells * len(self.variants)

    @cached_property
    def matrix_cells(self) -> int:
        """Number of cells of the matrix."""
        return len(self.first) * len(self.second)

    @property
    def swapped(self) -> bool:
        """Whether strips run along the first sequence, because it is the longer one (Li et al. 2012, section IV)."""
        return len(self.first) > len(self.second)

    @cached_property
    def rows(self) -> int:
        """Length of the shorter sequence: rows of the matrix as the methods compute it."""
        return min(len(self.first), len(self.second))

    @cached_property
    def columns(self) -> int:
        """Length of the longer sequence: columns of the matrix as the methods compute it."""
        return max(len(self.first), len(self.second))

    @property
    def value_count(self) -> int:
        """Values of a cell that cross a border: H, and a gap state for each piece of the gap costs."""
        return 1 + len(self.scoring.gap_pieces)

    @property
    def title(self) -> str:
        """Names of both sequences."""
        return f"{self.first.name} x {self.second.name}"

    @property
    def size(self) -> str:
        """Both lengths, the mode and a strand that is not forward, as text."""
        return f"{len(self.first):,} x {len(self.second):,}, {self.mode_text}{self.strand_text}"

    @property
    def strand_text(self) -> str:
        """The strand as text after the mode: ", reverse strand"; ", both strands"; "" for the forward strand."""
        if self.strand is Strand.FORWARD:
            return ""
        return ", both strands" if self.strand is Strand.BOTH else ", reverse strand"

    @cached_property
    def codes(self) -> tuple[np.ndarray, np.ndarray]:
        """Matrix codes of both sequences, uint8; InputError names a letter that has no score."""
        first, second = self.sequences
        return encode_sequence(first, self.scoring), encode_sequence(second, self.scoring)

    @cached_property
    def used_letter_count(self) -> int:
        """Number of different letters of both sequences, by their rows of the matrix."""
        return len(number_used_codes([codes.tobytes() for codes in self.codes], len(self.scoring.scores))[0])

    def variant_notes(self, answers: Sequences[PairAnswer]) -> tuple[str, ...]:
        """Return a note of the scores of both strands, from the answers of the `variants`."""
        forward, reverse = (self.scoring.unscale_score(answer.score) for answer in answers)
        return (f"Both strands were aligned: the forward strand scores {forward:,}, the reverse strand {reverse:,}.",)

    def given_span(self, side: int, start: int, end: int) -> tuple[int, int]:
        """Return the half-open range of letters of a sequence as given that are the letters start .. end - 1 of it as
        aligned; ``side`` is 0 for the first, 1 for the second."""
        if side or not self.is_reversed:
            return start, end
        return len(self.first) - end, len(self.first) - start

    def number_letters(self, side: int, start: int, end: int) -> tuple[int, int]:
        """Return the numbers, from 1, that the first and the last of the aligned letters start .. end - 1 have in a
        sequence as given; descending on the reverse strand. Of no letters, both are the letter before."""
        if side or not self.is_reversed:
            return start + (end > start), end
        length = len(self.first)
        return length - start + (start == end), length - end + 1


def _reverse_complement(sequence: Sequence) -> Sequence:
    """Return the reverse complement of a sequence, named so that rows of an alignment tell it."""
    name = f"{sequence.name}_reverse_complement"
    letters = reverse_complement_letters(sequence.letters, sequence.type)
    return replace(sequence, name=name, letters=letters, description=f"{name} {sequence.details}".strip())


@dataclass(frozen=True)
class IdentityCounts:
    """Identical letters of an alignment, and the three numbers of which they are a share.

    ``columns`` are all columns, ``paired`` those without a gap, ``shorter`` the letters of the shorter sequence.
    """

    identical: int
    columns: int
    paired: int
    shorter: int

    @property
    def shares(self) -> tuple[tuple[str, float], ...]:
        """The three identities from 0 to 1 with what each is a share of, in words."""
        wholes = (
            (f"{format_count(self.columns, 'column')}", self.columns),
            (f"{format_count(self.paired, 'column')} without gaps", self.paired),
            (f"{format_count(self.shorter, 'letter')} of the shorter sequence", self.shorter),
        )
        return tuple((words, self.identical / whole if whole else 0.0) for words, whole in wholes)

    def describe_shares(self) -> str:
        """Return '17 of 20 columns, 85.0 %; 89.5 % of 19 columns without gaps; 94.4 % of 18 letters ...'."""
        whole = f"{self.identical:,} of {format_count(self.columns, 'column')}"
        if not self.columns:
            return whole
        others = "; ".join(f"{100 * share:.1f} % of {words}" for words, share in self.shares[1:])
        return f"{whole}, {100 * self.shares[0][1]:.1f} %; {others}"


@stored("pair-alignment")
@dataclass(frozen=True, eq=False)
class Alignment:
    """A path through the matrix of a pair.

    ``start`` and ``end`` are cells (i, j): letters start[0]..end[0] of the first and start[1]..end[1] of the second
    sequence are aligned. ``operations`` is uint8 (DIAGONAL, UP, LEFT), from start to end.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    operations: np.ndarray

    def list_cells(self) -> np.ndarray:
        """Return every cell of the path from start to end; int64, shape (operations + 1, 2)."""
        steps = np.empty((len(self.operations) + 1, 2), np.int64)
        steps[0] = self.start
        steps[1:, 0] = self.operations != LEFT
        steps[1:, 1] = self.operations != UP
        return np.cumsum(steps, axis=0, out=steps)

    def slice_letters(self, first: Sequence, second: Sequence) -> tuple[np.ndarray, np.ndarray]:
        """Return the aligned letters of both sequences, uint8."""
        return first.letter_array[self.start[0] : self.end[0]], second.letter_array[self.start[1] : self.end[1]]

    def gapped_rows(self, first: Sequence, second: Sequence) -> tuple[str, str]:
        """Return both rows of the alignment with '-' for gaps."""
        return (
            _gapped_row(first.letter_array[self.start[0] : self.end[0]], self.operations != LEFT),
            _gapped_row(second.letter_array[self.start[1] : self.end[1]], self.operations != UP),
        )

    def format_cigar(self, first: Sequence, second: Sequence, style: CigarStyle | None = None) -> str:
        """Return the CIGAR with = X I D, or with M I D in the ``style`` MATCH; by default in the style that the user
        chose. The first sequence is the query, the second the reference."""
        style = style or cigar_style()
        kinds = self.column_kinds(first, second) if style is CigarStyle.EXTENDED else self.operations
        letters = "=IDX" if style is CigarStyle.EXTENDED else "MID"
        borders = np.concatenate([[0], np.flatnonzero(kinds[1:] != kinds[:-1]) + 1, [kinds.size]])
        pieces = []
        for at in range(0, borders.size - 1 if kinds.size else 0, CHUNK):
            begins, ends = borders[at : at + CHUNK + 1][:-1], borders[at + 1 : at + CHUNK + 1]
            runs = zip((ends - begins).tolist(), kinds[begins].tolist(), strict=True)
            pieces.append("".join(f"{length}{letters[kind]}" for length, kind in runs))
        return "".join(pieces)

    def column_kinds(self, first: Sequence, second: Sequence) -> np.ndarray:
        """Return the kind of each column to the second sequence: SAME, INSERTED, DELETED or MISMATCH; uint8."""
        kinds = self.operations.copy()
        kinds[(kinds == DIAGONAL) & ~self.find_identical(first, second)] = MISMATCH
        return kinds

    def count_identities(self, first: Sequence, second: Sequence) -> IdentityCounts:
        """Return the identical letters, and what they are a share of."""
        identical = int(self.find_identical(first, second).sum())
        paired = int((self.operations == DIAGONAL).sum())
        return IdentityCounts(identical, self.operations.size, paired, min(len(first), len(second)))

    def find_identical(self, first: Sequence, second: Sequence) -> np.ndarray:
        """Return whether each column holds identical letters, bool; U equals T, and an ambiguous letter nothing."""
        top, bottom = (
            sequence.letter_array[start:end][self.operations[self.operations != without] == DIAGONAL]
            for sequence, start, end, without in zip((first, second), self.start, self.end, (LEFT, UP), strict=True)
        )
        same = np.zeros(self.operations.size, bool)
        same[self.operations == DIAGONAL] = find_identical_letters(top, bottom, first.type, second.type)
        return same


def rescore_path(problem: PairProblem, alignment: Alignment) -> int:
    """Return the score of a path, summed letter by letter and gap by gap.

    Parameters
    ----------
    problem : PairProblem
    alignment : Alignment

    Returns
    -------
    int
        The score in engine units (see Scoring.scale).

    Raises
    ------
    ValueError
        If the operations do not lead from the start to the end of the alignment.
    """
    operations, scoring = alignment.operations, problem.scoring
    taken = [operations[operations != other] == DIAGONAL for other in (LEFT, UP)]
    for side, (start, end) in enumerate(zip(alignment.start, alignment.end, strict=True)):
        if taken[side].size != end - start or not 0 <= start <= end <= len(problem.sequences[side]):
            raise ValueError(
                f"path of {operations.size} operations does not lead from {alignment.start} to {alignment.end}"
            )
    first, second = (
        codes[start:end][paired]
        for codes, start, end, paired in zip(problem.codes, alignment.start, alignment.end, taken, strict=True)
    )
    pairs = sum(
        int(scoring.scores[first[at : at + CHUNK], second[at : at + CHUNK]].sum(dtype=np.int64))
        for at in range(0, first.size, CHUNK)
    )
    lengths = _gap_lengths(operations)
    cost = np.min([opening + extend * lengths for opening, extend in scoring.gap_pieces], axis=0)
    return pairs - int(cost.sum())


def _gap_lengths(operations: np.ndarray) -> np.ndarray:
    """Return the length of every gap of a path, int64."""
    ends = np.flatnonzero(np.append(operations[1:] != operations[:-1], True)[: operations.size])
    lengths = np.diff(ends, prepend=-1)
    return lengths[operations[ends] != DIAGONAL]


@stored("skipped-blocks")
@dataclass(frozen=True, eq=False)
class SkippedBlocks:
    """Blocks of the matrix that pruning did not compute.

    Block (k, b) has columns column_cuts[k] + 1 .. column_cuts[k + 1] and rows row_cuts[b] + 1 .. row_cuts[b + 1]; rows
    belong to the shorter sequence, as in the strips. ``bits`` uint8 (strips, blocks / 8) holds a bit for each, the
    first one highest: 1 if it was skipped. Cuts are int64. ``skipped_cells`` is the number of cells that were skipped;
    on a GPU some lie in blocks of which a part was computed.
    """

    row_cuts: np.ndarray
    column_cuts: np.ndarray
    bits: np.ndarray
    skipped_cells: int

    @property
    def is_skipped(self) -> np.ndarray:
        """Which blocks were skipped; bool (strips, blocks)."""
        return np.unpackbits(self.bits, axis=1, count=self.row_cuts.size - 1).astype(bool)

    def list_areas(self) -> np.ndarray:
        """Return areas of cells that were skipped: int64 (areas, 4), half-open rows, then columns, as in the strips.

        Blocks below each other are one area.
        """
        skipped = np.pad(self.is_skipped.astype(np.int8), ((0, 0), (1, 1)))
        strips, blocks = np.nonzero(np.diff(skipped, axis=1))
        first, last = blocks[::2], blocks[1::2]
        columns = strips[::2]
        rows = self.row_cuts[first] + 1, self.row_cuts[last] + 1
        return np.stack([*rows, self.column_cuts[columns] + 1, self.column_cuts[columns + 1] + 1], axis=1)


UNKNOWN_END = (-1, -1)
"""In place of a cell: the method computes no end."""


@stored("pair-answer")
@dataclass(frozen=True)
class PairAnswer:
    """The best score of a pair (engine units), the cell where it ends, and the path where the method gives one.

    ``end`` is UNKNOWN_END for scores of batches, which have none.
    ``skipped`` are the blocks of the matrix that pruning did not compute, if there are any.
    """

    score: int
    end: tuple[int, int]
    alignment: Alignment | None = None
    skipped: SkippedBlocks | None = field(default=None, compare=False, metadata={ADDED_LATER: True})

    def count_computed(self, problem: PairProblem) -> int:
        """Return the number of cells that were computed: all that pruning did not skip."""
        return problem.cells - (self.skipped.skipped_cells if self.skipped else 0)

    def check(self, problem: PairProblem) -> None:
        """Rescore the path independently; raise AssertionError where score, end or mode do not fit."""
        path = self.alignment
        if path is None:
            return
        assert np.isin(path.operations, (DIAGONAL, LEFT, UP)).all(), "an operation is none of the three"
        found = rescore_path(problem, path)
        assert found == self.score, f"path scores {found}, result says {self.score}"
        assert path.end == self.end, f"path ends at {path.end}, result says {self.end}"
        if problem.mode != Mode.LOCAL:
            corner, free = (len(problem.first), len(problem.second)), problem.free_ends
            starts = (path.start[0] == 0 or free.first_start, path.start[1] == 0 or free.second_start)
            ends = (path.end[0] == corner[0] or free.first_end, path.end[1] == corner[1] or free.second_end)
            touches = 0 in path.start and (path.end[0] == corner[0] or path.end[1] == corner[1])
            assert all((*starts, *ends, touches)), f"{problem.mode} path runs from {path.start} to {path.end}"


def _gapped_row(letters: np.ndarray, uses_letter: np.ndarray) -> str:
    row = np.full(uses_letter.size, ord("-"), np.uint8)
    row[uses_letter] = letters
    return row.tobytes().decode("ascii")
