"""The page of a summary: headings with names and values, in one text."""

from __future__ import annotations

import html

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QFrame, QTextBrowser

from antidiag.app import theme

Section = tuple[str, list[tuple[str, str]]]
NAMES_WIDTH = 120
"""Pixels of the column of names, so that all values stand below each other."""


class Page(QTextBrowser):
    """Names beside their values, which are broken where they are too wide.

    One document: fifty labels, each as high as its words need, take the window three times as long to lay out.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setAccessibleName("Summary")
        self._sections: list[Section] = []
        theme.notifier.changed.connect(self._write)

    def show_sections(self, sections: list[Section]) -> None:
        """Show these, from the top."""
        self._sections = sections
        self._write()

    def _write(self) -> None:
        self.setHtml("".join(_section(heading, rows) for heading, rows in self._sections))


def _section(heading: str, rows: list[tuple[str, str]]) -> str:
    muted = theme.active().muted
    cells = "".join(
        f"<tr><td width={NAMES_WIDTH} style='color: {muted}; padding-bottom: 3px'>{_escaped(name)}</td>"
        f"<td width='100%' style='padding-bottom: 3px'>{_escaped(value)}</td></tr>"
        for name, value in rows
    )
    table = f"<table width='100%' cellspacing=0 style='margin: 0 0 8px {theme.MARGIN}px'>{cells}</table>"
    return f"<p style='margin: 0 0 4px 0'><b>{_escaped(heading)}</b></p>" + (table if rows else "")


def _escaped(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")
