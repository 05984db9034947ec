"""A tree on the screen."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from antidiag.app.kit.selection import Selection
from antidiag.app.views.tree.tree_view import TreeView
from tests.app.views import tree_examples


@pytest.fixture
def view(qtbot) -> TreeView:
    view = TreeView(Selection())
    qtbot.addWidget(view)
    view.resize(760, 640)
    view.show()
    view.show_datum(tree_examples.tree())
    QApplication.processEvents()
    view.canvas.repaint()
    return view
