"""Pairs with options of users: files with soft masks and ambiguous letters, presets, strands, free ends, two pieces.

An attempt writes such files and aligns them as batches, whose answers are the textbook's; computes the same pairs in
pieces, whose table is that of the batch; and searches in a prepared database, whose hits are those in the file itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels import engine, registry
from antidiag.kernels.batch_runs import pair_streams
from antidiag.kernels.batch_runs.pair_streams import PairStream
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.file_conventions import CigarStyle, SoftMasking, use_conventions
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.batch.formats import TABLES
from antidiag.kernels.pairwise.batch.model import PAIRINGS, QUERIES, RECORDS
from antidiag.kernels.pairwise.search import database_maker
from antidiag.kernels.pairwise.search.database import make_memory_database, read_prepared
from antidiag.kernels.registry import result_saving
from antidiag.kernels.scoring import Mode, Strand
from antidiag.kernels.scoring_presets import PRESETS
from antidiag.kernels.trials import TrialChooser

METHODS = ("batch-alignment", "batch-score")
LETTERS = {
    SequenceType.DNA: "ACGTACGTACGTACGTNRYacgt",
    SequenceType.RNA: "ACGUACGUACGUACGUNRYacgu",
    SequenceType.PROTEIN: "ACDEFGHIKLMNPQRSTVWYXBZU*acd",
}
LONGEST, MOST = 45, 5


def try_pair_options(choose: TrialChooser, folder: Path, backend: str) -> None:
    """Try pairs of two drawn files; raise AssertionError where something differs."""
    kind = choose.choose_one(tuple(SequenceType))
    masking, cigar = choose.choose_one(tuple(SoftMasking)), choose.choose_one(tuple(CigarStyle))
    with use_conventions(cigar=cigar, masking=masking):
        count = choose.draw_integer(1, MOST)
        paths = [_write_file(folder / name, kind, count, choose) for name in ("first.fasta", "second.fasta")]
        options = _draw_options(choose, kind, backend)
        _try_batch(choose, folder, paths, kind, options, backend)
        _try_search(choose, folder, paths, kind, backend)


def _write_file(path: Path, kind: SequenceType, count: int, choose: TrialChooser) -> Path:
    """Write sequences that share parts with those of the other file; some titles begin with one word."""
    random, base = choose.make_generator(), "".join(np.random.default_rng(count).choice(list(LETTERS[kind]), LONGEST))
    lines = []
    for number in range(count):
        own = "".join(random.choice(list(LETTERS[kind]), random.integers(1, LONGEST)))
        start = int(random.integers(LONGEST - 5))
        letters = choose.choose_one((own, base[start:] + own[:9], own[:5] + base[: start + 1]))
        lines.append(f">{choose.choose_one(('same', f's{number}'))} {number}\nA{letters}\n")
    path.write_text("".join(lines))
    return path


def _draw_options(choose: TrialChooser, kind: SequenceType, backend: str) -> dict[str, Any]:
    """Return options of pairs as a user sets them."""
    is_protein = kind == SequenceType.PROTEIN
    options: dict[str, Any] = {"mode": str(choose.choose_one(tuple(Mode)))}
    if options["mode"] == Mode.CUSTOM:
        ends = ("first_start", "first_end", "second_start", "second_end")
        options |= {f"free_{end}": choose.choose_one((True, False)) for end in ends}
    if not is_protein:
        options["strand"] = str(choose.choose_one(tuple(Strand)))
    fitting = [one for one in PRESETS if (one.proteins if is_protein else one.nucleotides) is not None]
    chosen = choose.choose_one((None, None, *fitting))
    if chosen is not None:
        options["preset"] = chosen.name
    elif choose.choose_one((True, False)):
        options |= {"gap_model": "two-piece", "gap_open": 2, "gap_extend": 3, "gap_open2": 6, "gap_extend2": 1}
    if choose.choose_one((True, False)) and not is_protein:
        options["ambiguous"] = choose.choose_one((-1.0, 0.0))
    if backend == "cuda":  # which computes batches with one piece
        options = {**options, "preset": "none", "gap_model": "affine"}
        options = {name: value for name, value in options.items() if not name.endswith("2")}
    return options


def _try_batch(
    choose: TrialChooser,
    folder: Path,
    paths: list[Path],
    kind: SequenceType,
    options: Mapping[str, Any],
    backend: str,
) -> None:
    """Compare a batch with the textbook, and its table with that of the pairs in pieces."""
    method, pairing = registry.find_method(choose.choose_one(METHODS)), choose.choose_one(PAIRINGS)
    data = [one for path in paths for one in read_sequences(path, kind)]
    problem = method.problem_type.make_problem(data, {**options, "pairing": pairing})
    result = engine.execute(engine.plan_run(method, problem, {}, backend), keep_rate=False)
    result.answer.check(problem)
    for number in range(problem.pair_count):
        expected = reference.align_pair(problem.make_pair(number))
        found = result.answer.pair_answer(number)
        assert found.score == expected.score, f"pair {number} scores {found.score}, not {expected.score}: {options}"
        if found.alignment is not None:
            assert expected.alignment is not None
            assert found.alignment.start == expected.alignment.start, f"pair {number} starts elsewhere: {options}"
            np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)
    if pairing in (RECORDS, QUERIES):
        _compare_pieces(choose, folder, paths, kind, result, {**options, "pairing": pairing}, backend)


def _compare_pieces(
    choose: TrialChooser,
    folder: Path,
    paths: list[Path],
    kind: SequenceType,
    result: Result,
    options: Mapping[str, Any],
    backend: str,
) -> None:
    method = registry.find_method(result.method)
    suffix = choose.choose_one([one for one in TABLES if one in result_saving.result_suffixes(method)])
    whole, pieces = folder / f"whole{suffix}", folder / f"pieces{suffix}"
    result_saving.write_result(whole, result)
    kept = pair_streams.MOST_PAIRS, pair_streams.KEPT_BYTES
    pair_streams.MOST_PAIRS, pair_streams.KEPT_BYTES = choose.draw_integer(1, 4), choose.choose_one((0, 10**6))
    try:
        stream = PairStream(method, options["pairing"], paths, options, kind, Monitor())
        stream.write_table(pieces, suffix, backend, 0, {})
    finally:
        pair_streams.MOST_PAIRS, pair_streams.KEPT_BYTES = kept
    assert pieces.read_bytes() == whole.read_bytes(), f"{suffix} in pieces is not that of one run: {options}"


def _try_search(choose: TrialChooser, folder: Path, paths: list[Path], kind: SequenceType, backend: str) -> None:
    """Compare the hits in a prepared database with those in the sequences as they are."""
    method, target = registry.find_method("smith-waterman-search"), folder / "second.adb"
    database_maker.make_database([paths[1]], target, None, kind)
    queries = list(read_sequences(paths[0], kind))
    options = {"max_evalue": choose.choose_one((10.0, 1e6)), "best": choose.choose_one((0, 1, 3))}
    found = [
        _search(method, queries, database, options, backend)
        for database in (read_prepared(target), make_memory_database(list(read_sequences(paths[1], kind)), "second"))
    ]
    assert found[0] == found[1], f"hits in the prepared database differ: {options}"


def _search(
    method: Any, queries: list[Sequence], database: Any, options: Mapping[str, Any], backend: str
) -> list[tuple[Any, ...]]:
    """Return the hits of a search; no hits where the scores have no E-values."""
    try:
        problem = method.problem_type.make_problem([*queries, database], options)
    except ParameterError:
        return []
    answer = engine.execute(engine.plan_run(method, problem, {}, backend), keep_rate=False).answer
    answer.check(problem)
    return [
        (int(answer.query[hit]), int(answer.numbers[answer.subject[hit]]), int(answer.scores[hit]))
        for hit in range(len(answer))
    ]
