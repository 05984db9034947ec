"""How the guide trees of many sequences are tried: families, repeats, short, empty and equal sequences."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned import GAP
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.msa import trials as msa_trials
from antidiag.kernels.msa.consistency.given import GivenProblem
from antidiag.kernels.msa.consistency.given_trials import gapped
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.parttree import reference
from antidiag.kernels.parttree.problem import MEDOID, PARTTREE, SINGLE, PartTreeAnswer, PartTreeProblem
from antidiag.kernels.trees.distances.trials import AMINO_ACIDS, BASES, family
from antidiag.kernels.trees.trials import path_lengths
from antidiag.kernels.trials import Choose, Run, Symmetry, Trials

MOST, LARGER, LONGEST = 40, 300, 60
SHORT = 4, 6
MEDOIDS = 4
"""Of a large family: with two there is a group for every few sequences, and each takes its time."""
SOME = 300
"""Leaves of a tree that was read whose distances are looked at, about."""
REPEATED = 700
"""Letters of a repeat: more of one word than a byte can count."""
SILENT = frozenset({"words", "sequence setup", "reference maps", "retrieval", "return"})


def draw(choose: Choose, most: int = MOST) -> PartTreeProblem:
    kind = choose.of((SequenceType.PROTEIN, SequenceType.DNA))
    letters = BASES if kind == SequenceType.DNA else choose.of(("ACDE", AMINO_ACIDS))
    random = choose.random()
    found = list(family(random, choose.integer(1, most), LONGEST, letters, kind))
    special = choose.of(("none", "none", "equal", "equal", "empty", "empty", "repeats"))
    if special == "equal":
        found += [found[at] for at in random.integers(0, len(found), 4)]
    if special == "empty":
        found += [replace(found[0], letters=text) for text in (b"", b"A", b"ACA", b"")]
    if special == "repeats":
        found += [replace(found[0], letters=b"A" * REPEATED + one.letters + b"C" * size)
                  for one, size in zip(found[:3], (REPEATED, 300, 2), strict=False)]  # fmt: skip
    return PartTreeProblem(numbered(found), choose.of((2, 3, 5, 12)), choose.integer(0, 3))


def numbered(sequences: Sequences[Sequence]) -> tuple[Sequence, ...]:
    """The sequences with different names."""
    return tuple(replace(one, name=f"s{number}") for number, one in enumerate(sequences))


Expected = Callable[[str], PartTreeAnswer]
"""The right tree by a criterion."""


def textbook(problem: PartTreeProblem) -> Expected:
    """The right trees, each made when it is asked for."""
    return partial(_right, problem)


@lru_cache(maxsize=64)
def _right(problem: PartTreeProblem, criterion: str) -> PartTreeAnswer:
    return {PARTTREE: reference.part_tree, SINGLE: reference.single_linkage, MEDOID: reference.medoids}[criterion](
        problem
    )


def same(
    problem: PartTreeProblem, found: PartTreeAnswer, expected: PartTreeAnswer | Expected,
    method: Method,
) -> None:  # fmt: skip
    """One tree, to the last bit of its lengths, by one recursion; of the others one height of each pair, as which
    of equal distances comes first is open."""
    right = expected if isinstance(expected, PartTreeAnswer) else expected(method.criterion)
    if method.criterion in (SINGLE, MEDOID):
        one, other = path_lengths(found.tree), path_lengths(right.tree)
        order = [other.names.index(name) for name in one.names]
        np.testing.assert_allclose(one.values, other.values[np.ix_(order, order)], rtol=1e-5, atol=1e-5)
        return
    assert found.tree == right.tree, "the trees differ"
    np.testing.assert_array_equal(found.splits, right.splits)
    np.testing.assert_array_equal(found.references, right.references)


def twice(problem: PartTreeProblem) -> PartTreeProblem:
    """Every sequence once more, at the end: the recursion is over different ones, and stays as it is."""
    copies = [replace(one, name=f"{one.name}b") for one in problem.sequences]
    return replace(problem, sequences=(*problem.sequences, *copies))


def _same_twice(problem: PartTreeProblem, found: PartTreeAnswer, changed: PartTreeAnswer, method: Method) -> None:
    np.testing.assert_array_equal(found.splits, changed.splits)


@lru_cache(maxsize=8)
def synthetic(count: int, shortest: int = 130, longest: int = 149, seed: int = 1) -> tuple[Sequence, ...]:
    """Random proteins of such lengths, as those of the paper's synthetic sets."""
    random = np.random.default_rng(seed)
    ends = np.concatenate([[0], np.cumsum(random.integers(shortest, longest + 1, count))])
    letters = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)[random.integers(0, 20, ends[-1])].tobytes()
    return tuple(
        Sequence(f"syn{number}", letters[ends[number] : ends[number + 1]], SequenceType.PROTEIN)
        for number in range(count)
    )


def large(method: Method, backend: str, size: int) -> Run:
    """Many sequences; short ones where all pairs are compared letter by letter, which takes no more memory."""
    lengths = SHORT if method.criterion == SINGLE else ()
    references = MEDOIDS if method.criterion == MEDOID else 2
    return PartTreeProblem(synthetic(64 * size, *lengths), references), _threads(method, 2)


def long(method: Method, backend: str, size: int) -> Run:
    return PartTreeProblem(synthetic(40 * size), 1000), _threads(method, 2)


def _threads(method: Method, count: int) -> dict[str, Any]:
    return {"threads": count} if any(parameter.name == "threads" for parameter in method.parameters) else {}


def read_back(result: Result, data: Sequences[Any]) -> None:
    """The leaves, and how far some of them are apart; files of trees have fewer digits."""
    (tree,) = data
    assert result.answer.tree.taxa == tree.taxa, "the leaves are others"
    one, other = (path_lengths(each, max(len(tree.taxa) // SOME, 1)) for each in (result.answer.tree, tree))
    np.testing.assert_allclose(other.values, one.values, rtol=1e-5, atol=1e-5 * float(one.values.max(initial=0)))


PART_TREE = Trials(
    draw=draw,
    oracle=textbook,
    same=same,
    large=large,
    long=long,
    larger=lambda choose: draw(choose, LARGER),
    symmetries=(Symmetry("every sequence twice", twice, _same_twice),),
    unlogged=lambda method, backend: SILENT,
    read_back=read_back,
)


def _alignment() -> ProblemType:
    from antidiag.kernels.parttree import ALIGNMENT_PROBLEM  # it names these trials

    return ALIGNMENT_PROBLEM


def _drawn(choose: Choose, most: int, longest: int) -> Any:
    options = {"guide": choose.of((None, "parttree", "single-linkage", "medoid")), "growth": choose.of((0.0, 0.5)),
               "references": choose.of((2, 5)), "passes": choose.of((1, 1, 2)),
               "refine_top": choose.of((0, 0, 3))}  # fmt: skip
    data: tuple[Any, ...] = msa_trials.sequences(choose, most, longest)
    taxa = [one.name for one in data if len(one)]
    if choose.of((False, False, True)):
        data += (msa_trials._tree(taxa, choose.random()),)
    return _alignment().make(data, options)


COPIES, LOOPS, CHANGED, LONGER = 32, 20, 0.3, 0.5
"""Of a family with a core: how often each sequence is there, letters between two loops, the share of letters of the
core that are changed, and the chance that a loop goes on."""


@lru_cache(maxsize=4)
def conserved(count: int, length: int, seed: int = 1) -> tuple[Sequence, ...]:
    """A family as real ones are: a core of ``length`` letters in all, loops of any length at a few places, and many
    members several times. Families of `kernels.msa.trials.family`, which have gaps anywhere, get more columns than any
    real one of this size (see `kernels.parttree.sizes.WIDENED`), and take long where they are large."""
    letters, different = np.frombuffer(AMINO_ACIDS.encode(), np.uint8), -(-count // COPIES)
    start, other, change, number, filling = np.random.default_rng(seed).spawn(5)
    drawn = other.choice(letters, (different, length))
    core = np.where(change.random(drawn.shape) < CHANGED, drawn, start.choice(letters, length))
    places = np.arange(LOOPS, length, LOOPS)
    loops = number.geometric(LONGER, (different, places.size)) - 1
    before = np.repeat((length * np.arange(different)[:, None] + places).reshape(-1), loops.reshape(-1))
    text = np.insert(core.reshape(-1), before, filling.choice(letters, before.size)).tobytes()
    ends = np.concatenate([[0], np.cumsum(length + loops.sum(axis=1))]).tolist()
    found = [text[first:last] for first, last in pairwise(ends)]
    return tuple(Sequence(f"s{at}", found[at % different], SequenceType.PROTEIN) for at in range(count))


ALIGNMENT = msa_trials.trials(
    _alignment, lambda problem: None,
    large=lambda method, backend, size: (_alignment().make(conserved(64 * size, 32), {}), {}),
    draw=lambda choose: _drawn(choose, msa_trials.MOST, msa_trials.LONGEST),
    larger=lambda choose: _drawn(choose, 10 * msa_trials.MOST, 4 * msa_trials.LONGEST),
    unlogged=lambda method, backend: frozenset({"rows"}),
)  # fmt: skip


def _adding() -> ProblemType:
    from antidiag.kernels.parttree import adding  # it names these trials

    return adding.ADDING


def _added(choose: Choose, most: int, longest: int) -> Any:
    return _adding().make(_given(msa_trials.sequences(choose, most, longest), choose.random()), {})


def _given(sequences: tuple[Sequence, ...], random: np.random.Generator) -> tuple[Any, ...]:
    """An alignment of two thirds of the sequences, the longest, and the others to be added."""
    sequences = tuple(sorted(sequences, key=len, reverse=True))
    rows = -(-2 * len(sequences) // 3)
    return gapped(sequences[:rows], random), *(sequences[rows:] or sequences)


def _kept(problem: GivenProblem, found: MsaAnswer, expected: MsaAnswer | None, method: Method) -> None:
    """The given rows stand as before beside each other."""
    msa_trials.same(problem, found, expected, method)
    rows = found.alignment.letters[: len(problem.alignment.names)]
    kept = rows[:, (rows != GAP).any(axis=0)]
    assert np.array_equal(kept, problem.letters), "the given rows stand otherwise beside each other"


def _sized(count: int, length: int) -> Run:
    sequences = synthetic(count, length - 4, length + 4)
    return _adding().make(_given(sequences, np.random.default_rng(1)), {}), {"threads": 2}


ADDING = msa_trials.trials(
    _adding, lambda problem: None,
    draw=lambda choose: _added(choose, msa_trials.MOST, msa_trials.LONGEST),
    larger=lambda choose: _added(choose, 10 * msa_trials.MOST, 4 * msa_trials.LONGEST),
    same=_kept,
    large=lambda method, backend, size: _sized(64 * size, 32),
    long=lambda method, backend, size: _sized(96 * size, 8 * size),
    unlogged=lambda method, backend: frozenset({"profile", "rows"}),
)  # fmt: skip
