"""The engine of Antidiag: everything that computes, nothing that shows.

Importing this package loads neither Qt nor CuPy; a backend is imported when a job needs it.
"""

__version__ = "0.1.0"
