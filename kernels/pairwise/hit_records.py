"""Pairs and their alignments as records of tables (`kernels.io.hit_tables`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Sequences
from functools import cached_property
from types import ModuleType

import numpy as np

from antidiag.kernels import __version__
from antidiag.kernels.file_conventions import CigarStyle, cigar_style
from antidiag.kernels.io import hit_paf_sam, hit_tables
from antidiag.kernels.io.hit_tables import Hit, HitAlignment, HitColumn, HitSequence, QueryHits
from antidiag.kernels.model import Sequence
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, SAME, UP, Alignment, PairProblem
from antidiag.kernels.scoring import Scoring


def describe_pair(problem: PairProblem, score: int, path: Alignment | None) -> Hit:
    """Return a pair as tables take it, without an alignment where that is empty; the first sequence is the query."""
    found = None
    if path is not None and path.operations.size:
        found = PathAlignment(path, *problem.sequences, problem.scoring, problem.is_reversed)
    return Hit(
        describe_sequence(problem.first),
        describe_sequence(problem.second),
        problem.scoring.unscale_score(score),
        strand="-" if problem.is_reversed else "+",
        alignment=found,
    )


def describe_sequence(sequence: Sequence) -> HitSequence:
    """Return name, length, title and letters of a sequence."""
    return HitSequence(sequence.name, len(sequence), sequence.description or sequence.name, sequence.letters)


def table_lines(
    suffix: str,
    found: Iterable[QueryHits],
    columns: Sequences[HitColumn],
    subjects: Iterable[tuple[str, int]],
    database: str = "",
) -> Iterator[str]:
    """Yield the lines of a table in the format of a suffix.

    ``columns`` are those of tables that have a choice of columns, ``subjects`` the names and lengths in the head of
    SAM; ``database`` is named in comments.
    """
    match suffix:
        case ".sam":
            return hit_paf_sam.sam_lines(found, subjects)
        case ".paf":
            return hit_paf_sam.paf_lines(found)
        case ".blast":
            return hit_tables.commented_lines(found, columns, f"Antidiag {__version__}", database)
        case ".csv":
            return hit_tables.csv_lines(found, columns)
        case ".jsonl":
            return hit_tables.json_lines(found, columns)
        case ".tsv":
            return hit_tables.tabular_lines(found, columns)
    raise ValueError(f"no table has the suffix {suffix}")


class PathAlignment(HitAlignment):
    """An alignment as tables need it, each part of which is computed when a table asks for it.

    Parameters
    ----------
    path : Alignment
        Of ``query``, which is reverse-complemented where ``reverse`` is true, with ``subject``.
    """

    def __init__(
        self, path: Alignment, query: Sequence, subject: Sequence, scoring: Scoring, reverse: bool = False
    ) -> None:
        self.path, self.sequences, self.scoring, self.reverse = path, (query, subject), scoring, reverse

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PathAlignment) and self._compared_parts() == other._compared_parts()

    def __hash__(self) -> int:
        return hash(self._compared_parts())

    def _compared_parts(self) -> tuple[object, ...]:
        return self.query_range, self.subject_range, self.query_row, self.subject_row, self.positive

    @property
    def query_range(self) -> tuple[int, int]:
        """Letters of the query that are aligned."""
        start, end, length = self.path.start[0], self.path.end[0], len(self.sequences[0])
        return (length - end, length - start) if self.reverse else (start, end)

    @property
    def subject_range(self) -> tuple[int, int]:
        """Letters of the subject that are aligned."""
        return self.path.start[1], self.path.end[1]

    @cached_property
    def _aligned_rows(self) -> tuple[bytes, bytes]:
        top, bottom = self.path.gapped_rows(*self.sequences)
        return top.encode("ascii"), bottom.encode("ascii")

    @property
    def query_row(self) -> bytes:
        """The row of the query."""
        return self._aligned_rows[0]

    @property
    def subject_row(self) -> bytes:
        """The row of the subject."""
        return self._aligned_rows[1]

    @property
    def _compiled_texts(self) -> ModuleType:
        from antidiag.kernels.pairwise import difference_strings  # compiled code, which not every table needs

        return difference_strings

    @cached_property
    def _column_kinds(self) -> np.ndarray:
        return self._compiled_texts.find_kinds(self.path, *self.sequences)

    @property
    def column_count(self) -> int:
        """Columns of the alignment."""
        return self.path.operations.size

    @property
    def gap_letters(self) -> int:
        """Columns with a gap."""
        return int(np.count_nonzero(self.path.operations))

    @property
    def gap_count(self) -> int:
        """Gaps, each of one or more letters."""
        operations = self.path.operations
        return int(np.count_nonzero(operations[np.diff(operations, prepend=DIAGONAL) != 0]))

    @property
    def identical(self) -> int:
        """Columns of identical letters."""
        return int(np.count_nonzero(self._column_kinds == SAME))

    @cached_property
    def positive(self) -> int:
        """Columns of two letters whose score is positive."""
        return count_positive(self.path, *self.sequences, self.scoring)

    @cached_property
    def cigar(self) -> str:
        """The CIGAR in the style that the user chose."""
        return self._compiled_texts.format_cigar(self.path, self._column_kinds, cigar_style() is CigarStyle.EXTENDED)

    @cached_property
    def md(self) -> str | None:
        """The tag MD of SAM."""
        return self._compiled_texts.format_md(self.path, self._column_kinds, *self.sequences)

    @cached_property
    def cs(self) -> str | None:
        """The tag cs of PAF."""
        return self._compiled_texts.format_cs(self.path, self._column_kinds, *self.sequences)


def count_positive(path: Alignment, query: Sequence, subject: Sequence, scoring: Scoring) -> int:
    """Return the number of columns of two letters whose score is positive."""
    pairs = path.operations[path.operations != LEFT] == DIAGONAL, path.operations[path.operations != UP] == DIAGONAL
    first, second = (
        scoring.matrix.codes[sequence.letter_array[start:end]][paired]
        for sequence, start, end, paired in zip((query, subject), path.start, path.end, pairs, strict=True)
    )
    return int(np.count_nonzero(scoring.scores[first, second] > 0))
