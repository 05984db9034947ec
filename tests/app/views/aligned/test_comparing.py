"""Another alignment of the same sequences: scores, track, the canvas below, in step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt

from app.views.aligned.view import AlignmentViewer
from tests.app.views.aligned.viewer import ROWS, alignment, press


def test_a_reference_is_a_track_until_an_edit_makes_it_none(view: AlignmentViewer) -> None:
    view.compare_with(alignment())
    assert "SP 1.000, TC 1.000" in view._status.text() and view.picture.tracks["agreement"].tolist() == [1] * 15
    view.canvas.go_to(0, 3)
    view.commands.insert_gap()
    assert 0 < view.picture.tracks["agreement"][4] < 1
    view.canvas.choose(np.arange(5) == 0, None)
    view.commands.delete()
    assert "agreement" in view.canvas.tracks  # fewer rows than the reference has are still compared
    view.commands.typing = True
    view.canvas.go_to(0, 4)
    press(view, Qt.Key.Key_Delete)
    view.show_datum(alignment("AC", "A-"))
    assert "agreement" not in view.canvas.tracks


def test_a_reference_may_have_fewer_rows(view: AlignmentViewer) -> None:
    view.compare_with(replace(alignment(*ROWS[:3]), name="three"))
    assert "Against three: SP 1.000" in view._status.text() and "agreement" in view.canvas.tracks
    assert view.picture.tracks["agreement"].tolist() == [1] * 15
