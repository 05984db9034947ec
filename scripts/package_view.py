"""Run a tool that reads sources without running them on the package as it is installed.

    python scripts/package_view.py lint-imports
    python scripts/package_view.py mypy

In a checkout the parts of the package lie beside it, and ``antidiag/__init__.py`` finds them when it runs. Tools that
run nothing need them inside: this script makes a folder of links, ``build/package``, and runs the tool there.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VIEW = ROOT / "build" / "package"
PARTS = ("app", "kernels", "resources")
BESIDE = ("bench", "main.py", "scripts", "tests")
CONFIGURED = {
    "lint-imports": ("--config", str(ROOT / "pyproject.toml")),
    "mypy": ("--config-file", str(ROOT / "pyproject.toml")),
}


def make_view() -> Path:
    """Make the folder of links where it is missing; return it."""
    package = VIEW / "antidiag"
    package.mkdir(parents=True, exist_ok=True)
    for path in (ROOT / "antidiag").iterdir():
        if path.name != "__pycache__":
            _link(package / path.name, path)
    for name in PARTS:
        _link(package / name, ROOT / name)
    for name in BESIDE:
        _link(VIEW / name, ROOT / name)
    return VIEW


def _link(link: Path, target: Path) -> None:
    if not link.is_symlink():
        link.symlink_to(target)


def main(arguments: list[str]) -> int:
    """Run a tool in the folder of links; return its exit code."""
    tool, *rest = arguments
    command = [str(Path(sys.executable).with_name(tool)), *CONFIGURED[tool], *rest]
    return subprocess.run(command, cwd=make_view(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
