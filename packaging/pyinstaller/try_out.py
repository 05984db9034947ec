"""Try a bundle out: its version, a run, and its window without a screen.

python packaging/pyinstaller/try_out.py dist/antidiag
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WINDOW_S = 600
"""Seconds after which a window that has not written its session is taken to be stuck; a busy machine takes minutes."""


def main(folder: Path) -> None:
    """Raise where a program of the bundle does not work."""
    suffix = ".exe" if os.name == "nt" else ""
    command, window = folder / f"antidiag{suffix}", folder / f"antidiag-gui{suffix}"
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "ANTIDIAG_FOLDER": empty}
        for name in ("PYTHONPATH", "PYTHONHOME"):
            environment.pop(name, None)
        for arguments in (["--version"], ["info"], ["run", "striped-score", _sample(folder), "--backend", "cpu"]):
            print(subprocess.check_output([command, *arguments], cwd=empty, env=environment, text=True).strip())
        _try_window(window, Path(empty), environment)
    print("the window stood")


def _sample(folder: Path) -> str:
    return str(next(folder.rglob("human-haemoglobin.fasta")).resolve())


def _try_window(window: Path, settings: Path, environment: dict[str, str]) -> None:
    """Open the window, wait until it has saved its session, and end it."""
    log = settings / "window.log"
    with open(log, "w", encoding="utf-8") as written:
        process = subprocess.Popen([window], cwd=settings, env=environment, stdout=written, stderr=written)
    until = time.monotonic() + WINDOW_S
    try:
        while not any(settings.glob("*.antidiag")):
            if process.poll() is not None or time.monotonic() > until:
                said = log.read_text(encoding="utf-8")
                raise SystemExit(f"the window did not stand (exit code {process.poll()}):\n{said}")
            time.sleep(0.2)
    finally:
        process.terminate()
        process.wait(timeout=30)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
