"""A window is put together without its style sheet."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app import theme
from app.window import Window


@theme.undressed()
def fails() -> None:
    assert not QApplication.instance().styleSheet()
    raise ValueError("what is put together is wrong")


def test_what_was_undressed_is_dressed_again_whatever_happens(window: Window) -> None:
    sheet = QApplication.instance().styleSheet()
    assert sheet == theme.style_sheet(theme.active())
    with pytest.raises(ValueError, match="put together"):
        fails()
    assert QApplication.instance().styleSheet() == sheet
