"""The profile view: logo, heat map and table of data and of results, for the eye and for files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from antidiag.app.kit.figures import export
from antidiag.app.kit.selection import Selection
from antidiag.app.views.matrix.view import MatrixView
from antidiag.app.views.profile import profile_drawing
from antidiag.app.views.profile import view as view_module
from antidiag.app.views.profile.view import ProfileView, column_text
from antidiag.kernels import engine, registry
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.profiles import profile_builder, profile_files
from antidiag.kernels.profiles.profile import generate_profile, profile_from_alignment
from tests.app.answers import Answers

ROWS = ("ACDEFG", "ACDE-G", "ACDY-G", "ACWY-G")


def alignment(rows: tuple[str, ...] = ROWS, name: str = "four") -> AlignedSequences:
    letters = np.array([np.frombuffer(row.encode(), np.uint8) for row in rows])
    names = tuple(f"{name}{number}" for number in range(len(rows)))
    return AlignedSequences(names, letters, SequenceType.PROTEIN, name)


@pytest.fixture(scope="module")
def result() -> Result:
    method = registry.find_method("profile-wavefront")
    random = np.random.default_rng(5)
    first, second = (
        generate_profile(70, random),
        profile_from_alignment(alignment(tuple(row * 8 for row in ROWS), "second")),
    )
    problem = method.problem_type.make_problem([first, second], {"column_score": "sum-of-pairs", "gaps": "affine"})
    return engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False)


@pytest.fixture
def view(qtbot: Any) -> ProfileView:
    view = ProfileView(Selection())
    qtbot.addWidget(view)
    view.resize(700, 560)
    view.show()
    view.show_datum(alignment())
    QApplication.processEvents()
    return view


def at(view: ProfileView, column: int, symbol: str = "") -> QPointF:
    """A pixel of a column, in the logo or in the row of a symbol."""
    place = profile_drawing.split_area(view.columns, view.shown, view.columns.height())
    x = view.columns.x_of(column + 0.5)
    if not symbol:
        return QPointF(x, place.logo.center().y())
    rows = view.shown.profile.alphabet
    return QPointF(x, place.heat.top() + (rows.index(symbol) + 0.5) * place.heat.height() / len(rows))


def test_it_shows_alignments_profiles_and_their_results(view: ProfileView, result: Result) -> None:
    assert ProfileView.shows_datum(alignment()) and ProfileView.shows_datum(profile_from_alignment(alignment()))
    assert not ProfileView.shows_datum("text")
    assert ProfileView.shows(result) and MatrixView.shows(result)
    view.show_result(result)
    assert view.profile_choice.count() == 2 and view.shown.profile is result.problem.profiles[0]
    view.profile_choice.setCurrentIndex(1)
    view.profile_choice.activated.emit(1)
    assert view.shown.profile is result.problem.profiles[1]
    view.show_datum(generate_profile(9, np.random.default_rng(2)))
    assert view.result is None and len(view.shown.profile) == 9 and view.profile_choice.isHidden()


def test_the_mouse_says_what_a_column_holds(view: ProfileView) -> None:
    view.columns.pointed.emit(at(view, 3, "Y"))
    assert view.shown.hovered == (3, view.shown.profile.alphabet.index("Y"))
    assert "column 4   Y: 0.5   E 0.50, Y 0.50" in view.status.text()
    view.columns.pointed.emit(at(view, 4))
    assert view.shown.hovered == (4, None)
    assert "- 0.75, F 0.25" in view.status.text()
    view.columns.pointed.emit(None)
    assert view.shown.hovered is None


def test_factors_of_gap_costs_are_told() -> None:
    profile = replace(profile_from_alignment(alignment()), open_factors=np.full(6, 0.25))
    assert column_text(profile, 0).endswith("opening a gap times 0.25")


def test_a_click_leads_to_the_table_and_its_numbers_are_copied(view: ProfileView) -> None:
    view.columns.clicked.emit(at(view, 2))
    assert view.pages.currentIndex() == 1 and {index.row() for index in view.table.selectedIndexes()} == {2}
    view.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:4] == ["Column", "Letter", "Bits", "A"]
    assert lines[1].split("\t")[:2] == ["3", "D"] and "0.750" in lines[1]
    view.copy_table()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 1 + len(ROWS[0])


def test_logo_and_heat_map_are_switched_and_one_stays(view: ProfileView) -> None:
    place = profile_drawing.split_area(view.columns, view.shown, 500)
    assert place.logo.height() > 0 and place.heat.height() > 0
    view._actions["logo"].setChecked(False)
    assert profile_drawing.split_area(view.columns, view.shown, 500).logo.height() == 0
    view._actions["heat"].setChecked(False)
    assert "logo" in view._parts and profile_drawing.split_area(view.columns, view.shown, 500).heat.height() == 0


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_figure_is_written(view: ProfileView, tmp_path: Path, suffix: str) -> None:
    export.save_figure(tmp_path / f"figure{suffix}", view.figure_size(), view.draw_figure, "title")
    assert (tmp_path / f"figure{suffix}").stat().st_size > 2000
    view.copy()
    assert not QGuiApplication.clipboard().image().isNull()


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_the_profile_is_saved_and_reads_back(view: ProfileView, tmp_path: Path, answers: Answers, suffix: str) -> None:
    path = tmp_path / f"profile{suffix}"
    answers.path = path
    view.show_profile(profile_builder.build_profile(alignment(), [1, 2, 3, 4], 1.0))
    view.save_profile()
    assert np.allclose(profile_files.read_profile(path)[0].frequencies, view.shown.profile.frequencies)


def test_a_large_alignment_is_counted_once_somebody_looks(qtbot: Any, view: ProfileView, monkeypatch: Any) -> None:
    monkeypatch.setattr(view_module, "MOST_IMMEDIATE", 0)
    view.hide()
    view.show_datum(alignment(name="large"))
    assert view.shown is None and view.sharp
    view.show()
    qtbot.waitUntil(lambda: view.shown is not None)
    assert view.shown.profile == profile_from_alignment(alignment(name="large"))


def test_many_columns_are_drawn_as_what_tells_most(view: ProfileView) -> None:
    view.show_profile(generate_profile(20_000, np.random.default_rng(3)))
    picture = export.render_image(view.figure_size(), view.draw_figure, 1)
    assert picture.width() == view.columns.width()


def test_the_matrix_has_the_columns_at_its_borders(qtbot: Any, result: Result) -> None:
    matrix = MatrixView(Selection())
    qtbot.addWidget(matrix)
    matrix.resize(700, 600)
    matrix.show()
    matrix.show_result(result)
    qtbot.waitUntil(lambda: matrix._scanned is not None and matrix.sharp)
    plane = matrix.picture.problem
    assert plane.sequences[1].letters.decode() == result.problem.second.consensus
    assert matrix.picture.path.length == result.answer.operations.size
    matrix.go_to("10, 12")
    qtbot.waitUntil(lambda: matrix.sharp and matrix.picture.block is not None)
    text = matrix.describe_cell((10, 12))
    assert "cell (10, 12)   H " in text and plane.describe_column(1, 12) in text
    picture = export.render_image(matrix.figure_size(), matrix.draw_figure, 1)
    assert not picture.isNull()
    assert matrix.go_to("start") and matrix.go_to("end")
