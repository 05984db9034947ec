"""Trials of multiple alignment methods: few short sequences, related or not, equal, empty, with odd letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import make_distance_matrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.msa import reference
from antidiag.kernels.msa.pipelines import clustalw, thesis
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.trials import ProblemAndParameters, TrialChooser, Trials

MOST, LONGEST, LARGER = 6, 24, 14
LETTERS = {SequenceType.PROTEIN: b"ACDEFGHIKLMNPQRSTVWY", SequenceType.DNA: b"ACGT", SequenceType.RNA: b"ACGU"}
ODD = {SequenceType.PROTEIN: b"BZXUJO*", SequenceType.DNA: b"NRYX", SequenceType.RNA: b"NRY"}


def draw_sequences(choose: TrialChooser, most_sequences: int = MOST, longest: int = LONGEST) -> tuple[Sequence, ...]:
    """Draw sequences of one kind, mutated from one ancestor or unrelated; some equal or empty, never all empty."""
    kind, random = choose.choose_one(tuple(LETTERS)), choose.make_generator()
    count, length = choose.draw_integer(1, most_sequences), choose.draw_integer(1, longest)
    related = choose.choose_one((True, True, False))
    ancestor = random.choice(list(LETTERS[kind]), length)
    found = [
        _mutate(ancestor if related else random.choice(list(LETTERS[kind]), length), kind, random) for _ in range(count)
    ]
    special = choose.choose_one(("none", "none", "equal", "empty", "odd", "one"))
    if special == "equal":
        found[-1] = found[0]
    elif special == "empty" and count > 1:
        found[choose.draw_integer(0, count - 1)] = b""
    elif special == "odd":
        found[0] = bytes(random.choice(list(LETTERS[kind] + 4 * ODD[kind]), length).tolist())
    elif special == "one":
        found[0] = found[0][:1]
    return tuple(Sequence(f"taxon{number}", letters, kind) for number, letters in enumerate(found))


def _mutate(letters: np.ndarray, kind: SequenceType, random: np.random.Generator) -> bytes:
    """Return letters with some changed, removed and inserted; at least one."""
    changed = np.where(random.random(letters.size) < 0.25, random.choice(list(LETTERS[kind]), letters.size), letters)
    kept = changed[random.random(letters.size) > 0.1]
    if random.random() < 0.5:
        place = int(random.integers(kept.size + 1))
        kept = np.insert(kept, place, random.choice(list(LETTERS[kind]), int(random.integers(1, 5))))
    return bytes((kept if kept.size else letters[:1]).astype(np.uint8).tolist())


def draw_problem(
    problem: ProblemType, choose: TrialChooser, options: dict[str, Any], most_sequences: int, longest: int
) -> MsaProblem:
    """Draw a problem, sometimes with given distances or a given tree."""
    data: tuple[Any, ...] = draw_sequences(choose, most_sequences, longest)
    taxa = [sequence.name for sequence in data if len(sequence)]
    given = choose.choose_one(("nothing", "nothing", "tree", "distances"))
    if given == "tree":
        data += (draw_random_tree(taxa, choose.make_generator()),)
    elif given == "distances":
        upper = np.triu(choose.make_generator().random((len(taxa), len(taxa))).round(2), 1)
        data += (make_distance_matrix(taxa, upper + upper.T),)
    return problem.make_problem(data, options)


def draw_random_tree(taxa: Sequences[str], random: np.random.Generator) -> Tree:
    """Return a tree of random joins, some of more than two branches."""
    if len(taxa) == 1:
        return Tree(tuple(taxa), np.array([-1]), np.array([np.nan]))
    parents, ready = [-1] * len(taxa), list(range(len(taxa)))
    while len(ready) > 1:
        count = min(int(random.integers(2, 4)), len(ready))
        picked = [ready.pop(int(random.integers(len(ready)))) for _ in range(count)]
        parents.append(-1)
        for node in picked:
            parents[node] = len(parents) - 1
        ready.append(len(parents) - 1)
    names = (*taxa, *[""] * (len(parents) - len(taxa)))
    return Tree.from_parents(names, np.array(parents), random.random(len(parents)).round(2))


def check_equal(problem: MsaProblem, answer: MsaAnswer, expected: MsaAnswer | None, method: Method) -> None:
    """Check equal rows, tree and confidence, where an answer is expected."""
    if expected is None:
        return
    rows = ["\n".join(row.tobytes().decode() for row in one.alignment.letters) for one in (answer, expected)]
    assert rows[0] == rows[1], f"the alignment is\n{rows[0]}\nand not\n{rows[1]}"
    if answer.tree is not None and expected.tree is not None:
        assert answer.tree == expected.tree, "the trees differ"
    if answer.confidence is not None and expected.confidence is not None:
        np.testing.assert_allclose(answer.confidence, expected.confidence, rtol=0, atol=1e-6)


@lru_cache(maxsize=4)
def generate_family(count: int, length: int, seed: int = 1) -> tuple[Sequence, ...]:
    """Return related proteins of about this length; a larger family begins with the smaller ones."""
    found, descendants = _start_family(length, seed)
    while len(found) < count:
        found.append(Sequence(f"s{len(found)}", next(descendants), SequenceType.PROTEIN))
    return tuple(found[:count])


@lru_cache(maxsize=4)
def _start_family(length: int, seed: int) -> tuple[list[Sequence], Iterator[bytes]]:
    """Return the family members so far, and an endless iterator of further ones."""
    random = np.random.default_rng(seed)
    ancestor = random.choice(list(LETTERS[SequenceType.PROTEIN]), length)
    return [], (_mutate(ancestor, SequenceType.PROTEIN, random) for _ in repeat(None))


def check_file_data(result: Result, data: Sequences[Any]) -> None:
    """Check rows, letters or leaves that were read from a file; A3M leaves out gaps."""
    rows = [row.tobytes() for row in result.answer.alignment.letters]
    letters = [row.replace(b"-", b"") for row in rows]
    for datum in data:
        if isinstance(datum, Sequence):
            assert datum.letters in letters, f"{datum.name} has other letters"
        elif isinstance(datum, AlignedSequences):
            assert [row.tobytes() for row in datum.letters] == rows, "the rows are others"
        elif isinstance(datum, Tree):
            assert sorted(datum.taxa) == sorted(result.answer.tree.taxa), "the leaves are others"


def make_trials(
    problem: Callable[[], ProblemType],
    oracle: Callable[[MsaProblem], MsaAnswer | None],
    options: Callable[[TrialChooser], dict[str, Any]] = lambda choose: {},
    **changed: Any,
) -> Trials:
    """Return the trials of a problem type; ``options`` draws option values.

    ``oracle`` may return None if only the answer's own check applies.
    """

    def large(method: Method, backend: str, size: int) -> ProblemAndParameters:
        return problem().make_problem(generate_family(4 * size, 32), {}), {}

    def long(method: Method, backend: str, size: int) -> ProblemAndParameters:
        return problem().make_problem(generate_family(8, 32 * size), {}), {}

    known = {
        "draw_problem": lambda choose: draw_problem(problem(), choose, options(choose), MOST, LONGEST),
        "draw_larger_problem": lambda choose: draw_problem(problem(), choose, options(choose), LARGER, 4 * LONGEST),
        "solve_by_textbook": oracle,
        "assert_same_answer": check_equal,
        "make_large_problem": large,
        "make_long_problem": long,
        "phases_without_steps": lambda method, backend: frozenset({clustalw.WEIGHTS_AND_STEPS}),
        "assert_read_back": check_file_data,
        "example_count": 16,
    }
    return Trials(**{**known, **changed})


def _thesis_problem() -> ProblemType:
    from antidiag.kernels.msa import THESIS_PROBLEM  # it names these trials

    return THESIS_PROBLEM


def _thesis_options(choose: TrialChooser) -> dict[str, Any]:
    return {
        "profile_score": choose.choose_one(("euclidean", "sum-of-pairs")),
        "blank": choose.choose_one((-4.0, -1.0, 0.0)),
    }


def _clustalw_problem() -> ProblemType:
    from antidiag.kernels.msa import CLUSTALW_PROBLEM

    return CLUSTALW_PROBLEM


def _clustalw_options(choose: TrialChooser) -> dict[str, Any]:
    return {
        "series": choose.choose_one(("gonnet", "blosum")),
        "delay": choose.choose_one((0.0, 30.0, 60.0, 100.0)),
        "gap_distance": choose.choose_one((0, 1, 4)),
        "residues": choose.choose_one((True, False)),
        "hydrophilic": choose.choose_one((True, False)),
        "gap_open": choose.choose_one((None, 3.0)),
        "lift": choose.choose_one((0.0, 2.0, 20.0)),
    }


CLUSTALW = make_trials(
    _clustalw_problem, lambda problem: reference.align_reference(clustalw.align_clustalw, problem), _clustalw_options
)
THESIS = make_trials(
    _thesis_problem, lambda problem: reference.align_reference(thesis.align_thesis, problem), _thesis_options
)
