"""What CPU backends share: compiling, threads, vectors."""

import os

# Numba makes every error that it tries types with, some thousands a program, fit for a terminal's colours.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
