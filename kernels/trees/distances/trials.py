"""How the methods for distances are tried: families of sequences, and textbooks for some of their pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.distance_matrix import numbered
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch, named_matrix
from antidiag.kernels.trees.distances import reference
from antidiag.kernels.trees.distances.columns import MODELS
from antidiag.kernels.trees.distances.problem import (
    KTUPLE_DEFAULTS,
    AlignedProblem,
    DistanceAnswer,
    FullProblem,
    KtupleProblem,
    SixmerProblem,
)
from antidiag.kernels.trials import Choose, Run, Symmetry, Trials

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
"""Letters where memory is that of the matrix; sequences, or rows, where it is not; rows and columns that repeat, where
there are many."""

Pairs = Mapping[tuple[int, int], float]


def family(
    random: np.random.Generator, most: int, longest: int = LONGEST, letters: str = "ACDE",
    kind: SequenceType = SequenceType.PROTEIN,
) -> tuple[Sequence, ...]:  # fmt: skip
    """Sequences of any lengths over a few letters, some of them mutated copies of others."""
    found: list[str] = []
    for number in range(most):
        if found and random.random() < 0.5:
            copy = list(found[random.integers(number)])
            for place in random.integers(0, len(copy), 3):
                copy[place] = str(random.choice(list(letters)))
            found.append("".join(copy[random.integers(min(3, len(copy))) :]) or "A")
        else:
            found.append("".join(random.choice(list(letters), random.integers(1, longest + 1))))
    return tuple(Sequence(f"s{number}", text.encode(), kind) for number, text in enumerate(found))


def _drawn(choose: Choose, most: int, longest: int, both: bool) -> tuple[Sequence, ...]:
    """A family of proteins, or where ``both`` of nucleotides too."""
    kind = choose.of((SequenceType.PROTEIN, SequenceType.DNA) if both else (SequenceType.PROTEIN,))
    letters = BASES if kind == SequenceType.DNA else choose.of(("ACDE", AMINO_ACIDS)) if both else "ACDE"
    return family(choose.random(), choose.integer(1, most), longest, letters, kind)


def draw_full(choose: Choose, most: int = MOST) -> FullProblem:
    return FullProblem(_drawn(choose, most, LONGEST, both=False), choose.of(SCORINGS), choose.of(tuple(Mode)))


def draw_sixmer(choose: Choose, most: int = MOST) -> SixmerProblem:
    return SixmerProblem(_drawn(choose, most, 2 * LONGEST, both=True))


def draw_ktuple(choose: Choose, most: int = MOST) -> KtupleProblem:
    found = _drawn(choose, most, 2 * LONGEST, both=True)
    longest = 2 if found[0].type == SequenceType.PROTEIN else 4
    diagonals, window, gap = choose.integer(1, 6), choose.integer(0, 6), choose.integer(0, 6)
    return KtupleProblem(found, choose.integer(1, longest), diagonals, window, gap)


def draw_aligned(choose: Choose, most: int = MOST) -> AlignedProblem:
    kind = choose.of((SequenceType.DNA, SequenceType.RNA, SequenceType.PROTEIN))
    letters = np.array(list(b"ACDEW*X-" if kind == SequenceType.PROTEIN else b"ACGTUN-"), np.uint8)
    rows, columns, random = choose.integer(1, most), choose.integer(1, 200), choose.random()
    changed = random.random((rows, columns)) < choose.of((0.1, 0.3, 0.8))
    found = letters[np.where(changed, random.integers(0, letters.size, (rows, columns)), 0)]
    found.setflags(write=False)
    return AlignedProblem(AlignedSequences(numbered(rows), found, kind), choose.of(MODELS))


def _textbook(pair: Callable[[Any, int, int], float], taxa: Callable[[Any], int]) -> Callable[[Any], Pairs]:
    """Distances of some pairs of a problem."""

    @lru_cache(maxsize=64)
    def found(problem: Any) -> Pairs:
        pairs = list(combinations(range(taxa(problem)), 2))
        picked = np.random.default_rng(len(pairs)).permutation(len(pairs))[:CHECKED]
        return {pairs[number]: pair(problem, *pairs[number]) for number in picked.tolist()}

    return found


def same(problem: Any, found: DistanceAnswer, expected: DistanceAnswer | Pairs, method: Method) -> None:
    """Every distance to the last bit; of a textbook, those that it knows, up to rounding."""
    if isinstance(expected, DistanceAnswer):
        np.testing.assert_array_equal(found.distances.values, expected.distances.values)
        assert found.pairs_without == expected.pairs_without
        return
    for (i, j), value in expected.items():
        assert abs(found.distances.values[i, j] - value) <= CLOSE, f"{i}, {j}: {found.distances.values[i, j]}, {value}"


def same_chains(problem: KtupleProblem, found: DistanceAnswer, expected: DistanceAnswer | None, method: Method) -> None:
    """Without a textbook: a pair without a common k-mer is at 1, and no chain has letters that are in none."""
    if expected is not None:
        same(problem, found, expected, method)
        return
    for i, j in combinations(range(len(problem.sequences)), 2):
        first, second = (problem.sequences[number].letters.replace(b"U", b"T") for number in (i, j))
        value = float(found.distances.values[i, j])
        most = min(_covered(first, second, problem), _covered(second, first, problem))
        shorter = min(len(first), len(second))
        assert value <= 1 and (value == 1) == (most == 0), f"{i}, {j}: {value}, {most} letters in common k-mers"
        assert value >= 1 - most / shorter - CLOSE, f"{i}, {j}: {value}, {most} letters in common k-mers"
        assert first != second or value == (0 if len(first) >= problem.ktuple and b"N" not in first else value)


def _covered(first: bytes, second: bytes, problem: KtupleProblem) -> int:
    """Letters of the first that are in a k-mer of both."""
    k, unknown = problem.ktuple, b"" if problem.protein else b"N"
    kmers = {second[at : at + k] for at in range(len(second) - k + 1)}
    inside = [
        place
        for at in range(len(first) - k + 1)
        if first[at : at + k] in kmers and not set(first[at : at + k]) & set(unknown)
        for place in range(at, at + k)
    ]
    return len(set(inside))


def one_more(problem: Any) -> Any:
    """The first sequence again, behind all others, which stay as far from each other as they were."""
    return replace(problem, sequences=(*problem.sequences, problem.sequences[0]))


def _others_stay(problem: Any, found: DistanceAnswer, changed: DistanceAnswer, method: Method) -> None:
    np.testing.assert_array_equal(changed.distances.values[:-1, :-1], found.distances.values)


def reversed_taxa(problem: Any) -> Any:
    if isinstance(problem, AlignedProblem):
        alignment = problem.alignment
        letters = np.ascontiguousarray(alignment.letters[::-1])
        return replace(problem, alignment=replace(alignment, names=alignment.names[::-1], letters=letters))
    return replace(problem, sequences=problem.sequences[::-1])


def _reversed(problem: Any, found: DistanceAnswer, changed: DistanceAnswer, method: Method) -> None:
    np.testing.assert_array_equal(changed.distances.values[::-1, ::-1], found.distances.values)


def read_back(result: Result, data: Sequences[Any]) -> None:
    """The matrix; text has nine digits of a number."""
    (found,), own = data, result.answer.distances
    assert found.names == own.names, "the names are others"
    np.testing.assert_allclose(found.values, own.values, rtol=1e-8)


def large_family(method: Method, backend: str, size: int) -> tuple[Sequence, ...]:
    return _random(16 + 4 * size, SHORT)


def long_family(method: Method, backend: str, size: int) -> tuple[Sequence, ...]:
    return _random(FEW, 16 * size)


def square_family(method: Method, backend: str, size: int) -> tuple[Sequence, ...]:
    """As much longer as there are more: where a pair costs what its k-mers do, few long sequences take no time."""
    return _random(16 * size, 4 * size)


@lru_cache(maxsize=4)
def _random(count: int, length: int) -> tuple[Sequence, ...]:
    letters = np.random.default_rng(1).choice(np.frombuffer(b"ACGT", np.uint8), (count, length))
    return tuple(Sequence(f"s{number}", row.tobytes(), SequenceType.DNA) for number, row in enumerate(letters))


def _of(build: Callable[[tuple[Sequence, ...]], Any], made: Callable[..., tuple[Sequence, ...]]) -> Callable[..., Run]:
    return lambda method, backend, size: (build(made(method, backend, size)), {"threads": 2})


def _trials(
    draw: Callable[..., Any], oracle: Callable[[Any], Any], same: Callable[..., None],
    build: Callable[[tuple[Sequence, ...]], Any], symmetries: tuple[Symmetry, ...] = (),
    long: Callable[..., tuple[Sequence, ...]] = long_family,
) -> Trials:  # fmt: skip
    return Trials(
        draw=draw,
        oracle=oracle,
        same=same,
        large=_of(build, large_family),
        long=_of(build, long),
        larger=lambda choose: draw(choose, MORE),
        symmetries=(Symmetry("one more sequence", one_more, _others_stay), *symmetries),
        read_back=read_back,
    )


def _taxa(problem: Any) -> int:
    return len(problem.sequences)


def alignment(rows: int, columns: int) -> AlignedProblem:
    tile = np.random.default_rng(1).choice(np.frombuffer(b"ACGT-", np.uint8), (min(rows, TILE), min(columns, TILE)))
    times = -(-rows // len(tile)), -(-columns // tile.shape[1])
    letters = np.ascontiguousarray(np.tile(tile, times)[:rows, :columns])
    return AlignedProblem(AlignedSequences(numbered(rows), letters, SequenceType.DNA))


REVERSED = Symmetry("the other way round", reversed_taxa, _reversed)
FULL = _trials(draw_full, _textbook(reference.full, _taxa), same,
               lambda found: FullProblem(found, SCORINGS[1]))  # fmt: skip
SIXMER = _trials(draw_sixmer, _textbook(reference.sixmer, _taxa), same, SixmerProblem, (REVERSED,), square_family)
KTUPLE = _trials(draw_ktuple, lambda problem: None, same_chains,
                 lambda found: KtupleProblem(found, **KTUPLE_DEFAULTS[False]))  # fmt: skip
ALIGNED = Trials(
    draw=draw_aligned,
    oracle=_textbook(reference.aligned, lambda problem: len(problem.alignment.names)),
    same=same,
    large=lambda method, backend, size: (alignment(16 + 4 * size, 2 * SHORT), {}),
    long=lambda method, backend, size: (alignment(ROWS, 16 * size), {}),
    larger=lambda choose: draw_aligned(choose, MORE),
    symmetries=(REVERSED,),
    read_back=read_back,
)
