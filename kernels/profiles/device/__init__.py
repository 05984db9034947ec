"""Device code (CUDA C) of profile methods, which lies beside this file."""

from pathlib import Path

FOLDER = Path(__file__).parent
