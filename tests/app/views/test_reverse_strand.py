"""A pair on the reverse strand as the window shows it: axes, cells, title, and the numbers above the alignment."""

from __future__ import annotations

from typing import Any

import pytest

from antidiag.app.kit.plane import cell_text, matrix_picture
from antidiag.app.kit.results import command_line, result_text
from antidiag.app.kit.selection import Selection
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.app.views.dotplot.view import DotPlotView
from antidiag.app.views.matrix.view import MatrixView
from antidiag.kernels import engine, registry
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.pairwise.problem import build_pair


@pytest.fixture(scope="module")
def result() -> Result:
    pair = [("q", b"GATTACACATTACGGCATCC"), ("t", b"TTTTGGATGCCGTAATGTGTAATCAAAA")]
    data = [Sequence(name, letters, SequenceType.DNA) for name, letters in pair]
    method = registry.find_method("striped-alignment")
    return engine.execute(engine.plan_run(method, build_pair(data, {"strand": "both"}), {}, "cpu"))


def test_axes_and_title_name_the_reverse_complement(result: Result) -> None:
    assert result_text.axis_names(result.problem) == ("q, reverse complement", "t")
    assert "q, reverse complement" in result_text.format_title(result)
    assert "--strand both" in command_line.format_command(result)


def test_a_cell_tells_the_letter_of_the_sequence_as_given(result: Result) -> None:
    picture = matrix_picture.create_picture(result)
    assert "G (complement of letter 20)" in cell_text.meeting_letters(picture.problem, (1, 5))
    assert "before q_reverse_complement" in cell_text.meeting_letters(picture.problem, (0, 5))


@pytest.mark.parametrize("kind", [MatrixView, DotPlotView])
def test_matrix_and_dot_plot_show_the_aligned_strand(qtbot: Any, result: Result, kind: Any) -> None:
    view = kind(Selection())
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    view.show_result(result)
    qtbot.waitUntil(lambda: view.sharp)
    axes = [view.plot.getPlotItem().getAxis(side).labelText for side in ("left", "right", "top", "bottom")]
    assert any("q, reverse complement" in text for text in axes)
    assert view.picture.end == (20, 24)


def test_the_numbers_above_the_alignment_count_down(qtbot: Any, result: Result) -> None:
    view = AlignmentViewer(Selection())
    qtbot.addWidget(view)
    view.show()
    view.show_result(result)
    words = view.pair_summary.numbers
    qtbot.waitUntil(lambda: "Identity" in words.text())
    assert "q <b>20\u20131</b> of 20, reverse strand" in words.text() and "t <b>5\u201324</b> of 28" in words.text()
    assert "without gaps" in words.text() and "of the shorter" in words.text()
