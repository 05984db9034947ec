"""The triple problem as it is built, shown and saved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from Bio import AlignIO

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.registry import result_saving
from antidiag.kernels.triple.problem import TRIPLE
from tests.problems import sequence

ROWS = ("ACGTACGTAC", "ACGACGTAC", "ACGTCGTTAC")


@pytest.fixture(scope="module")
def result() -> Result:
    given = [sequence(letters, f"row {number}") for number, letters in enumerate(ROWS)]
    problem = TRIPLE.build_problem(given, {})
    return engine.execute(engine.plan_run(registry.find_method("sloped-bt2"), problem, {}, "cpu"))


def test_three_sequences_are_taken() -> None:
    with pytest.raises(InputError, match="3 sequences"):
        TRIPLE.build_problem([sequence("ACG")] * 2, {})


def test_gaps_are_linear_where_none_are_given() -> None:
    nucleotides = TRIPLE.build_problem([sequence(letters) for letters in ROWS], {})
    proteins = TRIPLE.build_problem(
        [sequence(letters, "x", SequenceType.PROTEIN) for letters in ROWS], {"gap_open": 11}
    )
    assert (nucleotides.scoring.gap_open, nucleotides.scoring.gap_extend) == (0, 5)
    assert (proteins.scoring.gap_open, proteins.scoring.gap_extend, proteins.scoring.matrix.name) == (11, 8, "BLOSUM62")


def test_letters_without_a_score_are_named() -> None:
    with pytest.raises(InputError, match="position 2"):
        TRIPLE.build_problem([sequence("A1"), *[sequence(letters) for letters in ROWS[:2]]], {})


def test_json_has_the_answer_and_the_cost(result: Result, tmp_path: Path) -> None:
    result_saving.write_result(tmp_path / "a.json", result)
    saved = json.loads((tmp_path / "a.json").read_text())
    assert {"score", "aligned", "start", "end", "cells", "gcups", "times_ms"} <= saved.keys()
    assert saved["start"] == [0, 0, 0] and saved["end"] == [10, 9, 10] and saved["cells"] == 900
    assert [row.replace("-", "") for row in saved["aligned"]] == list(ROWS)
    assert {"phase 1", "phase 2", "phase 3", "compilation", "transfer"} == saved["times_ms"].keys()


@pytest.mark.parametrize(
    ("suffix", "format"),
    [(".fasta", "fasta"), (".aln", "clustal"), (".sto", "stockholm"), (".phy", "phylip-relaxed"), (".nex", "nexus")],
)
def test_alignments_are_read_back_by_biopython(result: Result, tmp_path: Path, suffix: str, format: str) -> None:
    result_saving.write_result(tmp_path / f"a{suffix}", result)
    found = AlignIO.read(tmp_path / f"a{suffix}", format)
    aligned = result.answer.alignment.gapped_rows(result.problem.sequences)
    assert [str(record.seq) for record in found] == list(aligned)
    assert [record.id for record in found] == ["row_0", "row_1", "row_2"]


def test_people_see_score_columns_and_identity(result: Result) -> None:
    saved = dict(TRIPLE.answer_rows(result))
    assert saved["Score"] == TRIPLE.format_answer(result)
    assert saved["Identical"].endswith("%") and saved["Columns"] == str(result.answer.alignment.moves.size)


def test_options_build_the_problem_again(result: Result) -> None:
    again = TRIPLE.build_problem(result.problem.sequences, TRIPLE.option_values(result.problem))
    assert again == result.problem
