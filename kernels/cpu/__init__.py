"""Shared by all CPU backends: compilation, vectors, threads, and the scaffold of a run."""

import os

# Numba formats thousands of internal type errors while it compiles; colours would only cost time.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
