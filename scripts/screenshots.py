"""Render the window with real results into docs/screenshots: light and dark, and the matrix at 200 %.

Each picture is made by a process of its own, because the device pixel ratio is fixed when Qt starts.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antidiag.app.window import Window

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "screenshots"
PICTURES = (("light", 100), ("dark", 100), ("light", 200))
TABS = {
    "light": ("aligned", "matrix", "dotplot", "timeline", "phases", "summary"),
    "dark": ("aligned", "matrix", "dotplot"),
}
FILES = {"aligned": "alignment"}
"""Names of pictures of the pair that are not those of the views."""
SAMPLE = "mitochondria"
CELLS, CELLS_SAMPLE, PLACE = "cells", "haemoglobin-pair", "54, 59"
"""Name, sample and place of the picture of single cells."""
CUBE_SAMPLE, CUBE_METHOD, CUBE_TABS = "globin-triple", "sloped-bt2", ("cube", "orders")
CUBE_PARAMETERS, ORDERS_STEP = {"s": 32, "h": 32, "threads": 4}, 9
TREE_SAMPLE, TREE_TABS, JOINS_MADE = "globins", ("tree", "joins", "distances"), 12
ALIGNED_SAMPLE, ALIGNED_TRACKS, ALIGNED_PLACE = "globin-alignment", ("quality",), "HPETLE"
COMPARED_METHOD, COMPARED_PLACE = "msa-clustalw", "KVEADV"
"""By which the family is aligned anew, to be compared with, and what is seen of both."""
PROFILE_ROWS, PROFILE_METHOD = {"HBA": "alpha globins", "HBB": "beta globins"}, "profile-wavefront"
PROFILE_OPTIONS, PROFILE_SPAN = {"column_score": "sum-of-pairs", "gaps": "position"}, (24, 60)
PROFILE_PLACE = "20:75, 20:75"
"""How the rows of ALIGNED_SAMPLE begin that are two profiles, how they are aligned, and what of them is seen."""
GROWTH_METHOD, GROWTH_STEPS = "msa-clustalw", 4
"""By which the family of the tree is aligned, and the moments before the end that are shown."""
TROPICAL = {
    "states": ("cpg-clone", "viterbi-persistent", {}, "states", ""),
    "trellis": ("cpg-clone", "viterbi-tree", {}, "states", "4650"),
    "graph": ("five-vertices", "floyd-blocked", {"start": "1", "end": "3"}, "graph", ""),
    "structure": ("yeast-trna", "nussinov", {}, "structure", ""),
}
"""Sample, method, options, view and place of each picture of the tropical family."""
LEARN_PAGES = {"learn-0": 0, "plays": 1, "lectures": 2, "exercises": 3, "learn-1": 4}
"""Names of pictures, and rows of the pages of Learn."""
PLAYED, BESIDE, PLAYED_TICK = "layered", "sloped", 14
LECTURE_SCENE = 13
SWEEP_METHOD, SWEEP_AXES = "chunked-alignment-1", {"s": "64:1024:64", "h": "64:1024:*2"}
SWEEP_TABS = {"lines": "Lines", "heat": "Heat map", "bars": "Phases"}
"""Names of pictures and of tabs of Tune."""

SEARCH_SAMPLE, SEARCH_METHOD, SEARCH_HIT = "globins", "smith-waterman-search", 5
"""Sample of which the first sequence is searched for in the others, and the place of the hit that is looked at."""

SCREEN = 1600, 1000
TIMEOUT_S = 600


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--theme", choices=("light", "dark"), help="make the pictures of this theme, in this process")
    parser.add_argument("--scale", type=int, default=100)
    parser.add_argument("--target", type=Path, default=TARGET)
    chosen = parser.parse_args()
    if chosen.theme:
        return render(chosen.theme, chosen.scale, chosen.target)
    for theme, scale in PICTURES:
        subprocess.run(
            [sys.executable, __file__, "--theme", theme, "--scale", str(scale), "--target", str(chosen.target)],
            check=True,
        )
    return 0


def render(theme_name: str, scale: int, target: Path) -> int:
    """Run a sample and save a picture of each of TABS; of the matrix alone where the scale is not 100 %."""
    os.environ["QT_SCALE_FACTOR"] = f"{scale / 100:g}"
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ANTIDIAG_FOLDER"] = os.environ["XDG_DATA_HOME"] = folder  # no settings and points of the user's
        os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={screen(Path(folder), scale)}"
        from antidiag.app import application
        from antidiag.app.jobs.queue import GarbageCollector
        from antidiag.app.settings import Settings
        from antidiag.app.window import Window
        from antidiag.kernels import registry
        from antidiag.kernels.recovery import interrupted_runs

        interrupted_runs.runs_folder = lambda: Path(folder) / "runs"  # nor interrupted runs of the user's
        settings = Settings()
        settings.put("theme", theme_name)
        wrong: list[BaseException] = []

        def note(kind: type[BaseException], error: BaseException, trace: Any) -> None:
            wrong.append(error)
            sys.__excepthook__(kind, error, trace)

        sys.excepthook = note
        collector = GarbageCollector(application.make_application(settings))
        window = Window(settings)
        window.show()
        target.mkdir(parents=True, exist_ok=True)
        ending = f"{theme_name}.png" if scale == 100 else f"{theme_name}-{scale}.png"
        run(window, SAMPLE)
        for view in TABS[theme_name] if scale == 100 else ("matrix",):
            save(window, view, target / f"{FILES.get(view, view)}-{ending}")
        if scale == 100:
            make_sweep(window)
            for name, tab in SWEEP_TABS.items():
                window.tune.plots.show_tab(tab)
                grab(window, target / f"tune-{name}-{ending}")
            window.turn_to(0)
            window.method.choose(registry.find_method("striped-alignment"))
            run(window, CELLS_SAMPLE)
            save(window, "matrix", target / f"{CELLS}-{ending}", PLACE)
            make_cube(window, CUBE_SAMPLE)
            for view in CUBE_TABS:
                save(window, view, target / f"{view}-{ending}")
            make_alignment(window, ALIGNED_SAMPLE)
            grab(window, target / f"aligned-{ending}")
            make_compared(window)
            grab(window, target / f"compared-{ending}")
            with split_tabs(window):
                grab(window, target / f"split-{ending}")
            make_profiles(window, ALIGNED_SAMPLE)
            save(window, "profile", target / f"profile-{ending}")
            save(window, "matrix", target / f"profile-matrix-{ending}", PROFILE_PLACE)
            make_tree(window, TREE_SAMPLE)
            for view in TREE_TABS:
                save(window, view, target / f"{view}-{ending}")
            make_growth(window)
            grab(window, target / f"growth-{ending}")
            for name, (sample, method, options, view, place) in TROPICAL.items():
                run_on(window, sample, method, options)
                save(window, view, target / f"{name}-{ending}", place)
            run_on(window, SEARCH_SAMPLE, SEARCH_METHOD, {})
            window.viewer.turn_to("hits")
            hits: Any = window.viewer.current
            wait(lambda: hits.sharp)
            hits.table.go_to(SEARCH_HIT)
            save(window, "hits", target / f"hits-{ending}")
            window.turn_to(2)
            for name, page in LEARN_PAGES.items():
                window.learn.contents.setCurrentRow(page)
                play_pages(window)
                grab(window, target / f"{name}-{ending}")
        window.close()
        collector.stop()
    return 1 if wrong else 0


def play_pages(window: Window) -> None:
    """Two methods side by side, in the middle of their play, and a scene of a lecture."""
    from antidiag.kernels import registry
    from antidiag.kernels.registry import lectures

    learn = window.learn
    if learn.walkthroughs.isVisible():
        learn.walkthroughs.choose_methods(registry.find_method(PLAYED), registry.find_method(BESIDE))
        learn.walkthroughs.controls.go_to(PLAYED_TICK)
    if learn.lectures.isVisible():
        learn.lectures.open_lecture(lectures.find_lecture("long-pairs"))
        learn.lectures.scene_list.setCurrentRow(LECTURE_SCENE)
        if learn.lectures.player is not None:
            learn.lectures.player.controls.go_to(learn.lectures.player.last_tick)


def screen(folder: Path, scale: int) -> Path:
    """The description of a screen that the window fits on at this scale, as Qt's offscreen platform reads it."""
    width, height = (length * scale // 100 for length in SCREEN)
    path = folder / "screen.json"
    shape = {"name": "screen", "x": 0, "y": 0, "width": width, "height": height, "logicalDpi": 96, "dpr": 1}
    path.write_text(json.dumps({"screens": [{**shape, "logicalBaseDpi": 96}]}))
    return path


def run(window: Window, sample_id: str) -> None:
    """Open a sample in place of what is open, and run the chosen method on it."""
    from antidiag.kernels.registry.samples import bundled_samples

    sample = next(sample for sample in bundled_samples() if sample.id == sample_id)
    window.session.remove(range(len(window.session.state.sequences)))
    window.loader.open_sample(sample)
    wait(lambda: bool(window.session.state.sequences))
    finish(window)


def finish(window: Window) -> None:
    """Run the chosen method on what is open."""
    before = len(window.session.entries)
    wait(lambda: window.method.run_button.isEnabled() and not window.planner.busy)
    window.run()
    wait(lambda: len(window.session.entries) > before and not window.planner.busy)


def run_on(window: Window, sample_id: str, method_id: str, options: dict[str, Any]) -> None:
    """Run a method with options on a sample of any kind of data, in place of what is open."""
    from antidiag.kernels import registry
    from antidiag.kernels.registry.samples import bundled_samples

    window.method.set_values(registry.find_method(method_id), options, {})
    window.session.remove(range(len(window.session.state.sequences)))
    window.session.remove_data(range(len(window.session.state.data)))
    window.loader.open_sample(next(sample for sample in bundled_samples() if sample.id == sample_id))
    finish(window)


def make_cube(window: Window, sample_id: str) -> None:
    """The cube of three sequences, with what phase 3 computed again, and both orders after some steps."""
    from antidiag.kernels import registry

    window.method.set_values(registry.find_method(CUBE_METHOD), {}, CUBE_PARAMETERS)
    run(window, sample_id)
    window.viewer.turn_to("cube")
    cube: Any = window.viewer.current
    cube.colour.setCurrentIndex(2)
    window.viewer.turn_to("orders")
    orders: Any = window.viewer.current
    orders.player.go_to(ORDERS_STEP)


def make_growth(window: Window) -> None:
    """A multiple alignment in the middle of its growth along the guide tree."""
    run_on(window, TREE_SAMPLE, GROWTH_METHOD, {})
    window.viewer.turn_to("growth")
    view: Any = window.viewer.current
    wait(lambda: view.has_content)
    for _ in range(GROWTH_STEPS):
        view.step(-1)


def make_sweep(window: Window) -> None:
    """A sweep of a method over two of its parameters on what is open, with its fastest point chosen."""
    from antidiag.kernels import registry

    window.method.choose(registry.find_method(SWEEP_METHOD))
    window.turn_to(1)
    form, points = window.tune.form, window.tune.points
    for axis, (name, values) in zip(form.axis_editors.editors, SWEEP_AXES.items(), strict=True):
        axis.set_value(name, values)
    wait(lambda: not window.planner.busy)
    window.tune.start_sweep()
    wait(lambda: not window.tune.active_measurements)
    points.choose_point(min(points.measured, key=lambda point: point.median_value("compute_ms") or float("inf")))


def make_alignment(window: Window, sample_id: str) -> None:
    """An alignment of a family in the viewer, coloured as Clustal does, with a block chosen."""
    import numpy as np

    from antidiag.kernels.registry.samples import find_sample

    window.session.remove(range(len(window.session.state.sequences)))
    window.session.remove_data(range(len(window.session.state.data)))
    window.loader.open_sample(find_sample(sample_id))
    wait(lambda: window.viewer.datum is not None)  # it is shown a turn of the event loop after it is there
    view: Any = window.viewer.current
    view.set_scheme("clustal")
    for name in ALIGNED_TRACKS:
        view.set_track(name, True)
    view.finder.go_to(ALIGNED_PLACE)
    rows, columns = (np.arange(size) for size in view.picture.shape)
    view.canvas.select_cells((rows >= 5) & (rows < 14), (columns >= 26) & (columns < 40))
    wait(lambda: view.sharp)


def make_compared(window: Window) -> None:
    """The alignment in the viewer with a tree beside it, and one of the same sequences by a method below."""
    from antidiag.kernels import registry
    from antidiag.kernels.io.aligned_sequences import unaligned_sequences
    from antidiag.kernels.registry import alignment_trees, realignment

    view: Any = window.viewer.current
    view.canvas.set_tracks(["consensus"])
    view.tree.compute_tree(next(iter(alignment_trees.tree_criteria())))
    wait(lambda: view.sharp)
    view.tree.sort_rows()
    letters = realignment.align_sequences(registry.find_method(COMPARED_METHOD), unaligned_sequences(view.alignment))
    letters.setflags(write=False)
    view.canvas.clear_selection()
    view.comparison.compare_with(replace_letters(view.alignment, letters, "aligned by ClustalW"), visible=True)
    view.finder.go_to(COMPARED_PLACE)
    wait(lambda: view.sharp)


@contextlib.contextmanager
def split_tabs(window: Window) -> Iterator[None]:
    """The alignment and the one it is compared with in tabs side by side; afterwards the first alone."""
    from antidiag.app.kit.view_protocols import GradualView

    view: Any = window.viewer.current
    first, second = window.viewer.datum, view.comparison.result.other
    view.tree.show_tree(None)
    view.comparison.end_comparison()
    window.session.add_data([second])
    for datum, beside in ((first, False), (second, True)):
        window.data.tab_wanted.emit(datum, beside)
        wait(lambda: not window.shown_data.is_opening)
        shown: Any = window.viewer.current
        shown.set_scheme("clustal")
        shown.canvas.set_tracks(["logo", "consensus", "conservation"])
        shown.finder.go_to(COMPARED_PLACE)
        wait(partial(lambda shown: not isinstance(shown, GradualView) or shown.sharp, shown))
    yield
    window.session.remove_data([1])
    window.commands["close_tab"].trigger()
    window.data.show_current()
    settle(0.2)


def replace_letters(alignment: Any, letters: Any, name: str) -> Any:
    """The same rows with other columns, and nothing that is said of those."""
    from antidiag.kernels.io.aligned_sequences import AlignedSequences

    return AlignedSequences(alignment.names, letters, alignment.type, name)


def make_profiles(window: Window, sample_id: str) -> None:
    """Two parts of a family, aligned as profiles."""
    from dataclasses import replace

    import numpy as np

    from antidiag.kernels import registry
    from antidiag.kernels.alignments import alignment_edits
    from antidiag.kernels.registry.samples import find_sample

    (family,) = find_sample(sample_id).read_data()
    parts = []
    for begin, name in PROFILE_ROWS.items():
        rows = np.array([row for row, one in enumerate(family.names) if one.startswith(begin)])
        part = alignment_edits.take_rows(family, rows)
        there = np.flatnonzero((part.letters != ord("-")).any(axis=0))
        parts.append(replace(alignment_edits.take_columns(part, there), name=name))
    window.session.remove_data(range(len(window.session.state.data)))
    window.session.add_data(parts)
    window.method.set_values(registry.find_method(PROFILE_METHOD), PROFILE_OPTIONS, {})
    finish(window)
    window.viewer.turn_to("profile")
    view: Any = window.viewer.current
    view.columns.show_span(*PROFILE_SPAN)


def make_tree(window: Window, sample_id: str) -> None:
    """Distances of a sample, and the tree of them, coloured, with a clade selected."""
    from antidiag.kernels import registry

    window.method.choose(registry.find_method("distance-full"))
    run(window, sample_id)
    window.viewer.keep.click()
    window.method.set_values(registry.find_method("nj-pruned"), {"root": "midpoint"}, {})
    finish(window)
    window.viewer.turn_to("joins")
    joins: Any = window.viewer.current
    joins.player.go_to(JOINS_MADE)
    window.viewer.turn_to("tree")
    tree: Any = window.viewer.current
    tree.set_colouring("word")
    tree.editor.ladderize_below()
    tree.choose(tree.tree.path(tree.tree.names.index("alpha_goose"))[2])


def save(window: Window, view: str, path: Path, place: str = "") -> None:
    """Save a picture of the window with this view, at a place of the matrix where one is named."""
    from antidiag.app.kit.view_protocols import GradualView

    window.viewer.turn_to(view)
    widget: Any = window.viewer.current
    wait(lambda: not isinstance(widget, GradualView) or widget.sharp)
    if place:
        widget.go_to(place)
        settle(0.5)
        wait(lambda: widget.sharp)
    grab(window, path)


def grab(window: Window, path: Path) -> None:
    """Save a picture of the window as it is."""
    from PySide6.QtGui import QImage

    settle(1)
    picture = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    picture.save(str(path), quality=0)


def wait(ready: Callable[[], bool]) -> None:
    """Let the window work until something is so."""
    until = time.monotonic() + TIMEOUT_S
    while not ready():
        if time.monotonic() > until:
            raise SystemExit("the window did not get there in time")
        settle(0.02)


def settle(seconds: float) -> None:
    """Let the window work for a while."""
    from PySide6.QtWidgets import QApplication

    until = time.monotonic() + seconds
    while time.monotonic() < until:
        QApplication.processEvents()
        time.sleep(0.005)


if __name__ == "__main__":
    sys.exit(main())
