"""The answer of a result, of the class that suits its problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.interface.answers import Answer, PairAlignment, Product, ShortestPaths, StatePath, Structure
from antidiag.interface.data_answers import Alignment, Distances, Tree
from antidiag.kernels import registry
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree as TreeData
from antidiag.kernels.model import Result


def make_answer(result: Result) -> Any:
    """Return the answer of a result, of the class that suits its problem."""
    answer = result.answer
    problem = registry.find_method(result.method).problem_type.id
    by_problem: Mapping[str, Any] = {
        "pair": PairAlignment,
        "edit-distance": PairAlignment,
        "folding": Structure,
        "paths": ShortestPaths,
        "bipartite-paths": ShortestPaths,
        "product": Product,
        "viterbi": StatePath,
        "hmm-evaluation": StatePath,
        "hmm-posterior": StatePath,
    }
    if problem == "search":
        from antidiag.interface.search_hits import SearchHits

        return SearchHits(result)
    if problem in by_problem:
        return by_problem[problem](result)
    if problem == "triple" and answer.alignment is not None:
        return Alignment(_triple_rows(result), result)
    if problem == "hmm-learning":
        from antidiag.interface.models import Model

        return Model(answer.hmm, result)
    data = Answer(result).__antidiag__()
    of_type: Mapping[type, Any] = {AlignedSequences: Alignment, TreeData: Tree, DistanceMatrix: Distances}
    return of_type[type(data[0])](data[0], result) if data and type(data[0]) in of_type else Answer(result)


def _triple_rows(result: Result) -> AlignedSequences:
    """Return the alignment of three sequences."""
    sequences = result.problem.sequences
    rows = result.answer.alignment.gapped_rows(sequences)
    letters = np.array([np.frombuffer(row.encode("ascii"), np.uint8) for row in rows]).reshape(len(rows), -1)
    letters.setflags(write=False)
    return AlignedSequences(tuple(one.name for one in sequences), letters, sequences[0].type, result.problem.title)
