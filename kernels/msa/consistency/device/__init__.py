"""Device code (CUDA C) of consistency-based alignment, which lies beside this file."""

from pathlib import Path

FOLDER = Path(__file__).parent
