"""Walkthroughs of pairwise distances: aligned pairs, shared words, chains of words, and columns of an alignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.text import format_count
from antidiag.kernels.trees.distances import problem as problems
from antidiag.kernels.trees.distances import reference as textbook
from antidiag.kernels.trees.distances.problem import AlignedProblem, DistanceAnswer, KtupleProblem, SixmerProblem
from antidiag.kernels.trees.distances.shared_words.kmers import BASES, GROUPS, K
from antidiag.kernels.trees.parameters import PairParameters
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import (
    GIVEN_STEP,
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    blank_table,
    format_number,
    numbered_names,
)
from antidiag.kernels.walkthroughs.typed_inputs import (
    count_input,
    format_table,
    parse_aligned_rows,
    parse_sequences,
    rows_input,
)
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

PAIRS = count_input("workers", "Multiprocessors", "Pairs of sequences that are compared at once.", 3, "multiprocessors")
SEQUENCES = rows_input("sequences", "Sequences", "Separated by commas.", "GATTACA, GATTTACA, GCTTCA, GCATCCA, TTACAGA")
LONG = rows_input(
    "sequences",
    "Sequences",
    "Separated by commas; of some ten letters or more.",
    "GATTACAGATTACA, GATTACAGTTTACA, GATTCAGATTACA, TTGCATGCATGG, TTGCATCCATGGA",
)
ALIGNMENT = rows_input(
    "alignment",
    "Alignment",
    "Rows of one length, separated by commas; - is a gap.",
    "GATTACA-GC, GATTTCA-GC, GA-TACATGC, GCTTACATCC",
)


def _sequence_lengths(shown_problem: Any) -> list[int]:
    return [len(sequence) for sequence in shown_problem.sequences]


PairDistance = Callable[[Any, int, int], tuple[float, str, int]]
"""``one(problem, i, j)``: the distance of two sequences, how it comes about, and how many cells that took."""


def play_pairs(
    shown_problem: Any,
    values: Mapping[str, Any],
    title: str,
    distance_of: PairDistance,
    description: str,
    lengths: Callable[[Any], list[int]] = _sequence_lengths,
    unit: str = "cell",
) -> Animation:
    """Play distances of all pairs, as many at once as there are workers; each compares some ``unit``s."""
    count, workers = len(lengths(shown_problem)), values["workers"]
    numbers, at, who = blank_table((count, count, 1))
    np.fill_diagonal(numbers[:, :, 0], 0)
    at[np.arange(count), np.arange(count), 0] = GIVEN_STEP
    details: dict[tuple[int, int], tuple[float, str, int]] = {}
    steps: list[AnimationStep] = []
    order = [(j, i) for i, j in combinations(range(count), 2)]
    sizes = lengths(shown_problem)
    for first in range(0, len(order), workers):
        here = order[first : first + workers]
        for worker, (j, i) in enumerate(here):
            details[j, i] = distance_of(shown_problem, i, j)
            numbers[j, i, 0] = numbers[i, j, 0] = details[j, i][0]
            at[j, i, 0], who[j, i, 0] = len(steps), worker
        cells = sum(details[pair][2] for pair in here)
        steps.append(
            AnimationStep(
                f"{format_count(len(here), 'pair')} at once, {description}: {format_count(cells, unit)} in all.",
                held=(
                    HeldData("shared memory", "both sequences of each pair", sum(sizes[j] + sizes[i] for j, i in here)),
                ),
                crossings=(
                    DataCrossing("sequences, read", "global memory", sum(sizes[j] + sizes[i] for j, i in here)),
                    DataCrossing("distances, written", "global memory", 4 * len(here)),
                ),
            )
        )
    labels = tuple(f"s{at}" for at in range(1, count + 1))
    table = AnimationTable("distances", numbers, at, who, labels, labels, formula="the distance of two sequences")

    def explain(cell: Cell) -> CellFormula:
        value, text, _ = details[cell[1], cell[2]]
        return CellFormula(
            f"d({labels[cell[1]]}, {labels[cell[2]]})",
            "value",
            (FormulaCase(text, format_number(value), value),),
            value,
        )

    return Animation(
        title,
        (table,),
        tuple(steps),
        numbered_names(workers, "multiprocessor"),
        explain,
        numbers[:, :, 0],
        "distances\n" + format_table(np.round(numbers[:, :, 0], 4)).replace("; ", "\n"),
        unit="pairs",
    )


def full_distance(shown_problem: Any, i: int, j: int) -> tuple[float, str, int]:
    """Return the distance of an aligned pair."""
    value = textbook.full_distance(shown_problem, i, j)
    shorter = min(len(shown_problem.sequences[i]), len(shown_problem.sequences[j]))
    same = round((1 - value) * shorter)
    return (
        value,
        f"1 \u2212 {same} identical letters / {shorter} of the shorter",
        (len(shown_problem.sequences[i]) * len(shown_problem.sequences[j])),
    )


def parse_full_problem(values: Mapping[str, Any]) -> Any:
    """Return the problem of typed sequences."""
    return problems.FULL_DISTANCES.make_problem(_parse_sequences(values), {})


def _parse_sequences(values: Mapping[str, Any]) -> list[Any]:
    return parse_sequences(values["sequences"], "s")


def draw_sequences(choose: TrialChooser) -> dict[str, Any]:
    """Draw a few short sequences."""
    return {
        "sequences": ", ".join(
            "".join(choose.choose_one("ACGT") for _ in range(choose.draw_integer(3, 8)))
            for _ in range(choose.draw_integer(2, 5))
        )
    }


def check_distances(play: Animation, answer: Any) -> None:
    """Check all distances against the textbook, or the method."""
    found = (
        {(i, j): answer.distances.values[i, j] for i, j in combinations(range(len(play.answer)), 2)}
        if hasattr(answer, "distances")
        else answer
    )
    for (i, j), value in found.items():
        assert abs(play.answer[i, j] - value) < 1e-6, f"{i}, {j}: {play.answer[i, j]}, not {value}"


def sixmer_distance(shown_problem: SixmerProblem, i: int, j: int) -> tuple[float, str, int]:
    """Return the 6-mer distance of a pair."""
    groups = GROUPS if shown_problem.is_protein else BASES
    code = {letter: str(at) for at, letters in enumerate(groups) for letter in letters}
    words = []
    for at in (i, j):
        text = "".join(code.get(letter, "") for letter in shown_problem.sequences[at].letters.decode("ascii"))
        words.append(Counter(text[start : start + K] for start in range(len(text) - K + 1)))
    shared, fewer = sum((words[0] & words[1]).values()), min(sum(one.values()) for one in words)
    text = f"(1 \u2212 {shared} shared words / {fewer} of the one with fewer) x a factor of the lengths"
    return (
        textbook.sixmer_distance(shown_problem, i, j),
        text if fewer else "no word of six letters",
        sum(map(len, words)),
    )


def column_distance(shown_problem: AlignedProblem, i: int, j: int) -> tuple[float, str, int]:
    """Return the distance of two rows."""
    rows = shown_problem.alignment.letters[[i, j]]
    both = (rows != GAP).all(axis=0)
    differ = int((rows[0] != rows[1])[both].sum())
    value, columns = textbook.column_distance(shown_problem, i, j), int(both.sum())
    return value, f"{differ} columns that differ / {columns} in which both have a letter", rows.shape[1]


def play_chains(shown_problem: KtupleProblem, values: Mapping[str, Any]) -> Animation:
    """Play k-tuple distances; the method itself computes them."""
    from antidiag.kernels.trees.distances.cpu import (
        distance_ktuple,
    )  # loads Numba, which other walkthroughs do not need

    found: DistanceAnswer = distance_ktuple(shown_problem, PairParameters(threads=1), Monitor(), StepLog()).answer

    def one(_: Any, i: int, j: int) -> tuple[float, str, int]:
        value = float(found.distances.values[i, j])
        shorter = min(len(shown_problem.sequences[i]), len(shown_problem.sequences[j]))
        text = (
            f"1 \u2212 {format_number(round((1 - value) * shorter, 6))} for the best chain / {shorter} letters "
            "of the shorter"
        )
        return value, text, len(shown_problem.sequences[i]) + len(shown_problem.sequences[j])

    return play_pairs(
        shown_problem,
        values,
        "k-tuple distances",
        one,
        f"words of {shown_problem.ktuple} on the {shown_problem.diagonals} fullest diagonals, chained",
        unit="word",
    )


def check_chains(shown: Animation, answer: None) -> None:
    """Check k-tuple distances without a textbook: a distance is below 1 where a word is shared."""
    values = shown.answer
    assert np.array_equal(values, values.T) and (np.diag(values) == 0).all() and (values <= 1).all()
    for (_, i, j, _), text in (
        (cell, shown.find_formula(cell).cases[0].text) for cells in shown.step_cells for cell in cells
    ):
        assert (values[i, j] == 1) == text.startswith("1 \u2212 0 for"), text


def parse_alignment(values: Mapping[str, Any]) -> AlignedProblem:
    """Return the problem of a typed alignment."""
    made: AlignedProblem = problems.ALIGNMENT_DISTANCES.make_problem(
        [AlignedSequences(*parse_aligned_rows(values["alignment"], "alignment"), "alignment")], {}
    )
    return made


def draw_related_sequences(choose: TrialChooser) -> dict[str, Any]:
    """Draw a few sequences, some of which share words."""
    root = "".join(choose.choose_one("ACGT") for _ in range(12))
    found = []
    for _ in range(choose.draw_integer(2, 5)):
        start = choose.draw_integer(0, 5)
        own = "".join(choose.choose_one("ACGT") for _ in range(choose.draw_integer(1, 9)))
        found.append(own + root[start : start + choose.draw_integer(0, 12)])
    return {"sequences": ", ".join(found)}


def draw_rows(choose: TrialChooser) -> dict[str, Any]:
    """Draw rows with gaps that have a letter each."""
    columns = choose.draw_integer(1, 8)
    rows = (
        "A" + "".join(choose.choose_one("ACG-") for _ in range(columns - 1)) for _ in range(choose.draw_integer(2, 5))
    )
    return {"alignment": ", ".join(rows)}


WORDS = Walkthrough(
    (LONG,),
    (PAIRS,),
    lambda values: problems.SIXMER_DISTANCES.make_problem(_parse_sequences(values), {}),
    partial(
        play_pairs,
        title="6-mer distances",
        distance_of=sixmer_distance,
        description="the words that they share",
        unit="word",
    ),
    draw_related_sequences,
    check_distances,
    lambda made: len(made.sequences) ** 2,
)
CHAINS = Walkthrough(
    (SEQUENCES,),
    (PAIRS,),
    lambda values: problems.KTUPLE_DISTANCES.make_problem(_parse_sequences(values), {}),
    play_chains,
    draw_sequences,
    check_chains,
    lambda made: len(made.sequences) ** 2,
)
COLUMNS = Walkthrough(
    (ALIGNMENT,),
    (PAIRS,),
    parse_alignment,
    partial(
        play_pairs,
        title="Alignment distances",
        distance_of=column_distance,
        description="column by column",
        unit="column",
        lengths=lambda made: [made.alignment.letters.shape[1]] * len(made.alignment.names),
    ),
    draw_rows,
    check_distances,
    lambda made: len(made.alignment.names) ** 2,
)
FULL_PAIRS = Walkthrough(
    (SEQUENCES,),
    (PAIRS,),
    parse_full_problem,
    partial(
        play_pairs, title="Full pairwise distances", distance_of=full_distance, description="each a whole alignment"
    ),
    draw_sequences,
    check_distances,
    lambda made: len(made.sequences) ** 2,
)
