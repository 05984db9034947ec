"""Spin boxes whose text stands as far from the border as that of other fields.

Some versions of Qt apply no horizontal padding of a style sheet to them, so that it is 0 there.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox

TEXT_MARGIN = 7
"""Pixels between border and text, as in the style sheet."""


def indent_text(box: QAbstractSpinBox) -> None:
    """Keep the text of a spin box away from its border."""
    box.lineEdit().setTextMargins(TEXT_MARGIN, 0, 0, 0)


class SpinBox(QSpinBox):
    """A field for a whole number."""

    def __init__(self, **properties: Any) -> None:
        super().__init__(**properties)
        indent_text(self)


class DoubleSpinBox(QDoubleSpinBox):
    """A field for a number."""

    def __init__(self, **properties: Any) -> None:
        super().__init__(**properties)
        indent_text(self)
