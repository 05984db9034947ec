"""Layouts without margins of their own, filled in one call."""

from __future__ import annotations

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from antidiag.app import theme

BoxContent = QWidget | QLayout | tuple[QWidget | QLayout, int]


def column_of(*parts: BoxContent, parent: QWidget | None = None, spacing: int = theme.SPACING) -> QVBoxLayout:
    """Return widgets and layouts below each other, on a parent where there is one; a pair is a part and its stretch."""
    column = QVBoxLayout(parent) if parent else QVBoxLayout()
    _fill_box(column, parts, spacing)
    return column


def row_of(*parts: BoxContent, parent: QWidget | None = None, spacing: int = theme.SPACING) -> QHBoxLayout:
    """Return widgets and layouts side by side, on a parent where there is one; a pair is a part and its stretch."""
    row = QHBoxLayout(parent) if parent else QHBoxLayout()
    _fill_box(row, parts, spacing)
    return row


def _fill_box(box: QBoxLayout, parts: tuple[BoxContent, ...], spacing: int) -> None:
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(spacing)
    for part in parts:
        content, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(content, QLayout):
            box.addLayout(content, stretch)
        else:
            box.addWidget(content, stretch)
