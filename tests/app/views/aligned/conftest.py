"""A viewer with a small alignment in it."""

from __future__ import annotations

from typing import Any

import pytest

from antidiag.app.kit.selection import Selection
from antidiag.app.views.aligned.editing import edit_history
from antidiag.app.views.aligned.view import AlignmentViewer
from tests.app.views.aligned.viewer import alignment


@pytest.fixture(params=["arrays", "tiles"])
def view(qtbot: Any, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> AlignmentViewer:
    """``tiles``: the letters are held as those of large alignments are."""
    if request.param == "tiles":
        monkeypatch.setattr(edit_history, "LARGE_LETTERS", 0)
    made = AlignmentViewer(Selection())
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    qtbot.waitExposed(made)
    made.show_datum(alignment())
    made.canvas.setFocus()
    return made
