"""Starts the window: scale, theme, and a hook for unexpected errors."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Sequence
from types import TracebackType

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QMessageBox

from antidiag.app import theme
from antidiag.app.jobs.queue import GarbageCollector
from antidiag.app.settings import FONT, FONT_SIZE, LETTER_FONT, THEME, Settings
from antidiag.app.startup import load_after_start, start_with
from antidiag.app.window import Window

SCALE_VARIABLE = "QT_SCALE_FACTOR"


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window with the files named in ``argv``; return the exit code.

    The environment variable ANTIDIAG_FOLDER moves settings and session to another folder.
    """
    settings = Settings()
    application = make_application(settings)
    application.styleHints().colorSchemeChanged.connect(lambda: _follow_desktop(application, settings))
    collector = GarbageCollector(application)  # before the window, whose threads would collect its garbage
    window = Window(settings)
    collector.set_aside()
    hook = ErrorHook(window)
    hook.install()
    window.show()
    # The first picture is drawn before threads compete for the interpreter.
    application.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    QTimer.singleShot(0, window, lambda: load_after_start(window))
    start_with(window, list(sys.argv[1:] if argv is None else argv))
    code = application.exec()
    collector.stop()
    hook.remove()
    return code


SWITCH_S = 0.1e-3
"""Seconds after which a thread that runs Python gives the interpreter to the window. Qt calls release the interpreter,
and hundreds of such waits add up: with Python's 5 ms the window stops for 190 ms beside a job of neighbor joining, with
this value for less than 50 ms. Half of this value costs two threads 17 % more CPU time."""


def make_application(settings: Settings) -> QApplication:
    """Return the QApplication with the user's scale and theme."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        application = existing
    else:
        scale = settings.number("scale", 100)
        if scale != 100 and SCALE_VARIABLE not in os.environ:
            os.environ[SCALE_VARIABLE] = f"{scale / 100:g}"
        QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
        application = QApplication(["antidiag"])
        sys.setswitchinterval(SWITCH_S)
    application.setApplicationName("antidiag")
    application.setApplicationDisplayName("Antidiag")
    application.setDesktopFileName("antidiag")
    application.setWindowIcon(QIcon(str(theme.ICONS / "antidiag.svg")))
    theme.choose_fonts(application, settings.text(FONT), float(settings.number(FONT_SIZE)), settings.text(LETTER_FONT))
    theme.apply(application, theme.choice_of(settings.text(THEME)))
    return application


class ErrorHook(QObject):
    """Shows each uncaught error once in a dialog, instead of losing it on a console."""

    _raised = Signal(str, str)

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._shown: set[str] = set()
        self._before = sys.excepthook
        self._raised.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Handle the uncaught errors of all threads."""
        sys.excepthook = self._handle_error
        threading.excepthook = lambda found: self._handle_error(found.exc_type, found.exc_value, found.exc_traceback)

    def remove(self) -> None:
        """Restore the previous handlers."""
        sys.excepthook = self._before
        threading.excepthook = threading.__excepthook__

    def _handle_error(
        self, kind: type[BaseException], error: BaseException | None, where: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        detail = "".join(traceback.format_exception(kind, error, where))
        self._raised.emit(f"{kind.__name__}: {error}", detail)

    def _show(self, text: str, detail: str) -> None:
        self._window.jobs.log(detail.rstrip())
        if text in self._shown:
            return
        self._shown.add(text)
        box = QMessageBox(QMessageBox.Icon.Warning, "Antidiag", "An unexpected error occurred.", parent=self._window)
        box.setInformativeText(f"{text}\n\nYour data are still open. Please report this error with the details below.")
        box.setDetailedText(detail)
        box.open()


def _follow_desktop(application: QApplication, settings: Settings) -> None:
    if settings.text("theme", "system") == "system":
        theme.apply(application, "system")


if __name__ == "__main__":
    sys.exit(main())
