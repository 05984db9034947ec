"""Dialogs that show text: the help page of a method, the keys, what this program is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.kernels.engine import versions
from antidiag.kernels.method import Method


class PageDialog(QDialog):
    """A page of Markdown; links open in the browser."""

    def __init__(self, parent: QWidget | None, title: str, markdown: str, folder: Path | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(760, 640)
        self.page = QTextBrowser()
        self.page.setOpenLinks(False)
        self.page.anchorClicked.connect(QDesktopServices.openUrl)
        if folder:
            self.page.document().setBaseUrl(QUrl.fromLocalFile(f"{folder}/"))
        self.page.setMarkdown(markdown)
        self.page.document().setDocumentMargin(2 * theme.MARGIN)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        box.addWidget(self.page)
        box.addWidget(buttons)


def help_of(method: Method, parent: QWidget | None = None) -> PageDialog:
    """The help page of a method, with its reference and its parameters."""
    return PageDialog(parent, f"{method.name} - Help", method_page(method), method.page.parent)


def method_page(method: Method) -> str:
    """Markdown: summary, reference, the family's page, and a table of the parameters."""
    try:
        body = method.page.read_text(encoding="utf-8")
    except OSError:
        body = ""
    rows = [f"| {parameter.label} | {parameter.help} | {parameter.expected()} |" for parameter in method.parameters]
    table = "\n".join(["| Parameter | Meaning | Values |", "| --- | --- | --- |", *rows])
    head = f"# {method.name}\n\n{method.summary}\n\n*{method.citation.text()}*"
    return f"{head}\n\n## Parameters\n\n{table}\n\n{body}"


def about(parent: QWidget | None = None) -> PageDialog:
    """Name, purpose and versions."""
    found = "\n".join(f"- {name} {version}" for name, version in versions().items())
    text = (
        "# Antidiag\n\nA workbench for dynamic-programming sequence alignment on GPUs and CPUs: run published "
        f"methods on your sequences, and see what the machine did.\n\n{found}\n"
    )
    return PageDialog(parent, "About Antidiag", text)
