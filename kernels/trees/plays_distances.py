"""Distances of pairs step by step: of aligned pairs, shared words, chains of words, and columns of an alignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import rows_of, sequences_of, table_text
from antidiag.kernels.plays.model import (
    GIVEN,
    Case,
    Cell,
    Crossing,
    Formula,
    Held,
    Play,
    Step,
    Table,
    blank,
    names,
    number,
)
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.steps import Steps
from antidiag.kernels.text import counted
from antidiag.kernels.trees.distances import problem as problems
from antidiag.kernels.trees.distances import reference as textbook
from antidiag.kernels.trees.distances.kmers import BASES, GROUPS, K
from antidiag.kernels.trees.distances.problem import AlignedProblem, DistanceAnswer, KtupleProblem, SixmerProblem
from antidiag.kernels.trials import Choose

PAIRS = Parameter("workers", "int", "Multiprocessors", "Pairs of sequences that are compared at once.", default=3,
                  minimum=1, maximum=16, unit="multiprocessors")  # fmt: skip
SEQUENCES = Parameter("sequences", "text", "Sequences", "Parted by commas.",
                      default="GATTACA, GATTTACA, GCTTCA, GCATCCA, TTACAGA")  # fmt: skip
LONG = Parameter("sequences", "text", "Sequences", "Parted by commas; of some ten letters or more.",
                 default="GATTACAGATTACA, GATTACAGTTTACA, GATTCAGATTACA, TTGCATGCATGG, TTGCATCCATGGA")  # fmt: skip
ALIGNMENT = Parameter("alignment", "text", "Alignment", "Rows of one length, parted by commas; - is a gap.",
                      default="GATTACA-GC, GATTTCA-GC, GA-TACATGC, GCTTACATCC")  # fmt: skip


def _lengths(made: Any) -> list[int]:
    return [len(sequence) for sequence in made.sequences]


One = Callable[[Any, int, int], tuple[float, str, int]]
"""Of a problem and two sequences: their distance, how it comes about, and how many cells that took."""


def pairs(made: Any, values: Mapping[str, Any], title: str, one: One, what: str,
          lengths: Callable[[Any], list[int]] = _lengths,
          unit: str = "cell") -> Play:  # fmt: skip
    """Distances of all pairs: as many at once as there are workers, each a comparison of its own, of some ``unit``s."""
    count, workers = len(lengths(made)), values["workers"]
    numbers, at, who = blank((count, count, 1))
    np.fill_diagonal(numbers[:, :, 0], 0)
    at[np.arange(count), np.arange(count), 0] = GIVEN
    told: dict[tuple[int, int], tuple[float, str, int]] = {}
    steps: list[Step] = []
    order = [(j, i) for i, j in combinations(range(count), 2)]
    sizes = lengths(made)
    for first in range(0, len(order), workers):
        here = order[first : first + workers]
        for worker, (j, i) in enumerate(here):
            told[j, i] = one(made, i, j)
            numbers[j, i, 0] = numbers[i, j, 0] = told[j, i][0]
            at[j, i, 0], who[j, i, 0] = len(steps), worker
        cells = sum(told[pair][2] for pair in here)
        steps.append(Step(
            f"{counted(len(here), 'pair')} at once, {what}: {counted(cells, unit)} in all. No pair needs another.",
            held=(Held("shared memory", "both sequences of each pair", sum(sizes[j] + sizes[i] for j, i in here)),),
            crossings=(Crossing("sequences, read", "global memory", sum(sizes[j] + sizes[i] for j, i in here)),
                       Crossing("distances, written", "global memory", 4 * len(here))),
        ))  # fmt: skip
    labels = tuple(f"s{at}" for at in range(1, count + 1))
    table = Table("distances", numbers, at, who, labels, labels, formula="the distance of two sequences")

    def explain(cell: Cell) -> Formula:
        value, text, _ = told[cell[1], cell[2]]
        return Formula(f"d({labels[cell[1]]}, {labels[cell[2]]})", "value", (Case(text, number(value), value),), value)

    return Play(
        title,
        (table,),
        tuple(steps),
        names(workers, "multiprocessor"),
        explain,
        numbers[:, :, 0],
        "distances\n" + table_text(np.round(numbers[:, :, 0], 4)).replace("; ", "\n"),
        unit="pairs",
    )


def one_full(made: Any, i: int, j: int) -> tuple[float, str, int]:
    value = textbook.full(made, i, j)
    shorter = min(len(made.sequences[i]), len(made.sequences[j]))
    same = round((1 - value) * shorter)
    return (
        value,
        f"1 \u2212 {same} identical letters / {shorter} of the shorter",
        (len(made.sequences[i]) * len(made.sequences[j])),
    )


def full_problem(values: Mapping[str, Any]) -> Any:
    """The sequences that were typed."""
    return problems.FULL.make(_several(values), {})


def _several(values: Mapping[str, Any]) -> list[Any]:
    return sequences_of(values["sequences"], "s")


def draw_sequences(choose: Choose) -> dict[str, Any]:
    """A few sequences of one origin."""
    return {"sequences": ", ".join("".join(choose.of("ACGT") for _ in range(choose.integer(3, 8)))
                                   for _ in range(choose.integer(2, 5)))}  # fmt: skip


def agrees_distances(play: Play, answer: Any) -> None:
    """All distances of the textbook, or of the method."""
    found = {(i, j): answer.distances.values[i, j] for i, j in combinations(range(len(play.answer)), 2)} if hasattr(
        answer, "distances") else answer  # fmt: skip
    for (i, j), value in found.items():
        assert abs(play.answer[i, j] - value) < 1e-6, f"{i}, {j}: {play.answer[i, j]}, not {value}"


def one_sixmer(made: SixmerProblem, i: int, j: int) -> tuple[float, str, int]:
    groups = GROUPS if made.protein else BASES
    code = {letter: str(at) for at, letters in enumerate(groups) for letter in letters}
    words = []
    for at in (i, j):
        text = "".join(code.get(letter, "") for letter in made.sequences[at].letters.decode("ascii"))
        words.append(Counter(text[start : start + K] for start in range(len(text) - K + 1)))
    shared, fewer = sum((words[0] & words[1]).values()), min(sum(one.values()) for one in words)
    text = f"(1 \u2212 {shared} shared words / {fewer} of the one with fewer) x a factor of the lengths"
    return textbook.sixmer(made, i, j), text if fewer else "no word of six letters", sum(map(len, words))


def one_aligned(made: AlignedProblem, i: int, j: int) -> tuple[float, str, int]:
    rows = made.alignment.letters[[i, j]]
    both = (rows != GAP).all(axis=0)
    differ = int((rows[0] != rows[1])[both].sum())
    value, columns = textbook.aligned(made, i, j), int(both.sum())
    return value, f"{differ} columns that differ / {columns} in which both have a letter", rows.shape[1]


def chains(made: KtupleProblem, values: Mapping[str, Any]) -> Play:
    """As the method itself counts them: of each pair the letters of the best chain of shared words."""
    from antidiag.kernels.trees.distances.cpu import distance_ktuple  # loads Numba, which other plays do not need

    found: DistanceAnswer = distance_ktuple(made, {"threads": 1}, Monitor(), Steps()).answer

    def one(_: Any, i: int, j: int) -> tuple[float, str, int]:
        value = float(found.distances.values[i, j])
        shorter = min(len(made.sequences[i]), len(made.sequences[j]))
        text = (
            f"1 \u2212 {number(round((1 - value) * shorter, 6))} for the best chain / {shorter} letters of the shorter"
        )
        return value, text, len(made.sequences[i]) + len(made.sequences[j])

    return pairs(made, values, "k-tuple distances", one,
                 f"words of {made.ktuple} on the {made.diagonals} fullest diagonals, chained", unit="word")  # fmt: skip


def agrees_chains(shown: Play, answer: None) -> None:
    """There is no textbook: a distance is below 1 where a word is shared, and 0 of a sequence to itself."""
    values = shown.answer
    assert np.array_equal(values, values.T) and (np.diag(values) == 0).all() and (values <= 1).all()
    for (_, i, j, _), text in ((cell, shown.formula(cell).cases[0].text) for cells in shown.cells_of for cell in cells):
        assert (values[i, j] == 1) == text.startswith("1 \u2212 0 for"), text


def aligned_problem(values: Mapping[str, Any]) -> AlignedProblem:
    """The alignment that was typed."""
    made: AlignedProblem = problems.ALIGNED.make(
        [AlignedSequences(*rows_of(values["alignment"], "alignment"), "alignment")], {}
    )
    return made


def draw_long(choose: Choose) -> dict[str, Any]:
    """A few sequences, some of which share words."""
    root = "".join(choose.of("ACGT") for _ in range(12))
    found = []
    for _ in range(choose.integer(2, 5)):
        start, own = choose.integer(0, 5), "".join(choose.of("ACGT") for _ in range(choose.integer(1, 9)))
        found.append(own + root[start : start + choose.integer(0, 12)])
    return {"sequences": ", ".join(found)}


def draw_rows(choose: Choose) -> dict[str, Any]:
    """Rows with a letter each, and gaps."""
    columns = choose.integer(1, 8)
    rows = ("A" + "".join(choose.of("ACG-") for _ in range(columns - 1)) for _ in range(choose.integer(2, 5)))
    return {"alignment": ", ".join(rows)}


WORDS = Staging((LONG,), (PAIRS,), lambda values: problems.SIXMER.make(_several(values), {}),
                partial(pairs, title="6-mer distances", one=one_sixmer, what="the words that they share", unit="word"),
                draw_long, agrees_distances, lambda made: len(made.sequences) ** 2)  # fmt: skip
CHAINS = Staging((SEQUENCES,), (PAIRS,), lambda values: problems.KTUPLE.make(_several(values), {}), chains,
                 draw_sequences, agrees_chains, lambda made: len(made.sequences) ** 2)  # fmt: skip
COLUMNS = Staging((ALIGNMENT,), (PAIRS,),
                  aligned_problem,
                  partial(pairs, title="Alignment distances", one=one_aligned, what="column by column", unit="column",
                          lengths=lambda made: [made.alignment.letters.shape[1]] * len(made.alignment.names)),
                  draw_rows, agrees_distances, lambda made: len(made.alignment.names) ** 2)  # fmt: skip
FULL_PAIRS = Staging((SEQUENCES,), (PAIRS,), full_problem,
                     partial(pairs, title="Full pairwise distances", one=one_full, what="each a whole alignment"),
                     draw_sequences, agrees_distances, lambda made: len(made.sequences) ** 2)  # fmt: skip
