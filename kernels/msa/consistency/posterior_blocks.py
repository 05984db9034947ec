"""Posteriors of all pairs in blocks, which workers compute; the caller goes on with those of all blocks.

A block is some tasks of `list_pair_tasks` that follow each other, with the models of one variant. Its posteriors travel
as pairs, pointers of the rows, columns and units: 4 bytes a row and a posterior.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from antidiag.kernels.memory import Footprint
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import sizes
from antidiag.kernels.msa.consistency.posteriors.pair_models import PairModel
from antidiag.kernels.msa.consistency.posteriors.pair_tasks import PairTask, list_pair_tasks
from antidiag.kernels.msa.consistency.posteriors.sparse_posteriors import (
    CompressedPairs,
    join_pointers,
)
from antidiag.kernels.msa.consistency.recipe import ConsistencyRecipe, make_recipe
from antidiag.kernels.msa.parameters import PosteriorParameters
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.run_splitting import PieceSource, RunPiece

SENT_ROW_CELLS = 2600
"""Cells whose posteriors an H200 computes in the 110 ns in which a worker sends those of a row."""
MOST_ROWS = 1 << 21
"""Rows of a block, to which less than one task is added: about 80 MB of posteriors of unlike proteins."""


def pays_beside_gpu(problem: MsaProblem, workers: int) -> bool:
    """Return whether workers with GPUs save the GPU of the caller more time than they need to send their posteriors.

    A pair costs the product of its lengths, and is sent as so many rows as one of them has.
    """
    lengths = _filled_lengths(problem).astype(float)
    cells, letters = lengths.sum() ** 2 - (lengths**2).sum(), (lengths.size - 1) * lengths.sum()
    return (workers - 1) * cells > SENT_ROW_CELLS * letters


def drop_guide(problem: MsaProblem) -> MsaProblem:
    """Return the problem without the given tree and distances, which posteriors do not depend on."""
    return replace(problem, tree=None, distances=None)


def list_blocks(problem: MsaProblem, least: int) -> list[RunPiece]:
    """Return the blocks of each variant, of about equal cost in cells; ``least`` of them if there are so many tasks."""
    lengths = _filled_lengths(problem)
    tasks = list_pair_tasks(lengths)
    cells = np.cumsum([task.cells for task in tasks])
    rows = np.cumsum([lengths[task.x] * len(task.others) for task in tasks])
    parts = np.stack([(cells - 1) * least // cells[-1:], rows // MOST_ROWS])
    borders = [0, *(1 + np.flatnonzero(np.diff(parts).any(axis=0))).tolist(), len(tasks)]
    costs = np.concatenate([[0], cells])
    return [
        RunPiece("pairs", {"variant": variant, "first": first, "last": last}, float(costs[last] - costs[first]))
        for variant in range(len(_list_model_sets(make_recipe(problem))))
        for first, last in itertools.pairwise(borders)
        if first < last
    ]


def estimate_block_memory(
    problem: MsaProblem, parameters: PosteriorParameters, numbers: Mapping[str, int], backend: str
) -> Footprint:
    """Estimate the memory of a block: its posteriors as they are found and as a message, and its largest stage."""
    lengths, tasks = _filled_lengths(problem), _select_tasks(problem, numbers)
    rows = sum(int(lengths[task.x]) * len(task.others) for task in tasks)
    return sizes.estimate_block_memory(problem, parameters, rows, backend)


@dataclass(frozen=True)
class PosteriorBlock:
    """What a worker needs for a block beside the sequences: the recipe, its models that are used, and the tasks."""

    recipe: ConsistencyRecipe
    models: tuple[PairModel, ...]
    tasks: list[PairTask]


def open_block(problem: MsaProblem, numbers: Mapping[str, int]) -> PosteriorBlock:
    """Return a block of a problem."""
    recipe = make_recipe(problem)
    models = _list_model_sets(recipe)[numbers["variant"]]
    return PosteriorBlock(recipe, models, _select_tasks(problem, numbers))


def pack_block(parts: Sequence[CompressedPairs]) -> Mapping[str, np.ndarray]:
    """Return the posteriors of a block as arrays that can be sent."""
    return {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("pairs", "pointers", "columns", "units")
    }


def unpack_block(value: Mapping[str, np.ndarray], lengths: np.ndarray) -> CompressedPairs:
    """Return the posteriors of a block that was sent, in arrays of their own, which compiled code can take."""
    pairs, pointers, columns, units = (value[name].copy() for name in ("pairs", "pointers", "columns", "units"))
    return join_pointers(pairs, lengths, pointers, columns, units)


@dataclass(frozen=True)
class BlockPosteriors:
    """The posteriors of a problem that come from blocks."""

    problem: MsaProblem
    source: PieceSource

    def find_pairs(self, models: Sequence[PairModel], monitor: Monitor) -> Iterator[CompressedPairs]:
        """Yield the posteriors of all pairs by some models of the recipe, as blocks of them are computed."""
        variant = _list_model_sets(make_recipe(self.problem)).index(tuple(models))
        blocks = [piece for piece in self.source.pieces if piece.numbers["variant"] == variant]
        lengths = _filled_lengths(self.problem)
        for _, value in self.source.compute_pieces(blocks, monitor):
            yield unpack_block(value, lengths)


def _list_model_sets(recipe: ConsistencyRecipe) -> list[tuple[PairModel, ...]]:
    """Return the models of each variant."""
    return [one.models for one in recipe.variants or (recipe,)]


def _filled_lengths(problem: MsaProblem) -> np.ndarray:
    """Return the lengths of the sequences that have letters, int64."""
    return problem.lengths[problem.lengths > 0]


def _select_tasks(problem: MsaProblem, numbers: Mapping[str, int]) -> list[PairTask]:
    """Return the tasks of a block."""
    return list_pair_tasks(_filled_lengths(problem), chosen=slice(numbers["first"], numbers["last"]))
