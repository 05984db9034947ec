"""The engine of Antidiag: everything that computes, nothing that shows.

Importing this package loads neither Qt nor CuPy; a backend is imported when a job needs it.
"""

from pathlib import Path

__version__ = "0.2.0"

ROOT = Path(__file__).parent
"""The folder of the engine."""

RESOURCES = ROOT.parent / "resources"
"""The data that ship with the program."""

CHECKOUT = ROOT.parent if (ROOT.parent / "main.py").is_file() else None
"""The root of the checkout that the program runs from; None where it is installed."""
