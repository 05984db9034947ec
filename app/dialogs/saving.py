"""What is said while what is open is saved at the end."""

from __future__ import annotations

import time

from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtWidgets import QApplication, QProgressDialog

AFTER_S = 0.3
"""What takes less needs no words."""
PARTS = 100


class Saving:
    """Called with the share that is saved, shows it once saving has taken a moment; to be ended with `close`."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self.dialog: QProgressDialog | None = None

    def __call__(self, share: float) -> None:
        if self.dialog is None and time.monotonic() - self._since > AFTER_S:
            self.dialog = _dialog()
        if self.dialog:
            self.dialog.setValue(round(share * PARTS))
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)

    def close(self) -> None:
        if self.dialog:
            self.dialog.close()


def _dialog() -> QProgressDialog:
    made = QProgressDialog("Saving what is open, so that it is there next time.", "", 0, PARTS)
    made.setWindowTitle("Antidiag")
    made.setCancelButton(None)
    made.setAutoClose(False)
    made.setAutoReset(False)
    made.setWindowFlag(Qt.WindowType.WindowCloseButtonHint, False)
    made.show()
    return made
