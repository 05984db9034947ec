"""A matrix view that is shown, and its selection."""

import pytest

from antidiag.app.kit.selection import Selection
from antidiag.app.views.matrix.view import MatrixView


@pytest.fixture
def selection():
    return Selection()


@pytest.fixture
def view(qtbot, selection):
    view = MatrixView(selection)
    qtbot.addWidget(view)
    view.resize(700, 640)
    view.show()
    return view
