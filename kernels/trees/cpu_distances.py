"""Distances between all pairs on the CPU: tiles of the matrix are tasks of their own, which threads take in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from itertools import count as counting
from itertools import pairwise
from typing import Any

import numpy as np

from kernels.model import Mode, Outcome
from kernels.monitor import Monitor
from kernels.phases import time_ms
from kernels.simd import LANES
from kernels.steps import Steps
from kernels.trees import cpu_identities, cpu_words
from kernels.trees.aligned import distances_of_rows
from kernels.trees.distance_problem import (
    AlignedProblem,
    DistanceAnswer,
    FullProblem,
    KtupleProblem,
    SixmerProblem,
    matrix_of,
)
from kernels.trees.identities import encoded, of_identities
from kernels.trees.pairing import Grouped, grouped
from kernels.trees.tuples import distances_of_chains, tuples
from kernels.trees.words import distances_of_words, sixmers
from kernels.workers import share, stop_word

ROWS_AT_ONCE = 64
FIRST_ROOM = 4096
"""Chains of k-tuples that there is room for at first."""


def distance_full(problem: FullProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """1 - identities / the shorter length of the best alignment of each pair, as ClustalW has it."""
    times_ms = {"compilation": time_ms(partial(_compile_full, problem.mode == Mode.LOCAL)), "transfer": 0.0}
    before = time.perf_counter()
    codes, scores = encoded(problem)
    table = _padded(scores)
    groups = grouped(codes, LANES, table.shape[0] - 1)
    identities = np.zeros((len(codes), len(codes)), np.int32)
    tiles = [
        (row, group) for group in range(len(groups.letters)) for row in range(min(LANES * (group + 1), len(codes)))
    ]
    cells = [groups.lengths[row] * groups.letters[group].size for row, group in tiles]
    costs = np.array([problem.scoring.open, problem.scoring.extend], np.int64)
    stop = stop_word()

    def work() -> Callable[[int], None]:
        state, found = np.empty(4 * LANES * int(groups.lengths[-1]), np.int32), np.empty(LANES, np.int32)
        profile = np.empty(table.shape[1] * LANES, np.int32)

        def one(tile: int) -> None:
            row, group = tiles[tile]
            cpu_identities.count_identities(
                codes[groups.order[row]], groups.letters[group], groups.lane_lengths[group], table.ravel(), costs,
                problem.mode == Mode.LOCAL, stop, state, profile, found,
            )  # fmt: skip
            _place(groups, identities, row, group, found)

        return one

    _take_in_turns(cells, work, parameters["threads"], stop, monitor)
    values = of_identities(identities + identities.T, problem)
    times_ms["alignments"] = (time.perf_counter() - before) * 1e3
    return _outcome(problem, values, times_ms, "full distances")


def distance_6mer(problem: SixmerProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """MAFFT's distance of shared 6-mers; see `words.distances_of_words`."""
    times_ms = {"compilation": time_ms(_compile_words), "transfer": 0.0}
    before = time.perf_counter()
    words, taxa = sixmers(problem.sequences, problem.protein), len(problem.sequences)
    common = np.zeros((taxa, taxa))

    def work() -> Callable[[int], None]:
        def one(row: int) -> None:
            cpu_words.common_words(
                words.words, words.counts, words.starts, words.bins, row, np.array([row + 1, taxa]),
                common[row, row + 1 :],
            )  # fmt: skip

        return one

    weights = [int(words.starts[-1] - words.starts[row + 1]) + 1 for row in range(taxa)]
    _take_in_turns(weights, work, parameters["threads"], stop_word(), monitor)
    values = distances_of_words(words, common + common.T, slice(None), slice(None))
    np.fill_diagonal(values, 0)
    times_ms["words"] = (time.perf_counter() - before) * 1e3
    return _outcome(problem, values, times_ms, "6-mer distances")


def distance_ktuple(problem: KtupleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """ClustalW's fast distance: 1 - the score of the best chain of k-tuples / the shorter length."""
    times_ms = {"compilation": time_ms(_compile_ktuple), "transfer": 0.0}
    before = time.perf_counter()
    taxa, found = len(problem.sequences), tuples(problem)
    words = [found.words[start:end] for start, end in pairwise(found.starts.tolist())]
    places = [found.places[start:end] for start, end in pairwise(found.starts.tolist())]
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    scores, longest, stop = np.zeros((taxa, taxa)), int(lengths.max()), stop_word()

    def work() -> Callable[[int], None]:
        marked, counts = np.empty(2 * longest + 2, np.int32), np.empty(4 * longest + 4, np.int32)
        room = [np.empty((3, FIRST_ROOM), np.int32)]

        def one(column: int) -> None:
            for row in range(column):
                score = -1
                while score < 0 and not stop[0]:
                    score = cpu_words.ktuple_score(
                        words[row], found.word_starts[column], places[column], lengths[column], problem.ktuple,
                        problem.diagonals, problem.window, problem.word_gap, marked, counts, room[0],
                    )  # fmt: skip
                    if score < 0:
                        room[0] = np.empty((3, 2 * room[0].shape[1]), np.int32)
                scores[row, column] = score

        return one

    _take_in_turns((lengths[column] * (column + 1) for column in range(taxa)), work, parameters["threads"],
                   stop, monitor)  # fmt: skip
    values = distances_of_chains(problem, scores)
    times_ms["words"] = (time.perf_counter() - before) * 1e3
    return _outcome(problem, values, times_ms, "k-tuple distances")


def distance_alignment(
    problem: AlignedProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """Distances between the rows of an alignment; see `aligned.distances_of_rows`."""
    from kernels.distances import checked

    before = time.perf_counter()
    rows = len(problem.alignment.names)
    values, without = distances_of_rows(
        problem.alignment, problem.model, lambda row: monitor.update(row, rows, "columns")
    )
    monitor.update(rows, rows, "columns")
    times_ms = {"compilation": 0.0, "transfer": 0.0, "columns": (time.perf_counter() - before) * 1e3}
    answer = DistanceAnswer(checked(problem.alignment.names, values, problem.alignment.name), without)
    return Outcome(answer, times_ms, values.nbytes)


def _padded(scores: np.ndarray) -> np.ndarray:
    """A row of scores for each letter, and one for no letter, in whole vectors.

    No letter scores so little that no path goes through it.
    """
    letters = len(scores)
    table = np.full((letters + 1, -(-(letters + 1) // LANES) * LANES), NO_LETTER, np.int32)
    table[:-1, :letters] = scores
    return table


NO_LETTER = -(2**29)


def _place(groups: Grouped, identities: np.ndarray, row: int, group: int, found: np.ndarray) -> None:
    """Write the counts of a row with the sequences of a group that come after it, above or below the diagonal."""
    first = group * LANES
    for at in range(max(first, row + 1), min(first + LANES, groups.order.size)):
        identities[groups.order[row], groups.order[at]] = found[at - first]


def _take_in_turns(
    weights: Iterable[int], work: Callable[[], Callable[[int], None]], threads: int, stop: np.ndarray, monitor: Monitor
) -> None:
    """Do tasks 0, 1, ... on threads; ``work()`` makes what does one task. Progress counts their weights."""
    sizes = np.array(list(weights), float)
    numbers, done = counting(), [0.0] * threads

    def take(worker: int) -> None:
        one = work()
        for task in numbers:
            if task >= sizes.size or stop[0]:
                return
            one(task)
            done[worker] += sizes[task]

    def poll() -> None:
        monitor.update(int(1000 * sum(done) / max(sizes.sum(), 1)), 1000, "pairs")

    share(take, threads, stop, poll)


def _outcome(problem: Any, values: np.ndarray, times_ms: dict[str, float], name: str) -> Outcome:
    return Outcome(DistanceAnswer(matrix_of(problem, values, name)), times_ms, 2 * values.nbytes)


@cache
def _compile_full(local: bool) -> None:
    """Compile, or load from the cache folder, by calling with one letter; so do the others."""
    small, letters = np.zeros(1, np.uint8), np.zeros(LANES, np.int32)
    room = np.empty(4 * LANES, np.int32)
    cpu_identities.count_identities(
        small, letters, np.ones(LANES, np.int32), np.zeros(2 * LANES, np.int32), np.zeros(2, np.int64), local,
        stop_word(), room, np.empty(LANES * LANES, np.int32), np.empty(LANES, np.int32),
    )  # fmt: skip


@cache
def _compile_words() -> None:
    one, two = np.zeros(1, np.int32), np.array([0, 1, 1])
    cpu_words.common_words(one, one, two, 1, 0, np.array([1, 2]), np.zeros(1))


@cache
def _compile_ktuple() -> None:
    word, from_to, room = np.zeros(1, np.int32), np.array([0, 1], np.int32), np.zeros((3, 4), np.int32)
    diagonals = np.zeros(4, np.int32), np.zeros(8, np.int32)
    cpu_words.ktuple_score(word, from_to, word, np.int64(1), 1, 1, 1, 1, *diagonals, room)
