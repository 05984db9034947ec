"""A viewer with a small alignment in it."""

from __future__ import annotations

from typing import Any

import pytest

from app.kit.selection import Selection
from app.views.aligned.view import AlignmentViewer
from tests.app.views.aligned.viewer import alignment


@pytest.fixture
def view(qtbot: Any) -> AlignmentViewer:
    made = AlignmentViewer(Selection())
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    qtbot.waitExposed(made)
    made.show_datum(alignment())
    made.canvas.setFocus()
    return made
