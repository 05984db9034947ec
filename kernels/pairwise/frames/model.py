"""Problem, path and answer of a protein against DNA that is read in frames, and the score of a path."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.frames import genetic_codes
from antidiag.kernels.pairwise.frames.genetic_codes import AMINO_LETTERS, NO_CODON, STOP
from antidiag.kernels.scoring import Mode, Scoring, encode_sequence, refuse_overflow
from antidiag.kernels.serialization import stored

CODON, AMINO_GAP, CODON_GAP, SHIFT_BACK, SHIFT_ON = range(5)
"""Operations of a path: an amino acid with a codon; with a gap; a codon with a gap; an amino acid with a codon that
shares a base with the codon before (two new bases), or that skips one (four new bases)."""
OPERATION_BASES = np.array([3, 0, 3, 2, 4])
"""Bases that each operation takes."""
NO_CODON_SCORE = -(2**28)
"""Score of a place without a codon, below every path."""


@stored("frame-problem")
@dataclass(frozen=True)
class FrameProblem:
    """A protein and nucleotides, scores, the cost of a frameshift, a genetic code and the strands to read.

    ``stop`` is the score of a stop codon with an amino acid, or None for that of the matrix. ``mode`` is LOCAL, or
    QUERY_IN_TARGET: the whole protein with a part of the nucleotides. ``strand`` is forward, reverse or both.
    """

    protein: Sequence
    dna: Sequence
    scoring: Scoring
    frameshift: float = 20.0
    stop: float | None = None
    genetic_code: int = 1
    strand: str = "both"
    mode: Mode = Mode.LOCAL

    def __post_init__(self) -> None:
        refuse_overflow(len(self.protein), len(self.dna), self.scoring)

    @property
    def data(self) -> tuple[Sequence, Sequence]:
        """Both sequences."""
        return self.protein, self.dna

    @property
    def sequences(self) -> tuple[Sequence, Sequence]:
        """Both sequences."""
        return self.data

    @property
    def strands(self) -> tuple[int, ...]:
        """The strands to read: 1 forward, -1 reverse."""
        return {"forward": (1,), "reverse": (-1,), "both": (1, -1)}[self.strand]

    @property
    def cells(self) -> int:
        """Number of cells of the matrices of all strands."""
        return len(self.protein) * len(self.dna) * len(self.strands)

    @property
    def is_local(self) -> bool:
        """Whether the best parts of both are aligned."""
        return self.mode is Mode.LOCAL

    @property
    def title(self) -> str:
        """Names of both sequences."""
        return f"{self.protein.name} x {self.dna.name}"

    @property
    def size(self) -> str:
        """Both lengths, the frames and the mode, as text."""
        frames = 3 * len(self.strands)
        return f"{len(self.protein):,} amino acids x {len(self.dna):,} bases, {frames} frames, {self.mode}"

    @property
    def shift_cost(self) -> int:
        """Scaled cost of a frameshift."""
        return round(self.frameshift * self.scoring.scale)

    @cached_property
    def rows(self) -> np.ndarray:
        """Matrix codes of the protein, uint8."""
        return encode_sequence(self.protein, self.scoring)

    @cached_property
    def table(self) -> np.ndarray:
        """Scores of a matrix code with each translated letter and with NO_CODON, int32 (codes, 23)."""
        scores, codes = self.scoring.scores, self.scoring.matrix.codes
        made = np.full((len(scores), NO_CODON + 1), NO_CODON_SCORE, np.int32)
        for place, letter in enumerate(AMINO_LETTERS):
            made[:, place] = scores[:, codes[ord(letter)]] if codes[ord(letter)] >= 0 else scores.min()
        if self.stop is not None:
            own = codes[ord("*")]
            others = np.arange(len(scores)) != own
            made[others, STOP] = round(self.stop * self.scoring.scale)
        return made

    def places(self, strand: int) -> np.ndarray:
        """Return the translated letter of the codon that ends at each place of a strand, uint8 (bases + 1)."""
        return self._forward_places if strand > 0 else self._reverse_places

    @cached_property
    def _forward_places(self) -> np.ndarray:
        return genetic_codes.translate_places(self.dna.letter_array, self.genetic_code, False)

    @cached_property
    def _reverse_places(self) -> np.ndarray:
        return genetic_codes.translate_places(self.dna.letter_array, self.genetic_code, True)

    def widest_path(self, rows: int, score: int) -> int:
        """Return the most bases of a path through ``rows`` amino acids with at least this score.

        A codon against a gap costs at least the extension, and no more can be paid than the best scores of all rows.
        """
        if not self.scoring.extend:
            return len(self.dna)
        best = max(int(self.table.max()), 0)
        spare = max(rows * best - score, 0)
        return min(4 * rows + 3 * (spare // self.scoring.extend), len(self.dna))

    @property
    def least_score(self) -> int:
        """A score that the best path to any cell has at least."""
        return 0 if self.is_local else -self.scoring.open - len(self.protein) * self.scoring.extend

    @property
    def warm_up(self) -> int:
        """Bases before a segment after which its cells are exact."""
        return self.widest_path(len(self.protein), self.least_score)


def is_protein(sequence: Sequence) -> bool:
    """Return whether a sequence is a protein."""
    return sequence.type is SequenceType.PROTEIN


@stored("frame-path")
@dataclass(frozen=True, eq=False)
class FramePath:
    """A path: operations (uint8) from cell ``start`` to ``end``; cell (i, j) lies behind i amino acids and j bases.

    Bases are counted on the strand that is read.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    operations: np.ndarray

    def end_places(self) -> np.ndarray:
        """Return the base behind which each operation ends, int64."""
        return self.start[1] + np.cumsum(OPERATION_BASES[self.operations])

    def amino_acids(self) -> np.ndarray:
        """Return the number of amino acids behind which each operation ends, int64."""
        return self.start[0] + np.cumsum(self.operations != CODON_GAP)


@stored("frame-answer")
@dataclass(frozen=True)
class FrameAnswer:
    """The best score (engine units), the strand (1 or -1), the cell where it ends on it, and the path."""

    score: int
    strand: int
    end: tuple[int, int]
    path: FramePath

    def check(self, problem: FrameProblem) -> None:
        """Rescore the path independently; raise AssertionError where score, ends or mode do not fit."""
        path = self.path
        assert self.strand in problem.strands, f"strand {self.strand} was not asked for"
        assert path.end == self.end, f"path ends at {path.end}, result says {self.end}"
        assert 0 <= path.start[0] <= path.end[0] <= len(problem.protein), "the path leaves the protein"
        assert 0 <= path.start[1] <= path.end[1] <= len(problem.dna), "the path leaves the bases"
        found = rescore_path(problem, self.strand, path)
        assert found == self.score, f"path scores {found}, result says {self.score}"
        if not problem.is_local:
            assert (path.start[0], path.end[0]) == (0, len(problem.protein)), "not the whole protein is aligned"


def rescore_path(problem: FrameProblem, strand: int, path: FramePath) -> int:
    """Return the score of a path, summed operation by operation; raise ValueError where it does not lead to its end."""
    operations, scoring = path.operations, problem.scoring
    ends, rows = path.end_places(), path.amino_acids()
    if operations.size and (int(rows[-1]), int(ends[-1])) != path.end:
        raise ValueError(f"path from {path.start} leads to {(int(rows[-1]), int(ends[-1]))}, not to {path.end}")
    gaps = (operations == AMINO_GAP) | (operations == CODON_GAP)
    pairs = ~gaps
    letters = problem.places(strand)[ends[pairs]]
    total = int(problem.table[problem.rows[rows[pairs] - 1], letters].sum(dtype=np.int64))
    opened = gaps & np.append(True, operations[1:] != operations[:-1])[: gaps.size]
    shifts = int((operations >= SHIFT_BACK).sum())
    return total - shifts * problem.shift_cost - int(opened.sum()) * scoring.open - int(gaps.sum()) * scoring.extend
