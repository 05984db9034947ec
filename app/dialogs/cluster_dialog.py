"""The dialog that names the Dask cluster to which runs are shared out."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.dialogs.executor_chooser import ExecutorChooser
from antidiag.app.kit.controls.widgets import create_label
from antidiag.app.settings import Settings

WIDTH = 560
EXPLANATION = (
    "The address of the scheduler, such as tcp://host:8786, or the file that it wrote. Without either, Dask's own "
    "configuration names it. Use a scheduler that you or your institution started: it can run code on this machine."
)


class ClusterDialog(QDialog):
    """Asks for the address of a scheduler, shows its workers on request, and keeps the address."""

    cluster_chosen = Signal(object)
    """Sent with the `ExecutorChoice` of the cluster."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Dask cluster")
        self.setMinimumWidth(WIDTH)
        self.chooser = ExecutorChooser((), settings, only_cluster=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.use_button = buttons.addButton("Use cluster", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        box.setContentsMargins(2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN, 2 * theme.MARGIN)
        box.setSpacing(theme.MARGIN)
        box.addWidget(create_label(EXPLANATION, "muted", wrap=True))
        box.addWidget(self.chooser)
        box.addStretch(1)
        box.addWidget(buttons)
        self.use_button.setDefault(True)

    def accept(self) -> None:
        """Keep the address and send the cluster."""
        self.chooser.remember()
        self.cluster_chosen.emit(self.chooser.choice())
        super().accept()
