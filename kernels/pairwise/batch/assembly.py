"""From the parts of a batch to its answer: pairs in their own order, and both sequences in the user's."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.pairwise.batch.model import BatchAnswer, BatchPaths, BatchProblem


class AnswerAssembly:
    """Takes the results of parts of a batch, whose rows are the shorter sequences, and makes one answer of them.

    Operations are in the user's order already, and stay in the arrays in which they come.
    """

    def __init__(self, problem: BatchProblem, is_swapped: np.ndarray, paths: bool) -> None:
        count = problem.pair_count
        self.is_swapped, self.has_paths = is_swapped, paths
        self.scores = np.zeros(count, np.int32)
        of_paths = count if paths else 0
        self.starts, self.ends = np.zeros((of_paths, 2), np.int32), np.zeros((of_paths, 2), np.int32)
        self.piece_numbers = np.zeros(of_paths, np.int32)
        self.begins, self.lengths = np.zeros(of_paths, np.int64), np.zeros(of_paths, np.int64)
        self._pieces: list[np.ndarray] = []

    def add_scores(self, numbers: np.ndarray, scores: np.ndarray) -> None:
        """Take the scores of some pairs; later ones replace earlier ones."""
        self.scores[numbers] = scores

    def add_paths(
        self, numbers: np.ndarray, starts: np.ndarray, ends: np.ndarray, offsets: np.ndarray, operations: np.ndarray
    ) -> None:
        """Take the paths of some pairs, cells as (row, column); later ones replace earlier ones."""
        swapped = self.is_swapped[numbers, None]
        self.starts[numbers] = np.where(swapped, starts[:, ::-1], starts)
        self.ends[numbers] = np.where(swapped, ends[:, ::-1], ends)
        self._add_piece(numbers, offsets, operations)

    def add_own_path(self, number: int, start: tuple[int, int], end: tuple[int, int], operations: np.ndarray) -> None:
        """Take the path of a pair whose cells are (first, second)."""
        self.starts[number], self.ends[number] = start, end
        self._add_piece(np.array([number]), np.array([0, operations.size]), operations)

    def _add_piece(self, numbers: np.ndarray, offsets: np.ndarray, operations: np.ndarray) -> None:
        self._pieces.append(operations)
        self.piece_numbers[numbers] = len(self._pieces) - 1
        self.begins[numbers], self.lengths[numbers] = offsets[:-1], np.diff(offsets)

    @property
    def host_bytes(self) -> int:
        """Bytes of what was taken."""
        numbers = self.scores, self.starts, self.ends, self.piece_numbers, self.begins, self.lengths
        arrays: list[np.ndarray] = [*numbers, *self._pieces]
        return sum(array.nbytes for array in arrays)

    def make_answer(self) -> BatchAnswer:
        """Return the answer."""
        if not self.has_paths:
            return BatchAnswer(self.scores)
        pieces = tuple(self._pieces)
        for piece in pieces:
            piece.setflags(write=False)
        return BatchAnswer(
            self.scores, BatchPaths(self.starts, self.ends, pieces, self.piece_numbers, self.begins, self.lengths)
        )
