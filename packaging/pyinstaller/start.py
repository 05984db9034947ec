"""The entry of both programs of the bundle: antidiag-gui opens the window, antidiag also runs commands."""

import multiprocessing
import sys
from pathlib import Path

from antidiag.app.main import open_window, run_and_exit

if __name__ == "__main__":
    multiprocessing.freeze_support()
    sys.exit(open_window() if Path(sys.executable).stem.lower().endswith("-gui") else run_and_exit())
