"""Draw the figures of docs/explanation, by the commands that stand below them.

python scripts/explanation_figures.py
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

FIGURES = ROOT / "docs" / "figures"
DRAWN = re.compile(r"^!\[[^\]]+\]\(\.\./figures/([\w-]+\.svg)\)\n\nDrawn by `antidiag ([^`]+)`\.$", re.MULTILINE)


def drawn_figures() -> dict[str, list[str]]:
    """Return the arguments of the command that draws each figure, by its file name."""
    found = {}
    for page in sorted((ROOT / "docs" / "explanation").glob("*.md")):
        for name, command in DRAWN.findall(page.read_text(encoding="utf-8")):
            found[name] = shlex.split(command)
    return found


def main() -> None:
    """Draw all figures; an error of a command ends it."""
    from antidiag.app.cli import program

    FIGURES.mkdir(exist_ok=True)
    for name, arguments in drawn_figures().items():
        assert arguments[-2:] == ["--out", name], f"the command of {name} writes another file"
        if program.main([*arguments[:-1], str(FIGURES / name)]):
            raise SystemExit(f"{name} was not drawn")
        print(FIGURES / name)


if __name__ == "__main__":
    main()
