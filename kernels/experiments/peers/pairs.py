"""Peers for two sequences: parasail, Biopython, edlib, scikit-bio.

All of them get the scores of the problem as a matrix over its own letters, so that an ambiguity code or a
wildcard counts the same everywhere. In parasail and Biopython the first letter of a gap costs open + extend.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.pairwise.edit_distance import EDIT_DISTANCE
from antidiag.kernels.pairwise.encoding import encode_pair
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.problem import PAIR
from antidiag.kernels.scoring import SCORE_LIMIT, FreeEnds, Mode

SCORE, PATH = frozenset({"score"}), frozenset({"score", "alignment"})
LIMIT_8, LIMIT_16 = 2**7 - 1, 2**15 - 1
LANES_16 = 8
"""Values of 16 bits in the narrowest vectors that parasail uses."""


@cache
def package_version(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def matrix_letters(problem: PairProblem) -> tuple[str, str]:
    """Return both sequences in the letters of the matrix, in which T stands for U where they are equal."""
    table = np.frombuffer(problem.scoring.matrix.letters.encode(), np.uint8)
    first, second = (table[codes].tobytes().decode() for codes in problem.codes)
    return first, second


def _never_refuse(problem: PairProblem) -> str:
    return ""


def _refuse_problem(refusal: Callable[[Any], str], problem: PairProblem) -> str:
    """Say why a peer cannot compute a problem: by ``refusal``, or because of what no peer computes."""
    if problem.is_undecided:
        return "it aligns one strand; choose the strand forward or reverse"
    if problem.scoring.has_two_pieces:
        return "gap costs have two pieces, which no peer computes (Biopython's gap functions take cubic time)"
    return refusal(problem)


SATURATING = "sat"
"""parasail's variants that try fewer bits first: the fastest of those where scores may be high."""


def _parasail_refusal(kind: str, bits: int | str, problem: PairProblem) -> str:
    """Say why parasail would give a wrong score, or cannot give any (parasail 1.3.4, compared with the reference).

    Its striped scores are wrong where a gap costs nothing to open: the correction of a column ends too early. It does
    not notice where a single score or the first letter of a gap exceeds the range of the fewest bits that it tries.
    """
    scoring = problem.scoring
    if not np.array_equal(scoring.scores, scoring.scores.T):
        return "parasail takes symmetric matrices only"
    if sum(vars(problem.free_ends).values()) == 3:
        return "parasail has no function with three free ends"
    if kind == "striped" and not scoring.open:
        return "striped scores of parasail are wrong where opening a gap is free; use one of its variants with a path"
    fewest = 16 if kind == "trace_scan" else bits
    limit = {SATURATING: LIMIT_8, 16: LIMIT_16}.get(fewest)
    if limit and (single := max(int(np.abs(scoring.scores).max()), scoring.open + scoring.extend)) > limit:
        return f"a score or gap cost of {single:,} exceeds the limit of {limit:,}, beyond which parasail can be wrong"
    if bits == 16 and _largest_score(problem) > LIMIT_16:
        return f"scores could reach {_largest_score(problem):,}, beyond the 16-bit limit of {LIMIT_16:,}"
    return ""


def _largest_score(problem: PairProblem) -> int:
    """Return the largest absolute score that this problem can have."""
    scoring = problem.scoring
    if problem.mode is Mode.LOCAL:
        return int(problem.rows * max(int(scoring.scores.max(initial=0)), 0))
    step = max(int(np.abs(scoring.scores).max(initial=0)), scoring.extend)
    return (problem.rows + problem.columns) * step + 2 * scoring.open


def _prepare_parasail(kind: str, bits: int | str, problem: PairProblem) -> Callable[[], Any]:
    import parasail

    scoring = problem.scoring
    matrix = parasail.matrix_create(scoring.matrix.letters.replace("*", ""), 0, 0)
    known = [scoring.matrix.letters.index(letter) for letter in scoring.matrix.letters.replace("*", "")]
    for row, i in enumerate(known):
        for column, j in enumerate(known):
            matrix.set_value(row, column, int(scoring.scores[i, j]))
    name = _parasail_name(problem)
    functions = [getattr(parasail, f"{name}_{kind}_{tried}") for tried in _parasail_bits(kind, bits, problem)]
    first, second = matrix_letters(problem)
    opening, extend, scale = scoring.open + scoring.extend, scoring.extend, scoring.scale
    # It does not end on row 0 or column 0, where the alignment is empty or one gap; and with traceback its best local
    # score is minus infinity where no letter scores above 0.
    on_borders = (end.score for end in encode_pair(problem).border_ends)
    least = 0 if problem.mode is Mode.LOCAL else max(on_borders, default=-SCORE_LIMIT)

    def call() -> float:
        for function in functions:
            found = function(first, second, opening, extend, matrix)
            if not found.saturated:
                return max(found.score, least) / scale
        raise InputError(f"parasail left the range of {bits} bits")

    return call


def _parasail_name(problem: PairProblem) -> str:
    """Return the beginning of the name of parasail's functions for a mode: "sg_qb_de" frees the start of the first
    sequence (q) and the end of the second (d)."""
    if problem.mode is Mode.LOCAL:
        return "sw"
    free = problem.free_ends
    ends = {(True, False): "b", (False, True): "e", (True, True): "x"}
    sides = ("q", free.first_start, free.first_end), ("d", free.second_start, free.second_end)
    parts = [f"_{side}{ends[start, end]}" for side, start, end in sides if start or end]
    return {"": "nw", "_qx_dx": "sg"}.get("".join(parts), f"sg{''.join(parts)}")


def _parasail_bits(kind: str, bits: int | str, problem: PairProblem) -> tuple[int | str, ...]:
    """Return the widths to try, the fewest bits first.

    trace_scan lets a gap run over all letters of a lane before it looks for overflow. Its own sat variant, which tries
    8 bits, is therefore wrong on short problems already; 16 bits hold as long as such a gap does.
    """
    if (kind, bits) != ("trace_scan", SATURATING):
        return (bits,)
    letters_a_lane = -(-len(problem.first) // LANES_16)
    return (16, 32) if problem.scoring.extend * letters_a_lane <= LIMIT_16 // 2 else (32,)


def _prepare_biopython(alignment: bool, problem: PairProblem) -> Callable[[], float]:
    from Bio.Align import PairwiseAligner
    from Bio.Align.substitution_matrices import Array

    scoring = problem.scoring
    matrix = Array(scoring.matrix.letters, dims=2, data=scoring.matrix.values.copy())
    aligner = PairwiseAligner(mode="local" if problem.mode is Mode.LOCAL else "global", substitution_matrix=matrix)
    aligner.open_gap_score = -(scoring.gap_open + scoring.gap_extend)
    aligner.extend_gap_score = -scoring.gap_extend
    for end, gap in BIOPYTHON_END_GAPS.items():
        if getattr(problem.free_ends, end):
            setattr(aligner, f"{gap}_score", 0)
    first, second = matrix_letters(problem)
    if not alignment:
        return lambda: float(aligner.score(first, second))
    return lambda: float(aligner.align(first, second).score)


def _scikit_bio_refusal(problem: PairProblem) -> str:
    return (
        "" if problem.mode in (Mode.LOCAL, Mode.GLOBAL) else "scikit-bio is offered for whole sequences and local parts"
    )


def _edlib_refusal(problem: PairProblem) -> str:
    scoring, used = problem.scoring, np.unique(np.concatenate(problem.codes))
    scores = scoring.matrix.values[np.ix_(used, used)]
    equal = np.diag(np.diagonal(scores) == 0)  # an ambiguous letter does not even equal itself
    is_unit = np.array_equal(scores, equal - 1.0) and (scoring.gap_open, scoring.gap_extend) == (0, 1)
    if not is_unit or problem.free_ends not in EDLIB_MODES or problem.mode is Mode.LOCAL:
        return (
            "edlib computes edit distances only (match 0, mismatch -1, gap costs 0 and 1), global or with the end or "
            "both ends of the second sequence free"
        )
    return ""


EDLIB_MODES = {
    FreeEnds(): "NW",
    FreeEnds(second_start=True, second_end=True): "HW",
    FreeEnds(second_end=True): "SHW",
}
"""edlib's names of the free ends that it knows; the first sequence is its query."""


def _prepare_edlib(task: str, problem: PairProblem) -> Callable[[], float]:
    import edlib

    first, second = matrix_letters(problem)
    # edlib compares letters: those that do not equal themselves get another letter in the second sequence.
    own = np.diagonal(problem.scoring.matrix.values) < 0
    unequal = "".join(letter for letter, differs in zip(problem.scoring.matrix.letters, own, strict=True) if differs)
    second = second.translate(str.maketrans(unequal, unequal.lower()))
    mode = EDLIB_MODES[problem.free_ends]
    return lambda: -float(edlib.align(first, second, mode=mode, task=task)["editDistance"])


def _prepare_scikit_bio(paths: int, problem: PairProblem) -> Callable[[], float]:
    from skbio.alignment import pair_align
    from skbio.sequence import SubstitutionMatrix

    scoring = problem.scoring
    matrix = SubstitutionMatrix(scoring.matrix.letters, scoring.matrix.values)
    costs = (scoring.gap_open, scoring.gap_extend) if scoring.gap_open else scoring.gap_extend
    first, second = matrix_letters(problem)
    mode = str(problem.mode)
    return lambda: float(
        pair_align(first, second, mode, sub_score=matrix, gap_cost=costs, free_ends=False, max_paths=paths).score
    )


def _pair_peer(
    id: str, name: str, package: str, returns: frozenset[str], counts: str, prepare: Callable[[Any], Any],
    refusal: Callable[[Any], str] = _never_refuse, bytes_a_cell: float = 0.0, gcups: float = 1.0,
) -> Peer:  # fmt: skip
    return Peer(
        id=id,
        name=name,
        problems=(PAIR, EDIT_DISTANCE),
        returns=returns,
        counts=counts,
        install=f"pip install {package}",
        version=partial(package_version, package),
        refusal=partial(_refuse_problem, refusal),
        prepare=prepare,
        score=float,
        answer=lambda value: f"{value:,g}" if value % 1 else f"{int(value):,}",
        host_bytes=lambda problem: int(bytes_a_cell * problem.cells),
        nominal_gcups=gcups,
    )


BIOPYTHON_END_GAPS = {
    "first_start": "left_deletion",
    "first_end": "right_deletion",
    "second_start": "left_insertion",
    "second_end": "right_insertion",
}
"""Biopython's names of the end gaps that cost nothing where an end is free."""
ONE_CALL = "one call on prepared strings and matrix; one thread"
WITH_PATH = f"{ONE_CALL}; the whole matrix is kept for the path"

BITS: dict[int | str, str] = {16: "16 bits", 32: "32 bits", SATURATING: "adaptive bits"}

PEERS = (
    *(
        _pair_peer(
            f"parasail-score-{bits}",
            f"parasail striped, {text}",
            "parasail",
            SCORE,
            ONE_CALL,
            partial(_prepare_parasail, "striped", bits),
            partial(_parasail_refusal, "striped", bits),
            gcups=2.5,
        )
        for bits, text in BITS.items()
    ),
    *(
        _pair_peer(
            f"parasail-path-{bits}",
            f"parasail trace_striped, {text}",
            "parasail",
            PATH,
            WITH_PATH,
            partial(_prepare_parasail, "trace_striped", bits),
            partial(_parasail_refusal, "trace_striped", bits),
            bytes_a_cell=4,
            gcups=0.2,
        )
        for bits, text in BITS.items()
    ),
    _pair_peer(
        "parasail-path-scan",
        f"parasail trace_scan, {BITS[SATURATING]}",
        "parasail",
        PATH,
        WITH_PATH,
        partial(_prepare_parasail, "trace_scan", SATURATING),
        partial(_parasail_refusal, "trace_scan", SATURATING),
        bytes_a_cell=4,
        gcups=0.5,
    ),
    _pair_peer(
        "biopython-score",
        "Biopython PairwiseAligner.score",
        "biopython",
        SCORE,
        ONE_CALL,
        partial(_prepare_biopython, False),
        gcups=0.15,
    ),
    _pair_peer(
        "biopython-path",
        "Biopython PairwiseAligner.align",
        "biopython",
        PATH,
        WITH_PATH,
        partial(_prepare_biopython, True),
        bytes_a_cell=2,
        gcups=0.1,
    ),
    _pair_peer(
        "edlib-score",
        "edlib, distance",
        "edlib",
        SCORE,
        ONE_CALL,
        partial(_prepare_edlib, "distance"),
        _edlib_refusal,
        gcups=10.0,
    ),
    _pair_peer(
        "edlib-path", "edlib, path", "edlib", PATH, ONE_CALL, partial(_prepare_edlib, "path"), _edlib_refusal, gcups=5.0
    ),
    _pair_peer(
        "scikit-bio-score",
        "scikit-bio pair_align, score",
        "scikit-bio",
        SCORE,
        WITH_PATH,
        partial(_prepare_scikit_bio, 0),
        _scikit_bio_refusal,
        bytes_a_cell=12,
        gcups=0.1,
    ),
    _pair_peer(
        "scikit-bio-path",
        "scikit-bio pair_align",
        "scikit-bio",
        PATH,
        WITH_PATH,
        partial(_prepare_scikit_bio, 1),
        _scikit_bio_refusal,
        bytes_a_cell=12,
        gcups=0.1,
    ),
)
