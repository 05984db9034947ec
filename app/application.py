"""Starting the window: scale, theme, the hook for errors nobody expected."""

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
from antidiag.app.jobs.queue import Collector
from antidiag.app.settings import Settings
from antidiag.app.starting import go_on, start_with
from antidiag.app.window import Window
from antidiag.kernels import gui_priority

SCALE_VARIABLE = "QT_SCALE_FACTOR"


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window, with the files named in ``argv``; returns the exit code.

    The environment variable ANTIDIAG_FOLDER keeps settings and session in a folder of its own.
    """
    settings = Settings()
    application = make_application(settings)
    application.styleHints().colorSchemeChanged.connect(lambda: _follow_desktop(application, settings))
    collector = Collector(application)  # before the window, whose threads would collect its garbage
    window = Window(settings)
    collector.set_aside()
    hook = ErrorHook(window)
    hook.install()
    window.show()
    # Its first picture is there before threads want the interpreter; nobody closes it before it runs.
    application.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    QTimer.singleShot(0, window, lambda: go_on(window))
    start_with(window, list(sys.argv[1:] if argv is None else argv))
    code = application.exec()
    collector.stop()
    hook.remove()
    return code


SWITCH_S = 0.1e-3
"""The window gives the interpreter away at every call of Qt, and a job keeps it so long: hundreds of such waits beside
two threads that run Python are a block that is seen. At half of it two such threads need a sixth more of processors."""


def make_application(settings: Settings) -> QApplication:
    """The QApplication, in the user's scale and theme."""
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
        gui_priority.set_gui_thread(threading.get_ident())
    application.setApplicationName("antidiag")
    application.setApplicationDisplayName("Antidiag")
    application.setDesktopFileName("antidiag")
    application.setWindowIcon(QIcon(str(theme.ICONS / "antidiag.svg")))
    theme.apply(application, theme.choice_of(settings.text("theme")))
    return application


class ErrorHook(QObject):
    """Shows an error that nobody caught, once for each kind, instead of losing it on a console."""

    _raised = Signal(str, str)

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._shown: set[str] = set()
        self._before = sys.excepthook
        self._raised.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        sys.excepthook = self._catch
        threading.excepthook = lambda found: self._catch(found.exc_type, found.exc_value, found.exc_traceback)

    def remove(self) -> None:
        sys.excepthook = self._before
        threading.excepthook = threading.__excepthook__

    def _catch(self, kind: type[BaseException], error: BaseException | None, where: TracebackType | None) -> None:
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
        box = QMessageBox(
            QMessageBox.Icon.Warning, "Antidiag", "Something went wrong that should not have.", parent=self._window
        )
        box.setInformativeText(f"{text}\n\nYour data is still open. Please report this with the details below.")
        box.setDetailedText(detail)
        box.open()


def _follow_desktop(application: QApplication, settings: Settings) -> None:
    if settings.text("theme", "system") == "system":
        theme.apply(application, "system")


if __name__ == "__main__":
    sys.exit(main())
