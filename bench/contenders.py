"""The programs that are compared: each is a call on a pair that returns its score."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

from bench.pairs import Pair
from kernels import engine, registry
from kernels.model import Result

PARASAIL_SCORE, PARASAIL_PATH = "sw_striped_32", "sw_trace_striped_32"


def ours(pair: Pair, method: str, backend: str = "cpu", **parameters: int) -> Callable[[], Result]:
    """A run of one of our methods, planned before it is timed."""
    planned = engine.plan(registry.method(method), pair.problem, parameters, backend)  # type: ignore[arg-type]
    return lambda: engine.execute(planned)


def has_parasail() -> bool:
    return importlib.util.find_spec("parasail") is not None


def parasail(pair: Pair, function: str) -> Callable[[], int]:
    """A function of parasail. There the first letter of a gap costs open + extend; unknown letters score 0."""
    import parasail as library

    options = pair.options
    if "matrix" in options:
        matrix = library.Matrix(str(options["matrix"]).lower())
    else:
        matrix = library.matrix_create("ACGT", options["match"], options["mismatch"])
    first, second = pair.first.letters.decode(), pair.second.letters.decode()
    opening = int(options["gap_open"]) + int(options["gap_extend"])  # type: ignore[call-overload]
    call = getattr(library, function)
    return lambda: call(first, second, opening, options["gap_extend"], matrix).score


def biopython(pair: Pair) -> Callable[[], float]:
    """The score of Biopython's PairwiseAligner, with the same matrix."""
    from Bio.Align import PairwiseAligner
    from Bio.Align.substitution_matrices import Array

    scoring = pair.problem.scoring
    matrix = Array(scoring.matrix.letters, dims=2, data=scoring.matrix.values.copy())
    aligner = PairwiseAligner(mode="local", substitution_matrix=matrix)
    aligner.open_gap_score = -(scoring.gap_open + scoring.gap_extend)
    aligner.extend_gap_score = -scoring.gap_extend
    first, second = pair.first.letters.decode(), pair.second.letters.decode()
    return lambda: aligner.score(first, second)
