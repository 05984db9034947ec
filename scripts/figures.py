"""Draw the measured points in docs/measured as the Tune workspace draws them, into docs/screenshots.

The points are files of the laboratory (``python main.py sweep`` keeps them); a figure is one line of FIGURES.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
POINTS, TARGET = ROOT / "docs" / "measured", ROOT / "docs" / "screenshots"
WIDTH, HEIGHT = 900, 520

FIGURES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("chunked-cuda", "Heat map", {"x": "s", "y": "h"}),
    ("chunked-cpu", "Heat map", {"x": "s", "y": "h"}),
    ("widths-cuda", "Lines", {"x": "s", "quantity": "gcups", "split": ("length",), "log_x": True}),
    ("widths-cpu", "Lines", {"x": "s", "quantity": "gcups", "split": ("length",), "log_x": True}),
)
"""File of points without its suffix, tab, and settings of the plots."""


def main() -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ANTIDIAG_FOLDER"] = folder
        from antidiag.app import application
        from antidiag.app.kit.figures import export
        from antidiag.app.settings import Settings
        from antidiag.app.tune.plots.plot_tabs import PlotTabs
        from antidiag.app.tune.plots.point_set import PointSet
        from antidiag.kernels.experiments.point_data import point_store
        from antidiag.kernels.experiments.point_data.plot_data import PlotSettings

        app = application.make_application(Settings())
        for name, tab, chosen in FIGURES:
            points = PointSet()
            plots = PlotTabs(points, lambda point, axis: {})
            plots.resize(WIDTH, HEIGHT)
            points.show_points(name, point_store.read_points(POINTS / f"{name}{point_store.SUFFIX}").newest_points)
            plots.apply_settings(PlotSettings(**chosen))
            plots.show_tab(tab)
            plots.show()
            app.processEvents()
            export.save_figure(TARGET / f"{name}.png", plots.tabs.currentWidget().size(), plots.paint_figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
