"""The progress dialog while the session is saved at the end."""

from __future__ import annotations

import time

from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtWidgets import QApplication, QProgressDialog

AFTER_S = 0.3
"""Seconds before the dialog appears."""
PARTS = 100


class SaveProgress:
    """Called with the saved share; shows it if saving takes long. End it with `close`."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self.dialog: QProgressDialog | None = None

    def __call__(self, share: float) -> None:
        if self.dialog is None and time.monotonic() - self._since > AFTER_S:
            self.dialog = _make_dialog()
        if self.dialog:
            self.dialog.setValue(round(share * PARTS))
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)

    def close(self) -> None:
        """Close the dialog."""
        if self.dialog:
            self.dialog.close()


def _make_dialog() -> QProgressDialog:
    made = QProgressDialog("Saving the session ...", "", 0, PARTS)
    made.setWindowTitle("Antidiag")
    made.setCancelButton(None)
    made.setAutoClose(False)
    made.setAutoReset(False)
    made.setWindowFlag(Qt.WindowType.WindowCloseButtonHint, False)
    made.show()
    return made
