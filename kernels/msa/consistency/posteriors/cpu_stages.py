"""The stages of consistency-based alignment over all pairs of sequences, on CPU threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.workers import map_on_threads
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency.groups.column_scorer import CpuColumnScorer
from antidiag.kernels.msa.consistency.posteriors import cpu_pairs, cpu_sparse, cpu_strips, sparse_posteriors
from antidiag.kernels.msa.consistency.posteriors.cpu_strips import CELLS, COLUMNS, LANES, PairModelWeights
from antidiag.kernels.msa.consistency.posteriors.pair_models import CUT, PairModel
from antidiag.kernels.msa.consistency.posteriors.pair_tasks import PairTask, list_pair_tasks
from antidiag.kernels.msa.consistency.posteriors.sparse_posteriors import CompressedPairs, SparsePosteriors

FindPairs = Callable[[Sequence[PairModel], Monitor], Iterator[CompressedPairs]]
"""Yields the posteriors of all pairs by some models, which others compute."""

PIECE = 64
"""Pairs of one task of a thread."""

ROWS_ENTRIES = 12
"""Initial capacity, in entries per row and lane."""


def pack_model(model: PairModel, longest: int) -> PairModelWeights:
    """Return a model in the form that compiled code takes."""
    ends, exponents = model.end_weights(longest)
    into, extend, leave = (
        [np.float32(number) for number in kinds] for kinds in (model.into, model.extend, model.leave)
    )
    return PairModelWeights(
        model.odds,
        np.float32(model.match),
        into[0],
        into[1],
        extend[0],
        extend[1],
        leave[0],
        leave[1],
        model.gap_kinds == 2,
        ends,
        exponents,
    )


def allocate_buffers(m: int, n: int, models: int) -> cpu_pairs.PosteriorBuffers:
    """Allocate buffers for a task of sequences of at most m and n letters."""
    borders, row = -(-n // COLUMNS) + 4, (m + 1) * LANES
    return cpu_pairs.PosteriorBuffers(
        np.zeros((models, borders, 4, row), np.float32),
        np.zeros((models, borders, row), np.int32),
        np.zeros(m * CELLS, np.float32),
        np.zeros(m * CELLS, np.float32),
        np.zeros(m * LANES, np.int32),
        np.zeros(ROWS_ENTRIES * m * LANES, np.int64),
    )


@dataclass(frozen=True)
class CpuStages:
    """The `ConsistencyStages` of CPU threads; posteriors below ``cut`` units are dropped.

    Where ``find_pairs`` is given, others compute the posteriors of all pairs.
    """

    run: CpuRun
    cut: int = CUT
    find_pairs: FindPairs | None = None

    def with_monitor(self, monitor: Monitor) -> CpuStages:
        """Return the same stages with another monitor."""
        return replace(self, run=CpuRun(monitor, threads=self.run.threads))

    def make_scorer(self, posteriors: SparsePosteriors, weights: np.ndarray) -> CpuColumnScorer:
        """Return the scorer of columns by these posteriors."""
        return CpuColumnScorer(posteriors, weights, self.run)

    def compute_posteriors(self, sequences: Sequence[np.ndarray], models: Sequence[PairModel]) -> SparsePosteriors:
        """Return posteriors of all pairs of encoded sequences: the root mean square over the models."""
        lengths = np.array([sequence.size for sequence in sequences], np.int64)
        if self.find_pairs:
            with self.run.phase("posteriors"):
                return self.lay_out_pairs(lengths, list(self.find_pairs(models, self.run.monitor)))
        return self.lay_out_pairs(lengths, self.compute_pairs(sequences, models, list_pair_tasks(lengths)))

    def compute_pairs(
        self, sequences: Sequence[np.ndarray], models: Sequence[PairModel], work: Sequence[PairTask]
    ) -> list[CompressedPairs]:
        """Return posteriors of the pairs of some tasks."""
        lengths = np.array([sequence.size for sequence in sequences], np.int64)
        ends = np.cumsum(lengths)
        letters = np.concatenate([*sequences, np.empty(0, np.uint8)])
        longest = int(lengths.max(initial=0))
        parts: list[CompressedPairs] = []
        work = sorted(work, key=lambda task: -task.cells)
        forward = tuple(pack_model(model, longest) for model in models)
        backward = tuple(pack_model(model.reverse_model(), longest) for model in models)
        sizes = [task.cells for task in work]

        def compute(worker: int, task: PairTask) -> None:
            y = np.array(task.others)
            offsets, m = np.stack([ends[y] - lengths[y], ends[y]], 1), int(lengths[task.x])
            space, rows = allocate_buffers(m, int(lengths[y].max()), len(models)), cpu_strips.allocate_strip_row()
            first = int(ends[task.x]) - m
            entries = cpu_pairs.compute_posteriors(
                letters, first, first + m, offsets, forward, backward, space, rows, self.cut, self.run.stop
            )
            while entries > space.words.size:
                space = space._replace(words=np.zeros(entries, np.int64))
                entries = cpu_pairs.compute_posteriors(
                    letters, first, first + m, offsets, forward, backward, space, rows, self.cut, self.run.stop
                )
            if entries < 0:
                return
            pointers = np.empty((y.size, m + 1), np.int32)
            columns, units = np.empty(entries, np.uint16), np.empty(entries, np.uint16)
            starts = cpu_sparse.sort_words(space.words, entries, y.size, m, pointers, columns, units)
            pairs = np.stack([np.full(y.size, task.x), y], 1).astype(np.int32)
            parts.append(
                CompressedPairs(pairs, np.arange(y.size) * (m + 1), starts[:-1], pointers.reshape(-1), columns, units)
            )

        with self.run.phase("posteriors", total=sum(sizes)) as phase:
            phase.share_tasks(work, compute, sizes=sizes)
        return parts

    def compute_accuracies(self, posteriors: SparsePosteriors) -> np.ndarray:
        """Return expected accuracies of all pairs, float64 (n, n): largest sums of posteriors / shorter lengths."""
        made = np.zeros((posteriors.count, posteriors.count))
        with self.run.phase("distances", total=posteriors.count) as phase:
            phase.share_tasks(
                range(posteriors.count),
                lambda worker, x: cpu_sparse.score_accuracies(posteriors.arrays, x, made[x], self.run.stop),
            )
        np.fill_diagonal(made, 0.5)
        return made + made.T

    def apply_consistency(
        self,
        posteriors: SparsePosteriors,
        chosen: np.ndarray,
        of_sequences: np.ndarray,
        own_weight: float,
        round_number: tuple[int, int] = (0, 1),
    ) -> SparsePosteriors:
        """Apply one round of consistency through the ``chosen`` sequences of each sequence (int32, n rows)."""
        parts: list[CompressedPairs] = []
        of_sequences, relative = of_sequences.astype(np.float32), np.float32(own_weight)
        pairs = np.stack(np.triu_indices(posteriors.count, 1), 1).astype(np.int32)
        before, whole = round_number

        def compute(worker: int, number: int) -> None:
            some = pairs[number * PIECE : (number + 1) * PIECE]
            m = posteriors.lengths[some[:, 0]]
            rows, begins = np.cumsum(m + 1) - (m + 1), np.zeros(len(some), np.int64)
            pointers = np.zeros(int((m + 1).sum()), np.int32)
            columns, units = (np.empty(int(ROWS_ENTRIES * m.sum()) + 64, np.uint16) for _ in range(2))
            done = entries = 0
            while True:
                done, entries = cpu_sparse.transform_pairs(
                    posteriors.arrays,
                    some,
                    done,
                    chosen,
                    of_sequences,
                    relative,
                    self.cut,
                    pointers,
                    rows,
                    begins,
                    columns,
                    units,
                    entries,
                    self.run.stop,
                )
                if done == len(some) or self.run.stop[0]:
                    break
                columns, units = (np.concatenate([array, np.empty_like(array)]) for array in (columns, units))
            parts.append(
                CompressedPairs(some, rows, begins, pointers, columns[:entries].copy(), units[:entries].copy())
            )

        total = -(-len(pairs) // PIECE)
        with self.run.phase("consistency", total=whole * total) as phase:
            phase.share_tasks(
                range(total), compute, report=lambda: phase.report(before * total + int(phase.done.sum()))
            )
        return self.lay_out_pairs(posteriors.lengths, parts)

    def lay_out_pairs(self, lengths: np.ndarray, parts: Sequence[CompressedPairs]) -> SparsePosteriors:
        """Return all pairs of all parts as one `SparsePosteriors`."""
        made = sparse_posteriors.allocate_pairs(lengths, parts)
        pieces = [(part, first) for part in parts for first in range(0, len(part.pairs), PIECE)]

        def put(piece: tuple[CompressedPairs, int]) -> None:
            part, first = piece
            cpu_sparse.store_pairs(made.arrays, part, first, min(first + PIECE, len(part.pairs)), self.run.stop)

        map_on_threads(put, pieces, self.run.threads, self.run.monitor.check)
        return made
