"""Draw the icons of Windows (.ico), macOS (.icns) and AppImage (.png) from resources/icons/antidiag.svg.

pip install pillow resvg-py
python packaging/icons/draw.py
"""

from __future__ import annotations

import io
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SOURCE = FOLDER.parents[1] / "resources" / "icons" / "antidiag.svg"
ICO_SIZES = (16, 20, 24, 32, 40, 48, 64, 128, 256)
ICNS_SIZES = (16, 32, 64, 128, 256, 512, 1024)
PNG_SIZE = 256


def main() -> None:
    """Write the three files beside this one."""
    from PIL import Image
    from resvg_py import svg_to_bytes

    def draw(size: int) -> Image.Image:
        drawn = svg_to_bytes(svg_string=SOURCE.read_text(encoding="utf-8"), width=size, height=size)
        return Image.open(io.BytesIO(bytes(drawn))).convert("RGBA")

    images = {size: draw(size) for size in sorted({*ICO_SIZES, *ICNS_SIZES})}
    ico = [images[size] for size in ICO_SIZES]
    ico[-1].save(FOLDER / "antidiag.ico", sizes=[(size, size) for size in ICO_SIZES], append_images=ico[:-1])
    icns = [images[size] for size in ICNS_SIZES]
    icns[-1].save(FOLDER / "antidiag.icns", append_images=icns[:-1])
    images[PNG_SIZE].save(FOLDER / "antidiag.png")


if __name__ == "__main__":
    main()
