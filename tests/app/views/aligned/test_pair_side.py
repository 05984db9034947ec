"""Results of two and of three sequences: rows that wrap, their numbers, steps, links with other views."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels import engine, registry
from antidiag.kernels.alignments import column_counter
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.profiles.profile import profile_from_alignment
from tests.app.views import examples, triples
from tests.app.views.aligned.viewer import Shift, alignment, image, press

FIRST, SECOND = examples.related(200)


def pair(**options: Any) -> Result:
    return examples.result(examples.problem(FIRST, SECOND, **options))


@pytest.fixture(params=["local", "global"])
def result(request: Any, view: AlignmentViewer, qtbot: Any) -> Result:
    made = pair(mode=request.param)
    view.show_result(made)
    qtbot.waitUntil(lambda: view.sharp)
    return made


def test_rows_are_those_of_the_path_and_positions_those_of_the_sequences(view: AlignmentViewer, result: Result) -> None:
    path = result.answer.alignment
    rows = [row.tobytes().decode() for row in view.alignment.letters]
    assert tuple(rows) == path.gapped_rows(*result.problem.sequences)
    view.canvas.go_to(0, rows[0].index(rows[0].strip("-")[0]))
    assert f"letter {rows[0][0]} {path.start[0] + 1}" in view.status.text()
    assert view.finder.go_to(f"j {path.end[1]}") and view.picture.cursor[1] == len(rows[1].rstrip("-")) - 1
    assert not view.finder.go_to(f"i {path.end[0] + 1}") and "has letters" in view.status.text()


def test_numbers_are_those_of_the_alignment(view: AlignmentViewer, result: Result) -> None:
    one, other = result.answer.alignment.gapped_rows(*result.problem.sequences)
    same = sum(a == b for a, b in zip(one, other, strict=True))
    told = view.pair_summary.numbers.text()
    assert f"({same:,})" in told and f"Columns <b>{len(one):,}</b>" in told and "of 200" in told


def test_the_match_line_is_copied_between_the_rows(view: AlignmentViewer, result: Result) -> None:
    columns = view.picture.shape[1]
    view.canvas.select_cells(None, (np.arange(columns) >= 3) & (np.arange(columns) < 40))
    view.pair_summary.copy_lines()
    one, match, other = QApplication.clipboard().text().split("\n")
    assert len(one) == len(match) == len(other) == 37
    for a, mark, b in zip(one, match, other, strict=True):
        assert mark == ("|" if a == b != "-" else " ")


def test_keys_go_from_one_mismatch_and_gap_to_the_next(view: AlignmentViewer, result: Result) -> None:
    one, other = result.answer.alignment.gapped_rows(*result.problem.sequences)
    differing = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b and "-" not in (a, b)]
    chosen: list[int] = []
    view.selection.column_chosen.connect(chosen.append)
    found = []
    view.canvas.go_to(0, 0)
    for _ in differing[differing[0] == 0 :]:
        press(view, Qt.Key.Key_M)
        found.append(view.picture.cursor[1])
    assert found == differing[differing[0] == 0 :] == chosen
    press(view, Qt.Key.Key_M)
    assert "No mismatch after" in view.status.text()
    press(view, Qt.Key.Key_M, Shift)
    assert view.picture.cursor[1] == differing[-2]


def test_the_matrix_and_the_alignment_point_at_each_other(view: AlignmentViewer, result: Result) -> None:
    cells = result.answer.alignment.list_cells()
    view.selection.choose_cell(tuple(cells[31].tolist()), result)
    assert view.picture.cursor[1] == 30
    view.canvas.viewport().setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)  # wherever the mouse was left
    view.selection.hover_cell(tuple(cells[11].tolist()))
    assert view.pair_summary._pointed == 10
    image(view)
    chosen: list[int] = []
    view.selection.column_chosen.connect(chosen.append)
    blocks = view.canvas._wrapped_blocks
    frame = blocks.block_frame(0)
    view.canvas.verticalScrollBar().setValue(0)
    QTest.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton,
                     pos=cell_of(frame.column_x(5.5), frame.row_y(1.5)))  # fmt: skip
    assert chosen == [5] and view.picture.cursor == (1, 5)
    view.commands.insert_gap()
    assert not view.pair_summary.is_linked


def cell_of(x: float, y: float) -> Any:
    from PySide6.QtCore import QPoint

    return QPoint(int(x), int(y))


def test_columns_wrap_and_every_block_is_reached(view: AlignmentViewer, result: Result) -> None:
    view.resize(500, 300)
    image(view)
    blocks, last = view.canvas._wrapped_blocks, view.picture.shape[1] - 1
    assert blocks.block_columns < last and blocks.block_columns % 10 == 0
    view.canvas.go_to(1, last)
    assert (
        view.canvas._wrapped_blocks.visible_blocks(view.canvas.viewport().height()).stop - 1
        == last // blocks.block_columns
    )
    top = view.canvas._wrapped_blocks.top
    press(view, Qt.Key.Key_PageUp)
    assert view.picture.cursor[1] < last and view.canvas._wrapped_blocks.top <= top
    image(view)
    view.canvas.set_wrapped(False)
    assert view.canvas._wrapped_blocks is None
    image(view)


def test_what_was_last_used_for_pairs_is_used_for_pairs(view: AlignmentViewer) -> None:
    view.show_result(pair())
    assert view.canvas.shown_tracks == ["match"] and view.canvas.wrapped
    view.canvas.set_wrapped(False)
    view.show_datum(alignment())
    assert "logo" in view.canvas.shown_tracks and not view.canvas.wrapped
    view.show_result(triples.result(triples.problem()))
    assert (
        view.canvas.shown_tracks == ["identity"]
        and view.canvas.wrapped
        and "Columns" in view.pair_summary.numbers.text()
    )
    view.show_result(pair(mode="global"))
    assert view.canvas.shown_tracks == ["match"] and not view.canvas.wrapped


def test_a_result_without_rows_says_why(view: AlignmentViewer) -> None:
    only = examples.result(examples.problem(FIRST, SECOND), score_only=True)
    assert view.shows(only)
    view.show_result(only)
    assert "score only" in view.pair_summary.explanation.text() and not view.canvas.isVisible()
    view.show_result(examples.result(examples.problem("AAAA", "CCCC")))
    assert "empty" in view.pair_summary.explanation.text()
    view.show_result(pair())
    assert view.canvas.isVisible() and not view.pair_summary.explanation.isVisible()


def test_a_multiple_alignment_has_rows_and_no_numbers_of_a_pair(view: AlignmentViewer) -> None:
    method = registry.find_method("msa-thesis-serial")
    sequences = [Sequence(name, letters, SequenceType.PROTEIN) for name, letters in (("a", b"MILK"), ("b", b"MLK"))]
    made = engine.execute(
        engine.plan_run(method, method.problem_type.make_problem(sequences, {}), {}, "cpu"), keep_rate=False
    )
    view.show_result(made)
    assert len(view.alignment.names) == 2 and not view.pair_summary.numbers.isVisible()
    view.show_result(pair())
    assert view.pair_summary.numbers.isVisible()


def test_a_long_alignment_is_read_on_a_thread(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(column_counter, "MAX_LETTERS_AT_ONCE", 1)
    made = pair()
    view.show_result(made)
    assert view.picture is None
    qtbot.waitUntil(lambda: view.sharp and view.picture is not None)
    assert view.result is made and view.alignment.letters.shape[0] == 2


def test_letters_of_proteins_that_are_alike_are_marked(view: AlignmentViewer) -> None:
    view.show_datum(alignment("MILK-", "MVLE-"))
    assert tracks.match_line(view.picture, 0, 5) == "|:|: "
    view.show_datum(replace(alignment("MILK-", "MVLE-", "MMMMM")))
    assert tracks.match_line(view.picture, 0, 5) == "     " and "match" not in tracks.offered_tracks(view.picture)


@pytest.mark.parametrize("span", ["global", "local"])
def test_profiles_have_their_numbers_too(view: AlignmentViewer, qtbot: Any, span: str) -> None:
    method = registry.find_method("profile-serial")
    parts = [
        profile_from_alignment(alignment(*rows), name=name)
        for rows, name in ((("ACDEF", "AC-EF"), "a"), (("CDE",), "b&c"))
    ]
    problem = method.problem_type.make_problem(parts, {"span": span, "column_score": "sum-of-pairs", "gaps": "affine"})
    made = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False)
    view.show_result(made)
    qtbot.waitUntil(lambda: view.sharp)
    columns, (start, end) = made.answer.operations.size, (made.answer.start[0] + 1, made.answer.end[0])
    assert [row.size for row in view.alignment.letters] == 3 * [columns]
    told = view.pair_summary.numbers.text()
    assert f"Columns <b>{columns}</b>" in told and f"a <b>{start}\u2013{end}</b> of 5" in told and "b&amp;c" in told
    assert view.pair_summary.explanation.text() == ""


def test_an_empty_alignment_of_profiles_says_so(view: AlignmentViewer) -> None:
    method = registry.find_method("profile-serial")
    parts = profile_from_alignment(alignment("WWW")), profile_from_alignment(alignment("PPP"))
    problem = method.problem_type.make_problem(
        parts, {"span": "local", "column_score": "sum-of-pairs", "gaps": "affine"}
    )
    view.show_result(engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False))
    assert "empty" in view.pair_summary.explanation.text() and not view.pair_summary.numbers.isVisible()
