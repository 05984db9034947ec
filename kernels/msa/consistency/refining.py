"""An alignment that is given, by posteriors: sequences added, its rows parted and merged again, its confidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from antidiag.kernels.io.aligned import GAP
from antidiag.kernels.io.aligned_confidence import TAGS
from antidiag.kernels.io.alignment_files.rows import DESCRIPTION
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import running
from antidiag.kernels.msa.consistency.engine import Prepared, Stages, prepared
from antidiag.kernels.msa.consistency.given import NONE, ONCE, GivenProblem
from antidiag.kernels.msa.consistency.merging import Aligner, Split, better
from antidiag.kernels.msa.consistency.recipe import recipe
from antidiag.kernels.msa.consistency.telling import Told
from antidiag.kernels.msa.problem import CONFIDENCE, MsaAnswer

MOST_PASSES = 20
"""Passes of "thorough" at most."""
DRAWN = 30
"""Columns, and halves of the rows by chance, at which a pass parts them at most."""
ADDING_PASSES = 5
"""How often each added sequence is aligned again to all others, at most."""
TICKS = 1000
"""Parts of a pass that progress is told in."""


def answer(problem: GivenProblem, stages: Stages, threads: int, monitor: Monitor, stage: Told) -> MsaAnswer:
    """Add or refine, as the problem wants it, and judge; ``stage`` is told whenever a stage has ended."""
    own = recipe(problem)
    made = prepared(running.codes(problem), own, stages, threads, monitor, stage, running.guide_of(problem))
    aligner = made.aligner(threads)
    there, columns = stand(aligner, problem)
    new = np.arange(there, aligner.count)
    if new.size:
        columns = add(aligner, made.accuracies, there, columns, monitor)
        stage("adding")
        columns = settle(aligner, new, columns, monitor)
        stage("refinement")
    elif problem.rules.refinement != NONE:
        passes = 1 if problem.rules.refinement == ONCE else MOST_PASSES
        columns = refine(aligner, made, columns, passes, own.seed, monitor)
        stage("refinement")
    found = made.aligned(aligner, columns, monitor)
    stage("confidence")
    return annotated(problem, running.told(problem, found))


def annotated(problem: GivenProblem, found: MsaAnswer) -> MsaAnswer:
    """With what the given alignment says of its rows; and of columns and letters, where it is the same."""
    alignment, given = found.alignment, problem.alignment
    if alignment.names == given.names and np.array_equal(alignment.letters, given.letters):
        confident = [note for note in alignment.annotations.of_columns if note[0] == CONFIDENCE]
        kept = [note for note in given.annotations.of_columns if note[0] not in TAGS]
        notes = replace(given.annotations, of_columns=(*kept, *confident))
        return replace(found, alignment=replace(given, annotations=notes))
    rows = [note for note in given.annotations.of_rows if note[1] != DESCRIPTION]
    notes = replace(alignment.annotations, of_rows=(*alignment.annotations.of_rows, *rows))
    return replace(found, alignment=replace(alignment, annotations=notes))


def stand(aligner: Aligner, problem: GivenProblem) -> tuple[int, int]:
    """Let the letters of rows stand in their columns; how many rows have letters, and how many columns there are."""
    letters = problem.letters
    places = [np.flatnonzero(row != GAP) for row in letters]
    flat = np.concatenate(places)
    aligner.places[: flat.size] = flat
    return sum(one.size > 0 for one in places), letters.shape[1]


def add(aligner: Aligner, accuracies: np.ndarray, there: int, columns: int, monitor: Monitor) -> int:
    """Align the sequences after the first ``there`` to those, one after another, that which is nearest to any first."""
    total = aligner.count
    members, left = np.arange(there), np.arange(there, total)
    while left.size:
        monitor.update(members.size - there, total - there, "adding")
        nearest = int(accuracies[np.ix_(left, members)].max(axis=1).argmax())
        new, size = left[nearest : nearest + 1], (columns, int(aligner.lengths[left[nearest]]))
        columns = aligner.joined(members, new, size, monitor)
        members, left = np.append(members, new), np.delete(left, nearest)
    monitor.update(total - there, total - there, "adding")
    return columns


def settle(aligner: Aligner, new: np.ndarray, columns: int, monitor: Monitor) -> int:
    """Align each of ``new`` again to all others, until nothing rises; the columns of the others stay."""
    everyone = np.arange(aligner.count)
    splits = [(np.delete(everyone, x), everyone[x : x + 1]) for x in new.tolist()]
    return _passes(aligner, lambda columns: splits, columns, ADDING_PASSES, monitor)


def refine(aligner: Aligner, made: Prepared, columns: int, passes: int, seed: int, monitor: Monitor) -> int:
    """Part the rows at every edge of the tree, at columns, and at random; merge again what has more expected accuracy.

    So many passes at most, until nothing rises.
    """
    random, edges = np.random.default_rng(seed), edge_splits(made.joins)

    def splits(columns: int) -> list[Split]:
        return [*edges, *column_splits(aligner, columns, random), *random_splits(len(made.weights), random)]

    return _passes(aligner, splits, columns, passes, monitor)


def edge_splits(joins: np.ndarray) -> list[Split]:
    """The leaves on both sides of each edge; the two edges at the root are one."""
    n = len(joins) + 1
    below = [np.array([x]) for x in range(n)]
    for first, second in joins[:-1].tolist():
        below.append(np.sort(np.concatenate([below[first], below[second]])))
    leave = int(joins[-1, 1]) if n > 1 else 0
    return [(one, np.setdiff1d(np.arange(n), one)) for node, one in enumerate(below) if node != leave]


def column_splits(aligner: Aligner, columns: int, random: np.random.Generator) -> list[Split]:
    """Rows with and without a letter there, of columns drawn at random, each such parting once."""
    everyone, lengths = np.arange(aligner.count), aligner.lengths
    there = np.zeros((columns, everyone.size), bool)
    there[aligner.places, np.repeat(everyone, lengths)] = True
    _, firsts = np.unique(np.packbits(there, axis=1), axis=0, return_index=True)
    parting = there[np.sort(firsts)]
    parting = parting[~parting.all(axis=1)]
    drawn = parting[random.permutation(len(parting))[:DRAWN]]
    return [(everyone[row], everyone[~row]) for row in drawn]


def random_splits(n: int, random: np.random.Generator) -> list[Split]:
    """Rows parted by chance, each as likely on either side."""
    sides = random.random((DRAWN, n)) < 0.5
    return [(np.flatnonzero(side), np.flatnonzero(~side)) for side in sides if side.any() and not side.all()]


def _passes(aligner: Aligner, splits: Callable[[int], list[Split]], columns: int, passes: int, monitor: Monitor) -> int:
    for number in range(passes):
        before, parted, done, together = aligner.places.copy(), splits(columns), 0, 1
        while done < len(parted):
            monitor.update(number * TICKS + done * TICKS // len(parted), passes * TICKS, "refinement")
            some = parted[done : done + together]
            tried, columns = aligner.tried(some, columns, better, monitor)
            done += tried
            together = min(2 * together, aligner.most_trials) if tried == len(some) else 1
        if np.array_equal(aligner.places, before):
            break
    monitor.update(passes * TICKS, passes * TICKS, "refinement")
    return columns
