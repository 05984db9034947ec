"""Trials of the methods for many sequences: families, repeats, short, empty and equal sequences."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.msa import trials as msa_trials
from antidiag.kernels.msa.consistency.given_alignment import GivenProblem
from antidiag.kernels.msa.consistency.given_alignment_trials import insert_random_gaps
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.parttree import reference
from antidiag.kernels.parttree.problem import MEDOID, PARTTREE, SINGLE, PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.progressive import alignment_rules
from antidiag.kernels.trees.distances.trials import AMINO_ACIDS, BASES, random_family
from antidiag.kernels.trees.trials import check_read_back, path_lengths, thread_parameters
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials

MOST, LARGER, LONGEST = 40, 300, 60
SHORT = 4, 6
MEDOIDS = 4
"""References of a large family: with two there is a group for every few sequences, which takes long."""
REPEATED = 700
"""Letters of a repeat: more of one word than a byte can count."""
SILENT = frozenset({"words", "sequence setup", "reference maps", "retrieval", "return"})


def draw_problem(choose: TrialChooser, largest: int = MOST) -> PartTreeProblem:
    """Draw a problem."""
    kind = choose.choose_one((SequenceType.PROTEIN, SequenceType.DNA))
    letters = BASES if kind == SequenceType.DNA else choose.choose_one(("ACDE", AMINO_ACIDS))
    random = choose.make_generator()
    found = list(random_family(random, choose.draw_integer(1, largest), LONGEST, letters, kind))
    special = choose.choose_one(("none", "none", "equal", "equal", "empty", "empty", "repeats"))
    if special == "equal":
        found += [found[at] for at in random.integers(0, len(found), 4)]
    if special == "empty":
        found += [replace(found[0], letters=text) for text in (b"", b"A", b"ACA", b"")]
    if special == "repeats":
        found += [
            replace(found[0], letters=b"A" * REPEATED + one.letters + b"C" * size)
            for one, size in zip(found[:3], (REPEATED, 300, 2), strict=False)
        ]
    return PartTreeProblem(rename_sequences(found), choose.choose_one((2, 3, 5, 12)), choose.draw_integer(0, 3))


def rename_sequences(sequences: Sequences[Sequence]) -> tuple[Sequence, ...]:
    """Return the sequences with distinct names."""
    return tuple(replace(one, name=f"s{number}") for number, one in enumerate(sequences))


Expected = Callable[[str], PartTreeAnswer]
"""The right tree by a criterion."""


def textbook_trees(problem: PartTreeProblem) -> Expected:
    """Return the right trees; each is made when it is asked for."""
    return partial(_textbook_tree, problem)


@lru_cache(maxsize=64)
def _textbook_tree(problem: PartTreeProblem, criterion: str) -> PartTreeAnswer:
    """Return the right tree by a criterion."""
    return {PARTTREE: reference.build_part_tree, SINGLE: reference.single_linkage, MEDOID: reference.medoid_tree}[
        criterion
    ](problem)


def check_same(
    problem: PartTreeProblem, found: PartTreeAnswer, expected: PartTreeAnswer | Expected, method: Method
) -> None:
    """Check for the same tree, to the last bit for PartTree; for the other criteria the same height of each pair.

    There the order of equal distances is open.
    """
    right = expected if isinstance(expected, PartTreeAnswer) else expected(method.criterion)
    if method.criterion in (SINGLE, MEDOID):
        one, other = path_lengths(found.tree), path_lengths(right.tree)
        order = [other.names.index(name) for name in one.names]
        np.testing.assert_allclose(one.values, other.values[np.ix_(order, order)], rtol=1e-5, atol=1e-5)
        return
    assert found.tree == right.tree, "the trees differ"
    np.testing.assert_array_equal(found.splits, right.splits)
    np.testing.assert_array_equal(found.references, right.references)


def repeat_sequences(problem: PartTreeProblem) -> PartTreeProblem:
    """Return a problem with every sequence twice: the recursion is over different ones, and stays the same."""
    copies = [replace(one, name=f"{one.name}b") for one in problem.sequences]
    return replace(problem, sequences=(*problem.sequences, *copies))


def _check_same_splits(
    problem: PartTreeProblem, found: PartTreeAnswer, changed: PartTreeAnswer, method: Method
) -> None:
    """Check that the splits did not change."""
    np.testing.assert_array_equal(found.splits, changed.splits)


@lru_cache(maxsize=8)
def random_proteins(count: int, shortest: int = 130, longest: int = 149, seed: int = 1) -> tuple[Sequence, ...]:
    """Return random proteins of such lengths, as in the paper's synthetic sets."""
    random = np.random.default_rng(seed)
    ends = np.concatenate([[0], np.cumsum(random.integers(shortest, longest + 1, count))])
    letters = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)[random.integers(0, 20, ends[-1])].tobytes()
    return tuple(
        Sequence(f"syn{number}", letters[ends[number] : ends[number + 1]], SequenceType.PROTEIN)
        for number in range(count)
    )


def many_sequences(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a problem of many sequences; short ones where all pairs are compared letter by letter."""
    lengths = SHORT if method.criterion == SINGLE else ()
    references = MEDOIDS if method.criterion == MEDOID else 2
    return PartTreeProblem(random_proteins(64 * size, *lengths), references), thread_parameters(method, 2)


def long_sequences(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a problem of long sequences."""
    return PartTreeProblem(random_proteins(40 * size), 1000), thread_parameters(method, 2)


PART_TREE = Trials(
    draw_problem=draw_problem,
    solve_by_textbook=textbook_trees,
    assert_same_answer=check_same,
    make_large_problem=many_sequences,
    make_long_problem=long_sequences,
    draw_larger_problem=lambda choose: draw_problem(choose, LARGER),
    symmetries=(ProblemSymmetry("every sequence twice", repeat_sequences, _check_same_splits),),
    phases_without_steps=lambda method, backend: SILENT,
    assert_read_back=check_read_back,
)


def _alignment_problem_type() -> ProblemType:
    from antidiag.kernels.parttree import ALIGNMENT_PROBLEM  # imports these trials

    return ALIGNMENT_PROBLEM


def _draw_alignment(choose: TrialChooser, largest: int, longest: int) -> Any:
    """Draw a problem of an alignment."""
    options = {
        "guide": choose.choose_one((None, *alignment_rules.GUIDES)),
        "growth": choose.choose_one((0.0, 0.5)),
        "references": choose.choose_one((2, 5)),
        "passes": choose.choose_one((1, 1, 2)),
        "refine_top": choose.choose_one((0, 0, 3)),
    }
    data: tuple[Any, ...] = msa_trials.draw_sequences(choose, largest, longest)
    taxa = [one.name for one in data if len(one)]
    if choose.choose_one((False, False, True)):
        data += (msa_trials.draw_random_tree(taxa, choose.make_generator()),)
    return _alignment_problem_type().make_problem(data, options)


COPIES, LOOPS, CHANGED, LONGER = 32, 20, 0.3, 0.5
"""A family with a core: copies of each sequence, letters between two loops, share of changed letters of the core, and
the chance that a loop continues."""


@lru_cache(maxsize=4)
def conserved_family(count: int, length: int) -> tuple[Sequence, ...]:
    """Return a family like real ones: a core of ``length`` letters, loops at a few places, many members several times.

    Families of `kernels.msa.trials` have gaps anywhere, get more columns than any real one of this size (see
    `kernels.parttree.sizes.WIDENED`), and take long where they are large.
    """
    letters, different = np.frombuffer(AMINO_ACIDS.encode(), np.uint8), -(-count // COPIES)
    start, other, change, number, filling = np.random.default_rng(1).spawn(5)
    drawn = other.choice(letters, (different, length))
    core = np.where(change.random(drawn.shape) < CHANGED, drawn, start.choice(letters, length))
    places = np.arange(LOOPS, length, LOOPS)
    loops = number.geometric(LONGER, (different, places.size)) - 1
    before = np.repeat((length * np.arange(different)[:, None] + places).reshape(-1), loops.reshape(-1))
    text = np.insert(core.reshape(-1), before, filling.choice(letters, before.size)).tobytes()
    ends = np.concatenate([[0], np.cumsum(length + loops.sum(axis=1))]).tolist()
    found = [text[first:last] for first, last in pairwise(ends)]
    return tuple(Sequence(f"s{at}", found[at % different], SequenceType.PROTEIN) for at in range(count))


ALIGNMENT = msa_trials.make_trials(
    _alignment_problem_type,
    lambda problem: None,
    make_large_problem=lambda method, backend, size: (
        _alignment_problem_type().make_problem(conserved_family(64 * size, 32), {}),
        {},
    ),
    draw_problem=lambda choose: _draw_alignment(choose, msa_trials.MOST, msa_trials.LONGEST),
    draw_larger_problem=lambda choose: _draw_alignment(choose, 10 * msa_trials.MOST, 4 * msa_trials.LONGEST),
    phases_without_steps=lambda method, backend: frozenset({"rows"}),
)


def _insertion_problem_type() -> ProblemType:
    from antidiag.kernels.parttree.insertion import insertion_problem  # imports these trials

    return insertion_problem.INSERTION_PROBLEM


def _draw_insertion(choose: TrialChooser, largest: int, longest: int) -> Any:
    return _insertion_problem_type().make_problem(
        _split_family(msa_trials.draw_sequences(choose, largest, longest), choose.make_generator()), {}
    )


def _split_family(sequences: tuple[Sequence, ...], random: np.random.Generator) -> tuple[Any, ...]:
    """Return an alignment of two thirds of the sequences, the longest, and the others to insert."""
    sequences = tuple(sorted(sequences, key=len, reverse=True))
    rows = -(-2 * len(sequences) // 3)
    return insert_random_gaps(sequences[:rows], random), *(sequences[rows:] or sequences)


def _check_rows_kept(problem: GivenProblem, found: MsaAnswer, expected: MsaAnswer | None, method: Method) -> None:
    """Check that the given rows keep their alignment."""
    msa_trials.check_equal(problem, found, expected, method)
    rows = found.alignment.letters[: len(problem.alignment.names)]
    kept = rows[:, (rows != GAP).any(axis=0)]
    assert np.array_equal(kept, problem.letters), "the given rows stand otherwise beside each other"


def _insertion_of_size(count: int, length: int) -> ProblemAndParameters:
    sequences = random_proteins(count, length - 4, length + 4)
    return _insertion_problem_type().make_problem(_split_family(sequences, np.random.default_rng(1)), {}), {
        "threads": 2
    }


INSERTION = msa_trials.make_trials(
    _insertion_problem_type,
    lambda problem: None,
    draw_problem=lambda choose: _draw_insertion(choose, msa_trials.MOST, msa_trials.LONGEST),
    draw_larger_problem=lambda choose: _draw_insertion(choose, 10 * msa_trials.MOST, 4 * msa_trials.LONGEST),
    assert_same_answer=_check_rows_kept,
    make_large_problem=lambda method, backend, size: _insertion_of_size(64 * size, 32),
    make_long_problem=lambda method, backend, size: _insertion_of_size(96 * size, 8 * size),
    phases_without_steps=lambda method, backend: frozenset({"profile", "rows"}),
)
