"""How methods of multiple alignment are tried: few short sequences, related or not, equal, empty, with odd letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.distance_matrix import checked
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.msa import clustalw, reference, thesis
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.trials import Choose, Run, Trials

MOST, LONGEST, LARGER = 6, 24, 14
LETTERS = {SequenceType.PROTEIN: b"ACDEFGHIKLMNPQRSTVWY", SequenceType.DNA: b"ACGT", SequenceType.RNA: b"ACGU"}
ODD = {SequenceType.PROTEIN: b"BZXUJO*", SequenceType.DNA: b"NRYX", SequenceType.RNA: b"NRY"}


def sequences(choose: Choose, most: int = MOST, longest: int = LONGEST) -> tuple[Sequence, ...]:
    """Some sequences of one kind, which come from one with letters changed, left out and put in; or have nothing in
    common. Some are equal, some empty, but never all."""
    kind, random = choose.of(tuple(LETTERS)), choose.random()
    count, length = choose.integer(1, most), choose.integer(1, longest)
    related = choose.of((True, True, False))
    ancestor = random.choice(list(LETTERS[kind]), length)
    found = [_descendant(ancestor if related else random.choice(list(LETTERS[kind]), length), kind, random)
             for _ in range(count)]  # fmt: skip
    special = choose.of(("none", "none", "equal", "empty", "odd", "one"))
    if special == "equal":
        found[-1] = found[0]
    elif special == "empty" and count > 1:
        found[choose.integer(0, count - 1)] = b""
    elif special == "odd":
        found[0] = bytes(random.choice(list(LETTERS[kind] + 4 * ODD[kind]), length).tolist())
    elif special == "one":
        found[0] = found[0][:1]
    return tuple(Sequence(f"taxon{number}", letters, kind) for number, letters in enumerate(found))


def _descendant(letters: np.ndarray, kind: SequenceType, random: np.random.Generator) -> bytes:
    """Letters of which some are changed, left out, and put in; at least one."""
    changed = np.where(random.random(letters.size) < 0.25, random.choice(list(LETTERS[kind]), letters.size), letters)
    kept = changed[random.random(letters.size) > 0.1]
    if random.random() < 0.5:
        place = int(random.integers(kept.size + 1))
        kept = np.insert(kept, place, random.choice(list(LETTERS[kind]), int(random.integers(1, 5))))
    return bytes((kept if kept.size else letters[:1]).astype(np.uint8).tolist())


def drawn(problem: ProblemType, choose: Choose, options: dict[str, Any], most: int, longest: int) -> MsaProblem:
    """A problem of such sequences, in part with distances, or with a tree, that is given."""
    data: tuple[Any, ...] = sequences(choose, most, longest)
    taxa = [sequence.name for sequence in data if len(sequence)]
    given = choose.of(("nothing", "nothing", "tree", "distances"))
    if given == "tree":
        data += (_tree(taxa, choose.random()),)
    elif given == "distances":
        upper = np.triu(choose.random().random((len(taxa), len(taxa))).round(2), 1)
        data += (checked(taxa, upper + upper.T),)
    return problem.make(data, options)


def _tree(taxa: Sequences[str], random: np.random.Generator) -> Tree:
    """A tree of random joins, in part of more than two branches."""
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


def same(problem: MsaProblem, found: MsaAnswer, expected: MsaAnswer | None, method: Method) -> None:
    """The rows, the tree and the confidence are equal, where an answer is expected."""
    if expected is None:
        return
    rows = ["\n".join(row.tobytes().decode() for row in one.alignment.letters) for one in (found, expected)]
    assert rows[0] == rows[1], f"the alignment is\n{rows[0]}\nand not\n{rows[1]}"
    if found.tree is not None and expected.tree is not None:
        assert found.tree == expected.tree, "the trees differ"
    if found.confidence is not None and expected.confidence is not None:
        np.testing.assert_allclose(found.confidence, expected.confidence, rtol=0, atol=1e-6)


@lru_cache(maxsize=4)
def family(count: int, length: int, seed: int = 1) -> tuple[Sequence, ...]:
    """Related proteins of about this length; a larger family begins with the smaller ones."""
    found, descendants = _descendants(length, seed)
    while len(found) < count:
        found.append(Sequence(f"s{len(found)}", next(descendants), SequenceType.PROTEIN))
    return tuple(found[:count])


@lru_cache(maxsize=4)
def _descendants(length: int, seed: int) -> tuple[list[Sequence], Iterator[bytes]]:
    """The members of a family that were asked for before, and those that follow, without end."""
    random = np.random.default_rng(seed)
    ancestor = random.choice(list(LETTERS[SequenceType.PROTEIN]), length)
    return [], (_descendant(ancestor, SequenceType.PROTEIN, random) for _ in repeat(None))


def read_back(result: Result, data: Sequences[Any]) -> None:
    """The rows; or where the file gives sequences, their letters; of a tree, its leaves. A3M leaves out gaps."""
    rows = [row.tobytes() for row in result.answer.alignment.letters]
    letters = [row.replace(b"-", b"") for row in rows]
    for datum in data:
        if isinstance(datum, Sequence):
            assert datum.letters in letters, f"{datum.name} has other letters"
        elif isinstance(datum, AlignedSequences):
            assert [row.tobytes() for row in datum.letters] == rows, "the rows are others"
        elif isinstance(datum, Tree):
            assert sorted(datum.taxa) == sorted(result.answer.tree.taxa), "the leaves are others"


def trials(
    problem: Callable[[], ProblemType],
    oracle: Callable[[MsaProblem], MsaAnswer | None],
    options: Callable[[Choose], dict[str, Any]] = lambda choose: {},
    **changed: Any,
) -> Trials:
    """The trials of a problem type that `problem_type` made; ``options`` draws values of its options.

    ``oracle`` may give None where nothing but the answer's own check can be said.
    """

    def large(method: Method, backend: str, size: int) -> Run:
        return problem().make(family(4 * size, 32), {}), {}

    def long(method: Method, backend: str, size: int) -> Run:
        return problem().make(family(8, 32 * size), {}), {}

    known = {
        "draw": lambda choose: drawn(problem(), choose, options(choose), MOST, LONGEST),
        "larger": lambda choose: drawn(problem(), choose, options(choose), LARGER, 4 * LONGEST),
        "oracle": oracle,
        "same": same,
        "large": large,
        "long": long,
        "unlogged": lambda method, backend: frozenset(),
        "read_back": read_back,
        "examples": 16,
    }
    return Trials(**{**known, **changed})


def _thesis() -> ProblemType:
    from antidiag.kernels.msa import THESIS_PROBLEM  # it names these trials

    return THESIS_PROBLEM


def _thesis_options(choose: Choose) -> dict[str, Any]:
    return {"profile_score": choose.of(("euclidean", "sum-of-pairs")), "blank": choose.of((-4.0, -1.0, 0.0))}


def _clustalw() -> ProblemType:
    from antidiag.kernels.msa import CLUSTALW_PROBLEM

    return CLUSTALW_PROBLEM


def _clustalw_options(choose: Choose) -> dict[str, Any]:
    return {"series": choose.of(("gonnet", "blosum")), "delay": choose.of((0.0, 30.0, 60.0, 100.0)),
            "gap_distance": choose.of((0, 1, 4)), "residues": choose.of((True, False)),
            "hydrophilic": choose.of((True, False)), "gap_open": choose.of((None, 3.0)),
            "lift": choose.of((0.0, 2.0, 20.0))}  # fmt: skip


CLUSTALW = trials(_clustalw, lambda problem: reference.answer(clustalw.aligned, problem), _clustalw_options)
THESIS = trials(_thesis, lambda problem: reference.answer(thesis.aligned, problem), _thesis_options)
