"""Test problems of searches: lengths around lanes, the textbook's score of every pair, and its alignments."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.search.answer import SearchAnswer
from antidiag.kernels.pairwise.search.database import make_memory_database
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.pairwise.search.reference import local_scores
from antidiag.kernels.pairwise.search.score_statistics import find_published
from antidiag.kernels.scoring import Scoring, match_mismatch, named_matrix
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials, draw_matrix

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 63, 64, 65)
"""Lengths around the columns that are in registers, and around lanes."""
COUNTS = (1, 2, 3, 31, 33, 64, 66)
"""Numbers of sequences around the lanes of a register."""
COSTS = ((5, 2), (0, 2), (0, 1), (10, 1), (11, 1), (200, 3))
UNLIMITED = 1e300
"""A limit of the E-value that every hit passes."""
PROTEINS, DNA = Scoring(named_matrix("BLOSUM62"), 11, 1), Scoring(match_mismatch(2, -3, nucleotides=True), 5, 2)


def draw_search(choose: TrialChooser) -> SearchProblem:
    """Return queries and sequences of random or related letters, with few or many hits wanted."""
    if choose.choose_one((True, True, False)):
        scoring, alphabet, kind = PROTEINS, "ARNDCQEGHILKMFPSTWYV", SequenceType.PROTEIN
    elif choose.choose_one((True, True, False)):  # parameters of other scores are fitted, which takes long
        scoring, alphabet, kind = DNA, "ACGT", SequenceType.DNA
    else:
        scoring, alphabet, kind = Scoring(draw_matrix(choose), *choose.choose_one(COSTS)), "ABCD", SequenceType.PROTEIN
    random = choose.make_generator()
    queries = [random.choice(list(alphabet), choose.choose_one(LENGTHS)) for _ in range(choose.draw_integer(1, 3))]
    longest = choose.choose_one((5, 40, 70))
    sequences = [random.choice(list(alphabet), random.integers(1, longest)) for _ in range(choose.choose_one(COUNTS))]
    for number in range(0, len(sequences), 3):
        sequences[number] = _plant(sequences[number], queries[number % len(queries)], random)
    made = make_search(["".join(one) for one in queries], ["".join(one) for one in sequences], scoring, kind)
    return replace(
        made, best=choose.choose_one((0, 1, 3, 500)), strand=choose.choose_one(("forward", "reverse", "both"))
    )


def _plant(sequence: np.ndarray, query: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return a sequence with a piece of the query in it, of which most letters are kept."""
    taken = min(sequence.size, query.size)
    at = random.integers(sequence.size - taken + 1)
    planted = sequence.copy()
    keep = random.random(taken) < 0.8
    planted[at : at + taken][keep] = query[:taken][keep]
    return planted


def make_search(
    queries: list[str], sequences: list[str], scoring: Scoring = PROTEINS, kind: SequenceType = SequenceType.PROTEIN
) -> SearchProblem:
    """Return the problem of these letters, in which every sequence with a score is a hit."""
    named = [
        [Sequence(f"{label}{number}", letters.encode(), kind) for number, letters in enumerate(texts)]
        for label, texts in (("query", queries), ("sequence", sequences))
    ]
    database = make_memory_database(tuple(named[1]), "database")
    return SearchProblem(tuple(named[0]), database, scoring, best=0, max_evalue=UNLIMITED)


@lru_cache(maxsize=32)
def search_by_textbook(problem: SearchProblem) -> list[tuple[int, int, bool, int]]:
    """Return query, number of the sequence, strand and score of every hit, in the order of the answer."""
    found = []
    for number, query in enumerate(problem.queries):
        searched = problem.searched[number * len(problem.strands) : (number + 1) * len(problem.strands)]
        scores = np.array([local_scores(one, problem.database.sequences, problem.scoring) for one in searched])
        best, strands = scores.max(axis=0), scores.argmax(axis=0)
        ranked = np.lexsort((_evalues_by_textbook(problem, query, best), -best)).tolist()
        hits = [(number, one, problem.strands[strands[one]], int(best[one])) for one in ranked if best[one] > 0]
        found += hits[: problem.most_hits]
    return found


def _evalues_by_textbook(problem: SearchProblem, query: Sequence, scores: np.ndarray) -> np.ndarray:
    """Return the E-value of each sequence, float64; 0 where parameters are fitted, by which no length counts."""
    statistics, database = find_published(problem.scoring), problem.database
    if statistics is None:
        return np.zeros(scores.size)
    lengths = np.array([len(one) for one in database.sequences])
    return statistics.evalues(scores, len(query), lengths, database.letter_count, database.count)


def list_hits(answer: SearchAnswer) -> list[tuple[int, int, bool, int]]:
    """Return the hits of an answer as `search_by_textbook` gives them."""
    numbers = answer.numbers[answer.subject]
    columns = (answer.query, numbers, answer.reverse, answer.scores)
    return [(int(q), int(n), bool(r), int(s)) for q, n, r, s in zip(*columns, strict=True)]


def check_same_hits(problem: SearchProblem, found: SearchAnswer, expected: Any, method: Method) -> None:
    """Check the hits; alignments are those of the textbook, and of another run the same."""
    wanted = list_hits(expected) if isinstance(expected, SearchAnswer) else expected
    assert list_hits(found) == wanted, f"{list_hits(found)}, not {wanted}"
    if isinstance(expected, SearchAnswer):
        for name in ("starts", "ends", "operations", "histogram"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        np.testing.assert_allclose(found.evalues, expected.evalues)
        return
    for hit in range(0, len(found), 7):
        path, best = found.alignment(hit), reference.align_pair(found.pair(problem, hit)).alignment
        assert path is not None and best is not None
        assert (path.start, path.end) == (best.start, best.end), f"hit {hit} is aligned elsewhere"
        np.testing.assert_array_equal(path.operations, best.operations)


def reverse_letters(problem: SearchProblem) -> SearchProblem:
    """Return the problem with all letters read backwards: every score stays what it is."""
    sequences = tuple(replace(one, letters=one.letters[::-1]) for one in problem.database.sequences)
    queries = tuple(replace(one, letters=one.letters[::-1]) for one in problem.queries)
    return replace(problem, queries=queries, database=make_memory_database(sequences, "database"))


def _check_same_scores(problem: SearchProblem, found: SearchAnswer, changed: SearchAnswer, method: Method) -> None:
    assert list_hits(found) == list_hits(changed), "letters read backwards score otherwise"


def make_large_search(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a query and a database whose letters grow with the size."""
    random = np.random.default_rng(1)
    letters = np.frombuffer(b"ARNDCQEGHILKMFPSTWYV", np.uint8)
    sequences = [random.choice(letters, 64).tobytes().decode() for _ in range(16 * size)]
    query = random.choice(letters, 64).tobytes().decode()
    return replace(make_search([query], sequences), best=10, max_evalue=10.0), {"threads": 1}


def make_long_search(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a query and a database that take long."""
    random = np.random.default_rng(1)
    letters = np.frombuffer(b"ARNDCQEGHILKMFPSTWYV", np.uint8)
    sequences = [random.choice(letters, 256).tobytes().decode() for _ in range(64)]
    query = random.choice(letters, 64 * size).tobytes().decode()
    return replace(make_search([query], sequences), best=10, max_evalue=10.0), {"threads": 1}


TRIALS = Trials(
    draw_problem=draw_search,
    solve_by_textbook=search_by_textbook,
    assert_same_answer=check_same_hits,
    make_large_problem=make_large_search,
    make_long_problem=make_long_search,
    symmetries=(ProblemSymmetry("letters read backwards", reverse_letters, _check_same_scores),),
    phases_without_steps=lambda method, backend: frozenset({"alignments"}),
    unread_suffixes=frozenset({".txt", ".tsv", ".csv", ".paf", ".sam"}),
    example_count=12,
)
