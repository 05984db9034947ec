"""From the slices of a batch to its answer: pairs in their own order, and both sequences in the user's."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.pairwise.batch.model import BatchAnswer, BatchPaths, BatchProblem
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP

EXCHANGED = np.zeros(256, np.uint8)
EXCHANGED[[DIAGONAL, UP, LEFT]] = DIAGONAL, LEFT, UP
"""Operations where the rows of the table are the second sequence."""


class AnswerAssembly:
    """Takes the results of slices, whose rows are the shorter sequences, and joins them to one answer."""

    def __init__(self, problem: BatchProblem, is_swapped: np.ndarray, paths: bool) -> None:
        count = problem.pair_count
        self.is_swapped = is_swapped
        self.scores = np.zeros(count, np.int32)
        self.starts = np.zeros((count if paths else 0, 2), np.int32)
        self.ends = np.zeros_like(self.starts)
        self.path_lengths = np.zeros(count if paths else 0, np.int64)
        self.paths = paths
        self._pieces: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def add_scores(self, numbers: np.ndarray, scores: np.ndarray) -> None:
        """Take the scores of some pairs; later ones replace earlier ones."""
        self.scores[numbers] = scores

    def add_paths(
        self,
        numbers: np.ndarray,
        scores: np.ndarray,
        starts: np.ndarray,
        ends: np.ndarray,
        offsets: np.ndarray,
        operations: np.ndarray,
    ) -> None:
        """Take the paths of some pairs, cells as (row, column); later ones replace earlier ones."""
        self.add_scores(numbers, scores)
        swapped = self.is_swapped[numbers, None]
        self.starts[numbers] = np.where(swapped, starts[:, ::-1], starts)
        self.ends[numbers] = np.where(swapped, ends[:, ::-1], ends)
        self.path_lengths[numbers] = np.diff(offsets)
        self._pieces.append((numbers, offsets, operations))

    def add_own_path(self, number: int, start: tuple[int, int], end: tuple[int, int], operations: np.ndarray) -> None:
        """Take the path of a pair whose cells and operations are in the user's order."""
        self.starts[number], self.ends[number], self.path_lengths[number] = start, end, operations.size
        if self.is_swapped[number]:
            operations = EXCHANGED[operations]
        self._pieces.append((np.array([number]), np.array([0, operations.size]), operations))

    @property
    def host_bytes(self) -> int:
        """Bytes of what was taken."""
        held = sum(sum(array.nbytes for array in piece) for piece in self._pieces)
        return self.scores.nbytes + self.starts.nbytes + self.ends.nbytes + self.path_lengths.nbytes + held

    def join(self) -> BatchAnswer:
        """Return the answer."""
        if not self.paths:
            return BatchAnswer(self.scores)
        offsets = np.concatenate([[0], np.cumsum(self.path_lengths)])
        operations = np.empty(int(offsets[-1]), np.uint8)
        for numbers, from_offsets, taken in self._pieces:
            _place_operations(numbers, from_offsets, taken, self.is_swapped, EXCHANGED, offsets, operations)
        return BatchAnswer(self.scores, BatchPaths(self.starts, self.ends, operations, offsets))


@cached_njit
def _place_operations(numbers, from_offsets, taken, is_swapped, exchanged, offsets, operations):
    """Copy the operations of pairs to their places; of a pair that was computed again the later ones remain."""
    for at in range(numbers.size):
        number = numbers[at]
        count = from_offsets[at + 1] - from_offsets[at]
        if count != offsets[number + 1] - offsets[number]:
            continue
        source = taken[from_offsets[at] : from_offsets[at + 1]]
        target = operations[offsets[number] : offsets[number + 1]]
        if is_swapped[number]:
            for k in range(count):
                target[k] = exchanged[source[k]]
        else:
            target[:] = source
