"""Print the dependencies of pyproject.toml that the command line needs: all but those of the window.

python packaging/docker/requirements.py [EXTRA...]
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
WINDOW = ("PySide6", "pyqtgraph")


def command_line_requirements(extras: list[str]) -> list[str]:
    """Return the requirements of the command line and of these extras."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [line for line in project["dependencies"] if not line.startswith(WINDOW)]
    return [*wanted, *(line for extra in extras for line in project["optional-dependencies"][extra])]


if __name__ == "__main__":
    print(*command_line_requirements(sys.argv[1:]), sep="\n")
