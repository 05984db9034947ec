"""The list of results."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyleOptionViewItem

from antidiag.app.panels.result_table import (
    ANSWER,
    COLUMN_TEXTS,
    INPUT,
    METHOD,
    SHOWN_IF_FITS,
    ResultModel,
    ResultTable,
)
from antidiag.app.session.session import Entry, Session

BESIDE = 14
"""Pixels that the style leaves free beside the text of a cell."""
ALIKE = ("CheckpointedAlignment1", "CheckpointedAlignment2")
LONG = tuple(f"{'Alignment' * 8}{number}" for number in (1, 2))


@pytest.fixture
def table(qtbot, monkeypatch):
    """A table of which `Session.add_result` may be given stand-ins: what is listed of them is their attributes."""
    monkeypatch.setattr("antidiag.app.texts.method_name", lambda result: result.method)
    monkeypatch.setattr(
        "antidiag.app.panels.result_table.COLUMN_TEXTS",
        {**COLUMN_TEXTS, **dict.fromkeys(SHOWN_IF_FITS[:1] + SHOWN_IF_FITS[2:], lambda entry: "x")},
    )
    monkeypatch.setattr("antidiag.app.texts.answer_text", lambda result: "288")
    monkeypatch.setattr("antidiag.app.texts.origin_line", lambda result: f"{result.method} of one x two")
    made = ResultTable(ResultModel(Session(), lambda entry: False))
    qtbot.addWidget(made)
    made.resize(308, 200)
    made.show()
    return made


def fill(table, methods):
    of = SimpleNamespace(title="one x two")
    started = datetime.now(UTC)
    for method in methods:
        table._results._session.add_result(Entry(SimpleNamespace(method=method, started=started, problem=of)))


def shown(table, column):
    """The texts of a column as they are elided."""
    found = []
    for row in range(table.model().rowCount()):
        option = QStyleOptionViewItem()
        option.initFrom(table)
        table.itemDelegateForColumn(column).initStyleOption(option, table.model().index(row, column))
        room = table.columnWidth(column) - BESIDE
        found.append(option.fontMetrics.elidedText(option.text, option.textElideMode, room))
    return found


def test_names_of_methods_are_whole_where_there_is_room(table):
    fill(table, ALIKE)
    assert shown(table, METHOD) == list(reversed(ALIKE))
    assert table.isColumnHidden(INPUT)
    assert table.horizontalHeader().length() == table.viewport().width()
    table.resize(700, 200)
    assert not table.isColumnHidden(INPUT)
    assert shown(table, METHOD) == list(reversed(ALIKE))


def test_names_that_have_no_room_keep_both_ends_and_are_whole_in_the_tip(table):
    fill(table, LONG)
    second, first = shown(table, METHOD)
    assert "\N{HORIZONTAL ELLIPSIS}" in first
    assert (first[:4], first[-1], second[-1]) == ("Alig", "1", "2")
    assert table.model().index(1, METHOD).data(Qt.ItemDataRole.ToolTipRole).startswith(LONG[0])
    assert table.columnWidth(METHOD) + table.columnWidth(ANSWER) < table.viewport().width()
