"""Trials of the distance methods: families of sequences, and textbooks for some of their pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import numbered_names
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.trees.distances import reference
from antidiag.kernels.trees.distances.alignment_columns.column_distances import MODELS, PROTEIN_MODELS
from antidiag.kernels.trees.distances.problem import (
    KTUPLE_DEFAULTS,
    AlignedProblem,
    DistanceAnswer,
    FullProblem,
    KtupleProblem,
    SixmerProblem,
)
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials

MOST, LONGEST, MORE = 20, 40, 70
"""Sequences, and letters, of small problems: more than the lanes of a vector; and more than a tile of a GPU."""
CHECKED = 20
"""Pairs of a problem that are compared with the textbook."""
AMINO_ACIDS, BASES = "ACDEFXK", "ACGTN"
SCORINGS = (
    Scoring(named_matrix("BLOSUM62"), 10, 1),
    Scoring(match_mismatch(2, -3), 5, 2),
    Scoring(match_mismatch(1, -1), 0, 1),
    Scoring(match_mismatch(1, 0), 0, 0),
    Scoring(match_mismatch(5, -4), 3, 0),
)
CLOSE = 1e-12
SHORT, FEW, ROWS, TILE = 12, 8, 2048, 64
"""Letters where memory is that of the matrix; sequences, or rows, where it is not; rows and columns that are repeated
where there are many."""

Pairs = Mapping[tuple[int, int], float]


def random_family(
    random: np.random.Generator,
    largest: int,
    longest: int = LONGEST,
    letters: str = "ACDE",
    kind: SequenceType = SequenceType.PROTEIN,
) -> tuple[Sequence, ...]:
    """Return sequences of any lengths over a few letters, some of them mutated copies of others."""
    found: list[str] = []
    for number in range(largest):
        if found and random.random() < 0.5:
            copy = list(found[random.integers(number)])
            for place in random.integers(0, len(copy), 3):
                copy[place] = str(random.choice(list(letters)))
            found.append("".join(copy[random.integers(min(3, len(copy))) :]) or "A")
        else:
            found.append("".join(random.choice(list(letters), random.integers(1, longest + 1))))
    return tuple(Sequence(f"s{number}", text.encode(), kind) for number, text in enumerate(found))


def _draw_family(choose: TrialChooser, largest: int, longest: int, nucleotides_too: bool) -> tuple[Sequence, ...]:
    """Draw a family of proteins, or where ``nucleotides_too`` of nucleotides too."""
    kind = choose.choose_one((SequenceType.PROTEIN, SequenceType.DNA) if nucleotides_too else (SequenceType.PROTEIN,))
    letters = (
        BASES if kind == SequenceType.DNA else choose.choose_one(("ACDE", AMINO_ACIDS)) if nucleotides_too else "ACDE"
    )
    return random_family(choose.make_generator(), choose.draw_integer(1, largest), longest, letters, kind)


def draw_full(choose: TrialChooser, largest: int = MOST) -> FullProblem:
    """Draw a problem of aligned pairs."""
    return FullProblem(
        _draw_family(choose, largest, LONGEST, nucleotides_too=False),
        choose.choose_one(SCORINGS),
        choose.choose_one((Mode.LOCAL, Mode.GLOBAL)),
    )


def draw_sixmer(choose: TrialChooser, largest: int = MOST) -> SixmerProblem:
    """Draw a problem of 6-mer distances."""
    return SixmerProblem(_draw_family(choose, largest, 2 * LONGEST, nucleotides_too=True))


def draw_ktuple(choose: TrialChooser, largest: int = MOST) -> KtupleProblem:
    """Draw a problem of k-tuple distances."""
    found = _draw_family(choose, largest, 2 * LONGEST, nucleotides_too=True)
    longest = 2 if found[0].type == SequenceType.PROTEIN else 4
    diagonals, window, gap = choose.draw_integer(1, 6), choose.draw_integer(0, 6), choose.draw_integer(0, 6)
    return KtupleProblem(found, choose.draw_integer(1, longest), diagonals, window, gap)


def draw_aligned(choose: TrialChooser, largest: int = MOST) -> AlignedProblem:
    """Draw a problem of the rows of an alignment."""
    kind = choose.choose_one((SequenceType.DNA, SequenceType.RNA, SequenceType.PROTEIN))
    letters = np.array(list(b"ACDEW*X-" if kind == SequenceType.PROTEIN else b"ACGTUN-"), np.uint8)
    rows, columns, random = choose.draw_integer(1, largest), choose.draw_integer(1, 200), choose.make_generator()
    changed = random.random((rows, columns)) < choose.choose_one((0.1, 0.3, 0.8))
    found = letters[np.where(changed, random.integers(0, letters.size, (rows, columns)), 0)]
    found.setflags(write=False)
    models = PROTEIN_MODELS if kind == SequenceType.PROTEIN else MODELS
    return AlignedProblem(AlignedSequences(numbered_names(rows), found, kind), choose.choose_one(models))


def _textbook_distances(pair: Callable[[Any, int, int], float], taxa: Callable[[Any], int]) -> Callable[[Any], Pairs]:
    """Return a function for the distances of some pairs of a problem."""

    @lru_cache(maxsize=64)
    def found(problem: Any) -> Pairs:
        pairs = list(combinations(range(taxa(problem)), 2))
        picked = np.random.default_rng(len(pairs)).permutation(len(pairs))[:CHECKED]
        return {pairs[number]: pair(problem, *pairs[number]) for number in picked.tolist()}

    return found


def check_same(problem: Any, found: DistanceAnswer, expected: DistanceAnswer | Pairs, method: Method) -> None:
    """Check that every distance is equal to the last bit, or up to rounding where a textbook has it."""
    if isinstance(expected, DistanceAnswer):
        np.testing.assert_array_equal(found.distances.values, expected.distances.values)
        assert found.pairs_without == expected.pairs_without
        return
    for (i, j), value in expected.items():
        assert abs(found.distances.values[i, j] - value) <= CLOSE, f"{i}, {j}: {found.distances.values[i, j]}, {value}"


def check_chains(
    problem: KtupleProblem, found: DistanceAnswer, expected: DistanceAnswer | None, method: Method
) -> None:
    """Check chains without a textbook: a pair without a common k-mer is at 1, and chains have common letters only."""
    if expected is not None:
        check_same(problem, found, expected, method)
        return
    for i, j in combinations(range(len(problem.sequences)), 2):
        first, second = (problem.sequences[number].letters.replace(b"U", b"T") for number in (i, j))
        value = float(found.distances.values[i, j])
        most = min(_covered_letters(first, second, problem), _covered_letters(second, first, problem))
        shorter = min(len(first), len(second))
        assert value <= 1 and (value == 1) == (most == 0), f"{i}, {j}: {value}, {most} letters in common k-mers"
        assert value >= 1 - most / shorter - CLOSE, f"{i}, {j}: {value}, {most} letters in common k-mers"
        known = len(first) >= problem.ktuple and not set(first) & set(_unknown_letters(problem))
        assert first != second or value == (0 if known else value)


def _unknown_letters(problem: KtupleProblem) -> bytes:
    """Return the letters of these trials that no word holds."""
    return b"X" if problem.is_protein else b"N"


def _covered_letters(first: bytes, second: bytes, problem: KtupleProblem) -> int:
    """Return how many letters of the first are in a k-mer of both."""
    k, unknown = problem.ktuple, _unknown_letters(problem)
    kmers = {second[at : at + k] for at in range(len(second) - k + 1)}
    inside = [
        place
        for at in range(len(first) - k + 1)
        if first[at : at + k] in kmers and not set(first[at : at + k]) & set(unknown)
        for place in range(at, at + k)
    ]
    return len(set(inside))


def repeat_first(problem: Any) -> Any:
    """Return the problem with the first sequence again at the end; the other distances stay the same."""
    return replace(problem, sequences=(*problem.sequences, problem.sequences[0]))


def _check_others_stay(problem: Any, found: DistanceAnswer, changed: DistanceAnswer, method: Method) -> None:
    """Check that the other distances stay the same."""
    np.testing.assert_array_equal(changed.distances.values[:-1, :-1], found.distances.values)


def reverse_taxa(problem: Any) -> Any:
    """Return the problem with its taxa in reverse order."""
    if isinstance(problem, AlignedProblem):
        alignment = problem.alignment
        letters = np.ascontiguousarray(alignment.letters[::-1])
        return replace(problem, alignment=replace(alignment, names=alignment.names[::-1], letters=letters))
    return replace(problem, sequences=problem.sequences[::-1])


def permute_columns(problem: Any) -> Any:
    """Return a problem of an alignment with its columns in another order, which changes no distance."""
    letters = problem.alignment.letters
    order = np.random.default_rng(letters.shape[1]).permutation(letters.shape[1])
    moved = np.ascontiguousarray(letters[:, order])
    return replace(problem, alignment=replace(problem.alignment, letters=moved))


def _check_reversed(problem: Any, found: DistanceAnswer, changed: DistanceAnswer, method: Method) -> None:
    """Check that the distances are reversed."""
    np.testing.assert_array_equal(changed.distances.values[::-1, ::-1], found.distances.values)


def check_read_back(result: Result, data: Sequences[Any]) -> None:
    """Check a matrix read from a file; text has nine digits of a number."""
    (found,), own = data, result.answer.distances
    assert found.names == own.names, "the names are others"
    np.testing.assert_allclose(found.values, own.values, rtol=1e-8)


def large_family(method: Method, backend: str, size: int) -> tuple[Sequence, ...]:
    """Return many short sequences."""
    return _random_sequences(16 + 4 * size, SHORT)


def long_family(method: Method, backend: str, size: int) -> tuple[Sequence, ...]:
    """Return few long sequences."""
    return _random_sequences(FEW, 16 * size)


def square_family(method: Method, backend: str, size: int) -> tuple[Sequence, ...]:
    """Return sequences that grow in number and length: where a pair costs its k-mers, few long ones take no time."""
    return _random_sequences(16 * size, 4 * size)


@lru_cache(maxsize=4)
def _random_sequences(count: int, length: int) -> tuple[Sequence, ...]:
    """Return random sequences."""
    letters = np.random.default_rng(1).choice(np.frombuffer(b"ACGT", np.uint8), (count, length))
    return tuple(Sequence(f"s{number}", row.tobytes(), SequenceType.DNA) for number, row in enumerate(letters))


def _runs_of(
    build: Callable[[tuple[Sequence, ...]], Any], make_family: Callable[..., tuple[Sequence, ...]]
) -> Callable[..., ProblemAndParameters]:
    """Return a function that makes a run with two threads."""
    return lambda method, backend, size: (build(make_family(method, backend, size)), {"threads": 2})


def _make_trials(
    draw: Callable[..., Any],
    oracle: Callable[[Any], Any],
    same: Callable[..., None],
    build: Callable[[tuple[Sequence, ...]], Any],
    symmetries: tuple[ProblemSymmetry, ...] = (),
    long: Callable[..., tuple[Sequence, ...]] = long_family,
) -> Trials:
    """Return the trials of a distance of sequences."""
    return Trials(
        draw_problem=draw,
        solve_by_textbook=oracle,
        assert_same_answer=same,
        make_large_problem=_runs_of(build, large_family),
        make_long_problem=_runs_of(build, long),
        draw_larger_problem=lambda choose: draw(choose, MORE),
        symmetries=(ProblemSymmetry("one more sequence", repeat_first, _check_others_stay), *symmetries),
        assert_read_back=check_read_back,
    )


def _taxon_count(problem: Any) -> int:
    """Return the number of sequences."""
    return len(problem.sequences)


def random_alignment(rows: int, columns: int) -> AlignedProblem:
    """Return an alignment that repeats a random tile."""
    tile = np.random.default_rng(1).choice(np.frombuffer(b"ACGT-", np.uint8), (min(rows, TILE), min(columns, TILE)))
    times = -(-rows // len(tile)), -(-columns // tile.shape[1])
    letters = np.ascontiguousarray(np.tile(tile, times)[:rows, :columns])
    return AlignedProblem(AlignedSequences(numbered_names(rows), letters, SequenceType.DNA))


REVERSED = ProblemSymmetry("the other way round", reverse_taxa, _check_reversed)
FULL = _make_trials(
    draw_full,
    _textbook_distances(reference.full_distance, _taxon_count),
    check_same,
    lambda found: FullProblem(found, SCORINGS[1]),
)
SIXMER = _make_trials(
    draw_sixmer,
    _textbook_distances(reference.sixmer_distance, _taxon_count),
    check_same,
    SixmerProblem,
    (REVERSED,),
    square_family,
)
KTUPLE = _make_trials(
    draw_ktuple, lambda problem: None, check_chains, lambda found: KtupleProblem(found, **KTUPLE_DEFAULTS[False])
)
ALIGNED = Trials(
    draw_problem=draw_aligned,
    solve_by_textbook=_textbook_distances(reference.column_distance, lambda problem: len(problem.alignment.names)),
    assert_same_answer=check_same,
    make_large_problem=lambda method, backend, size: (random_alignment(16 + 4 * size, 2 * SHORT), {}),
    make_long_problem=lambda method, backend, size: (random_alignment(ROWS, 16 * size), {}),
    draw_larger_problem=lambda choose: draw_aligned(choose, MORE),
    symmetries=(REVERSED,),
    assert_read_back=check_read_back,
)
