"""What a person does in the window, for tests of it."""

import contextlib

import pytest

from antidiag.app.kit.view_protocols import GradualView


def cells(window, column):
    """What the table of sequences shows in a column."""
    model = window.sequences.model
    return [model.index(row, column).data() for row in range(model.rowCount())]


def set_parameter(window, name, value):
    """Type a value of a parameter."""
    window.method.parameters.editor(name).set_value(value)
    window.method.parameters.changed.emit()


def run(qtbot, window):
    """Run, and wait for the result."""
    before = len(window.session.entries)
    qtbot.waitUntil(window.method.run_button.isEnabled)
    window.commands["run"].trigger()
    qtbot.waitUntil(lambda: len(window.session.entries) == before + 1)


def sharp(qtbot, view):
    """Wait until a view is complete, also where code is compiled first."""
    if isinstance(view, GradualView):
        for _ in range(20):
            with contextlib.suppress(qtbot.TimeoutError):
                qtbot.waitUntil(lambda: view.sharp)
                return
        pytest.fail(f"{view.id} is not complete")
