"""Work on a given alignment by posteriors: add sequences, refine rows, compute confidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from antidiag.kernels.alignments.column_confidence import CONFIDENCE_TAGS
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.io.alignment_formats.raw_alignment import DESCRIPTION
from antidiag.kernels.msa.consistency import method_run
from antidiag.kernels.msa.consistency.given_alignment import NONE, ONCE, GivenProblem
from antidiag.kernels.msa.consistency.groups.group_aligner import GroupAligner, Split, is_better
from antidiag.kernels.msa.consistency.recipe import make_recipe
from antidiag.kernels.msa.consistency.solver import ConsistencyStages, PreparedAlignment, prepare_alignment
from antidiag.kernels.msa.consistency.stage_observer import StageObserver
from antidiag.kernels.msa.problem import CONFIDENCE, MsaAnswer

MOST_PASSES = 20
"""Maximum passes of "thorough"."""
DRAWN = 30
"""Maximum splits of a pass at columns, and at random."""
ADDING_PASSES = 5
"""Maximum times that each added sequence is aligned again to all others."""
TICKS = 1000
"""Steps of progress in a pass."""


def process_alignment(
    problem: GivenProblem, stages: ConsistencyStages, run: CpuRun, observer: StageObserver
) -> MsaAnswer:
    """Add sequences or refine, as the problem says, and compute confidence; ``observer`` observes each stage."""
    own = make_recipe(problem)
    made = prepare_alignment(
        method_run.encode_sequences(problem), own, stages, run, observer, method_run.given_guide(problem)
    )
    aligner = made.make_aligner(run)
    there, columns = place_given_rows(aligner, problem)
    new = np.arange(there, aligner.count)
    if new.size:
        with observer.stage("adding"):
            columns = add_sequences(aligner, made.accuracies, there, columns)
        with observer.stage("refinement"):
            columns = settle_sequences(aligner, new, columns)
    elif problem.rules.refinement != NONE:
        passes = 1 if problem.rules.refinement == ONCE else MOST_PASSES
        with observer.stage("refinement"):
            columns = refine_rows(aligner, made, columns, passes, own.seed)
    with observer.stage("confidence"):
        found = made.finish_alignment(aligner, columns)
    return copy_annotations(problem, method_run.make_consistency_answer(problem, found))


def copy_annotations(problem: GivenProblem, made_answer: MsaAnswer) -> MsaAnswer:
    """Copy annotations of the given alignment: those of rows, and of columns and letters if it is unchanged."""
    alignment, given = made_answer.alignment, problem.alignment
    if alignment.names == given.names and np.array_equal(alignment.letters, given.letters):
        confident = [note for note in alignment.annotations.of_columns if note[0] == CONFIDENCE]
        kept = [note for note in given.annotations.of_columns if note[0] not in CONFIDENCE_TAGS]
        notes = replace(given.annotations, of_columns=(*kept, *confident))
        return replace(made_answer, alignment=replace(given, annotations=notes))
    rows = [note for note in given.annotations.of_rows if note[1] != DESCRIPTION]
    notes = replace(alignment.annotations, of_rows=(*alignment.annotations.of_rows, *rows))
    return replace(made_answer, alignment=replace(alignment, annotations=notes))


def place_given_rows(aligner: GroupAligner, problem: GivenProblem) -> tuple[int, int]:
    """Place the letters of given rows; return the number of rows with letters, and of columns."""
    letters = problem.letters
    places = [np.flatnonzero(row != GAP) for row in letters]
    flat = np.concatenate(places)
    aligner.places[: flat.size] = flat
    return sum(one.size > 0 for one in places), letters.shape[1]


def add_sequences(aligner: GroupAligner, accuracies: np.ndarray, given_count: int, columns: int) -> int:
    """Align the sequences after the first ``there`` to the others, nearest first; return the number of columns."""
    total = aligner.count
    members, left = np.arange(given_count), np.arange(given_count, total)
    while left.size:
        aligner.run.monitor.update(members.size - given_count, total - given_count, "adding")
        nearest = int(accuracies[np.ix_(left, members)].max(axis=1).argmax())
        new, size = left[nearest : nearest + 1], (columns, int(aligner.lengths[left[nearest]]))
        columns = aligner.join_groups(members, new, size)
        members, left = np.append(members, new), np.delete(left, nearest)
    aligner.run.monitor.update(total - given_count, total - given_count, "adding")
    return columns


def settle_sequences(aligner: GroupAligner, new: np.ndarray, columns: int) -> int:
    """Align each new sequence again to all others until the score stops improving; columns of the others stay."""
    everyone = np.arange(aligner.count)
    splits = [(np.delete(everyone, x), everyone[x : x + 1]) for x in new.tolist()]
    return _repeat_passes(aligner, lambda columns: splits, columns, ADDING_PASSES)


def refine_rows(
    aligner: GroupAligner, prepared_alignment: PreparedAlignment, columns: int, passes: int, seed: int
) -> int:
    """Split rows at tree edges, at columns and at random; keep merges that raise expected accuracy.

    Stops after ``passes`` passes, or when the score stops improving.
    """
    random, edges = np.random.default_rng(seed), edge_splits(prepared_alignment.joins)

    def splits(columns: int) -> list[Split]:
        return [
            *edges,
            *column_splits(aligner, columns, random),
            *random_splits(len(prepared_alignment.weights), random),
        ]

    return _repeat_passes(aligner, splits, columns, passes)


def edge_splits(joins: np.ndarray) -> list[Split]:
    """Return the leaves on both sides of each edge; the two edges at the root count once."""
    n = len(joins) + 1
    below = [np.array([x]) for x in range(n)]
    for first, second in joins[:-1].tolist():
        below.append(np.sort(np.concatenate([below[first], below[second]])))
    leave = int(joins[-1, 1]) if n > 1 else 0
    return [(one, np.setdiff1d(np.arange(n), one)) for node, one in enumerate(below) if node != leave]


def column_splits(aligner: GroupAligner, columns: int, random: np.random.Generator) -> list[Split]:
    """Return splits by rows with and without a letter at random columns, each split once."""
    everyone, lengths = np.arange(aligner.count), aligner.lengths
    there = np.zeros((columns, everyone.size), bool)
    there[aligner.places, np.repeat(everyone, lengths)] = True
    _, firsts = np.unique(np.packbits(there, axis=1), axis=0, return_index=True)
    parting = there[np.sort(firsts)]
    parting = parting[~parting.all(axis=1)]
    drawn = parting[random.permutation(len(parting))[:DRAWN]]
    return [(everyone[row], everyone[~row]) for row in drawn]


def random_splits(n: int, random: np.random.Generator) -> list[Split]:
    """Return random splits; each row is on either side with equal probability."""
    sides = random.random((DRAWN, n)) < 0.5
    return [(np.flatnonzero(side), np.flatnonzero(~side)) for side in sides if side.any() and not side.all()]


def _repeat_passes(aligner: GroupAligner, splits: Callable[[int], list[Split]], columns: int, passes: int) -> int:
    """Try all splits in each pass until nothing changes; return the number of columns."""
    for number in range(passes):
        before, parted, done, together = aligner.places.copy(), splits(columns), 0, 1
        while done < len(parted):
            aligner.run.monitor.update(number * TICKS + done * TICKS // len(parted), passes * TICKS, "refinement")
            some = parted[done : done + together]
            tried, columns = aligner.try_splits(some, columns, is_better)
            done += tried
            together = min(2 * together, aligner.most_trials(columns)) if tried == len(some) else 1
        if np.array_equal(aligner.places, before):
            break
    aligner.run.monitor.update(passes * TICKS, passes * TICKS, "refinement")
    return columns
