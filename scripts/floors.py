"""Draw the floors of the house, docs/floors.svg, from the import contracts in pyproject.toml.

A row is a floor; what is above may import what is below, and boxes of one row do not import each other.
"""

from __future__ import annotations

import html
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "floors.svg"
WIDTH, MARGIN, GAP = 940, 16, 6
ROW, TITLE, LETTER = 30, 34, 7.2
HOUSES = (("app", "app: everything that shows", "#dbe9f8"), ("kernels", "kernels: everything that computes", "#e3f1df"))
SPECIAL = {"cpu": "cpu (Numba)", "cuda": "cuda (CuPy)"}


def floors(package: str) -> list[list[str]]:
    """The layers of the contract of a package, the highest first, each as its modules."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one.get("containers") == [f"antidiag.{package}"])
    return [[name.strip(" ()") for name in layer.replace(":", "|").split("|")] for layer in layers]


def svg() -> str:
    """The picture."""
    parts: list[str] = []
    top = MARGIN
    for package, title, colour in HOUSES:
        rows = floors(package)
        height = TITLE + len(rows) * (ROW + GAP) + GAP
        parts.append(_box(MARGIN, top, WIDTH - 2 * MARGIN, height, "#ffffff"))
        parts.append(_text(WIDTH / 2, top + TITLE - 12, title, "bold"))
        for number, names in enumerate(rows):
            parts += _row(top + TITLE + number * (ROW + GAP), names, colour)
        top += height + MARGIN
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}" '
    style = 'font-family="DejaVu Sans, Arial, sans-serif" font-size="13" text-anchor="middle">'
    return "\n".join([head + style, f'<rect width="{WIDTH}" height="{top}" fill="#f6f8fa"/>', *parts, "</svg>", ""])


def _row(top: float, names: list[str], colour: str) -> list[str]:
    """Boxes of one floor, as wide as their names need."""
    shown = [SPECIAL.get(name, name) for name in names]
    room = WIDTH - 2 * MARGIN - (len(names) + 1) * GAP
    needed = [len(name) + 4 for name in shown]
    left, parts = float(MARGIN + GAP), []
    for name, letters in zip(shown, needed, strict=True):
        width = room * letters / sum(needed)
        assert width > len(name) * LETTER, f"{name} has no room"
        parts.append(_box(left, top, width, ROW, colour))
        parts.append(_text(left + width / 2, top + ROW / 2 + 5, name))
        left += width + GAP
    return parts


def _box(left: float, top: float, width: float, height: float, colour: str) -> str:
    place = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {place} rx="4" fill="{colour}" stroke="#8c959f"/>'


def _text(x: float, y: float, text: str, weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-weight="{weight}" fill="#1f2328">{html.escape(text)}</text>'


def main() -> int:
    TARGET.write_text(svg(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
