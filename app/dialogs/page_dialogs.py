"""Dialogs with a text page: the About page."""

from __future__ import annotations

from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.kernels import RESOURCES
from antidiag.kernels.engine import package_versions


class PageDialog(QDialog):
    """Shows a Markdown page; links open in the browser."""

    def __init__(self, parent: QWidget | None, title: str, markdown: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(760, 640)
        self.page = QTextBrowser()
        self.page.setOpenLinks(False)
        self.page.anchorClicked.connect(QDesktopServices.openUrl)
        self.page.setMarkdown(markdown)
        self.page.document().setDocumentMargin(2 * theme.MARGIN)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        box.addWidget(self.page)
        box.addWidget(buttons)


def about_dialog(parent: QWidget | None = None) -> PageDialog:
    """Return the About page: name, purpose, versions, licence and third-party software."""
    found = "\n".join(f"- {name} {version}" for name, version in package_versions().items())
    text = (
        "# Antidiag\n\nA workbench for dynamic-programming sequence alignment on GPUs and CPUs: run published "
        f"methods on your sequences, and see what the machine did.\n\n{found}\n\n"
        "MIT licence, (c) 2026 The Antidiag authors.\n\n"
    )
    notices = (RESOURCES / "third-party.md").read_text(encoding="utf-8")
    return PageDialog(parent, "About Antidiag", text + notices.replace("# Third-party", "## Third-party", 1))
