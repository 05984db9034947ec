"""Qt for commands that draw: it is loaded when a figure is asked for, and needs no screen."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.util import find_spec
from typing import Any

from antidiag.app.invocation import HOW_TO_INSTALL
from antidiag.kernels.errors import InputError


def check_qt(what: str, advice: str = "") -> None:
    """Raise InputError if the packages that draw are not installed; ``what`` needs them."""
    if find_spec("PySide6") is None or find_spec("pyqtgraph") is None:
        raise InputError(f"{what} needs PySide6 and pyqtgraph, which are not installed; {HOW_TO_INSTALL}{advice}")


def load_drawing(module: str, what: str) -> Any:
    """Import a module of the program that draws with Qt. Raise InputError if Qt cannot be loaded."""
    if sys.platform.startswith("linux") and not os.environ.get("QT_QPA_PLATFORM"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(f"{what}: Qt cannot be loaded: {error}; {HOW_TO_INSTALL}") from error
