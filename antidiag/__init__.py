"""Antidiag: dynamic-programming sequence alignment on GPUs, as a Python package.

Importing this package loads neither Qt nor CuPy nor Numba; what a job needs is imported when it runs.
"""

from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
if not (_FOLDER / "kernels").is_dir():
    # In a checkout the parts of the package are folders beside this one; installed, they lie inside it.
    __path__.append(str(_FOLDER.parent))

from antidiag.kernels import __version__  # noqa: E402  # needs the line before

__all__ = ["__version__"]
