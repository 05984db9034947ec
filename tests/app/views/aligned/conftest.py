"""A viewer with a small alignment in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antidiag.app.kit.selection import Selection
from antidiag.app.views.aligned.editing import edit_history
from antidiag.app.views.aligned.view import AlignmentViewer
from tests.app.views.aligned.viewer import alignment

FOLDER = Path(__file__).parent
SAME_PICTURE = {
    "test_saving.py",
    "test_kept.py",
    "test_tree_side.py",
    "test_pair_side.py",
    "test_colours.py",
    "test_comparing.py",
    "test_posteriors.py",
}
"""Files that test what is painted, which is the same for arrays and tiles; tests/kernels/alignments compares both."""


@pytest.hookimpl(tryfirst=True)  # before slow tests are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is painted of tiles as slow."""
    for item in items:
        if item.path.parent == FOLDER and item.path.name in SAME_PICTURE and "tiles" in item.name:
            item.add_marker(pytest.mark.slow)


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
