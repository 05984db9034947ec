"""Questions by dialogs of the system: the folder and the name that they propose, and suffixes of files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from antidiag.app import settings
from antidiag.app.kit import ask
from antidiag.kernels import engine, registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Sequence, SequenceType
from tests.app.answers import Answers


@pytest.fixture
def parent(qtbot: Any) -> QWidget:
    found = QWidget()
    qtbot.addWidget(found)
    return found


def test_dialogs_begin_in_the_folder_of_the_last_file(parent: QWidget, answers: Answers, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "figures").mkdir()
    answers.path = tmp_path / "data" / "kringle.fasta"
    assert ask.open_paths(parent, "Open", "FASTA (*.fasta)") == [answers.path]
    answers.path = tmp_path / "figures" / "kringle.svg"
    assert ask.save_path(parent, "Save figure", "kringle-msa.svg", "SVG (*.svg)") == answers.path
    settings.Settings().save()  # as at the end of the program; the next start reads it again
    answers.path = ""
    assert ask.open_path(parent, "Open lecture", "Lectures (*.json)") is None
    assert ask.save_path(parent, "Save figure", "other.svg", "SVG (*.svg)") is None
    home, data, figures = Path.home(), tmp_path / "data", tmp_path / "figures"
    assert answers.proposed == [home, data / "kringle-msa.svg", figures, figures / "other.svg"]
    assert settings.Settings().text(ask.FOLDER) == str(figures)


def test_dialogs_begin_in_the_folder_that_was_chosen_last(parent: QWidget, answers: Answers, tmp_path: Path) -> None:
    answers.path = tmp_path
    assert ask.open_folder(parent, "Folder of the results") == tmp_path
    answers.path = ""
    assert ask.open_folder(parent, "Folder of the input files") is None
    assert answers.proposed == [Path.home(), tmp_path]


def test_a_folder_that_is_gone_is_not_proposed(parent: QWidget, answers: Answers, tmp_path: Path) -> None:
    settings.Settings().put(ask.FOLDER, str(tmp_path / "gone"))
    ask.save_path(parent, "Save", "a.csv", "CSV (*.csv)")
    assert answers.proposed == [Path.home() / "a.csv"]


@pytest.mark.parametrize(
    ("typed", "chosen", "known", "saved"),
    [
        ("out", "PAF (*.paf)", [".paf"], "out.paf"),
        ("out.2", "PAF (*.paf)", [".paf"], "out.2.paf"),
        ("out.PAF", "CSV (*.csv)", [".paf", ".csv"], "out.PAF"),
        ("out", "All formats (*)", [".paf"], "out"),
        ("out", "", None, "out.png"),
        ("out.pdf", "PNG (*.png)", None, "out.pdf"),
    ],
)
def test_a_name_without_a_suffix_gets_that_of_the_filter(
    parent: QWidget, answers: Answers, tmp_path: Path, typed: str, chosen: str, known: Any, saved: str
) -> None:
    answers.path, answers.filter = tmp_path / typed, chosen
    assert ask.save_path(parent, "Save", "a.png", "PNG (*.png);;PDF (*.pdf)", known) == tmp_path / saved


def test_names_of_files_are_made_from_the_data() -> None:
    one, two = (Sequence(name, b"ACGT", SequenceType.DNA, source="kringle.fasta.gz") for name in ("a", "b/c"))
    method = registry.find_method("striped-score")

    def named(*data: Sequence) -> str:
        problem = method.problem_type.make_problem(data, {})
        return ask.suggest_name(engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False), "result")

    assert named(one, two) == "kringle-striped-score"
    assert named(replace(one, source=""), replace(two, source="")) == "a-b_c-striped-score"
    assert ask.suggest_name(one, "sequences") == "kringle" and ask.suggest_name(None, "matrix", "matrix") == "matrix"
    assert ask.suggest_name(one, "tree", "tree") == "kringle-tree"


def test_a_file_that_cannot_be_used_is_said(parent: QWidget, answers: Answers, tmp_path: Path) -> None:
    def use_file(path: Path) -> None:
        raise InputError(f"{path}: no tree")

    answers.path = tmp_path / "x.nwk"
    ask.open_and_use(parent, "Trees", "Trees (*)", use_file)
    assert answers.warnings == [f"{tmp_path / 'x.nwk'}: no tree"]
