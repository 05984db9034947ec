"""Time of a frame in the alignment viewer, offscreen: scrolling, zooming and editing alignments of several sizes, and
what opening them takes; and how long the window does not answer while it has a million records.

    make bench-gui
    make bench-gui ARGS="family.msf --large --records 0"

A frame is everything from a wheel's notch or a key to the painted window. Each is made 100 times; the median and the
99th percentile are printed, how much of them a processor worked, which other programs of the machine change less, and
how many times the frame of 60 a second, 16.7 ms, the last of these takes. --large makes alignments of 1,000 x 1,000,000
and 100,000 x 10,000, which take 2 GB of disk and 3 GB of memory. How the whole window opens them is in
window_alignments.py, and what is done with the records in window_records.py.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
FRAME_MS = 1000 / 60
FRAMES = 100
SMALL, LARGE = ((100, 1000), (5000, 2000)), ((1000, 1_000_000), (100_000, 10_000))
WIDTH, HEIGHT = 1600, 1000
RECORDS = 1_000_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="alignments to measure too")
    parser.add_argument("--large", action="store_true", help="also the largest sizes")
    parser.add_argument("--blocks", action="store_true", help="how long the window does not answer, instead")
    parser.add_argument("--records", type=int, default=RECORDS, help="how many the window has then; 0 for no window")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.blocks:
        return max([beside(f"window_{name}.py") for name in ("blocks", "views", "restoring")])
    if chosen.one:
        return measure(chosen.files[0])
    with tempfile.TemporaryDirectory() as folder:
        for rows, columns in SMALL + LARGE * chosen.large:
            path = make(Path(folder) / f"{rows}x{columns}.fasta", rows, columns)
            _measured(path)
            path.unlink()
        for path in chosen.files:
            _measured(path)
    return beside("window_records.py", "--records", str(chosen.records)) if chosen.records else 0


def beside(script: str, *arguments: str) -> int:
    """Run a script of this folder in a process of its own; its exit code."""
    sys.stdout.flush()
    return subprocess.run([sys.executable, str(Path(__file__).with_name(script)), *arguments]).returncode


def _measured(path: Path) -> None:
    """Measure the viewer alone, then the whole window, each in a process of its own with the memory of this alone."""
    sys.stdout.flush()
    subprocess.run([sys.executable, __file__, "--one", str(path)], check=True)
    beside("window_alignments.py", str(path))


def make(path: Path, rows: int, columns: int) -> Path:
    """Rows of DNA that differ in a tenth of their letters, with a stretch of gaps each."""
    import numpy as np

    random = np.random.default_rng(1)
    first = random.choice(np.frombuffer(b"ACGT", np.uint8), columns)
    with open(path, "wb") as target:
        for number in range(rows):
            row = first.copy()
            row[random.integers(0, columns, columns // 10)] = random.choice(np.frombuffer(b"ACGT-", np.uint8))
            start = int(random.integers(0, columns))
            row[start : start + columns // 20] = ord("-")
            target.write(b">row_%d\n" % number)
            lines = row[: columns // 60 * 60].reshape(-1, 60)
            target.write(np.insert(lines, 60, ord("\n"), axis=1).tobytes() + row[lines.size :].tobytes() + b"\n")
    return path


def measure(path: Path) -> int:
    sys.path.insert(0, str(ROOT))
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    import psutil
    from PySide6.QtWidgets import QApplication

    from antidiag.app import theme
    from antidiag.app.kit.selection import Selection
    from antidiag.app.session import data_loader as opening
    from antidiag.app.views.aligned.view import AlignmentViewer
    from antidiag.kernels.monitor import Monitor
    from antidiag.kernels.registry import data_loading

    application = QApplication([])
    theme.apply(application, "light")
    view = AlignmentViewer(Selection())
    view.resize(WIDTH, HEIGHT)
    view.show()
    _warm(view, application)
    before = psutil.Process().memory_info().rss
    start, worked = time.perf_counter(), time.process_time()
    found = data_loading.read_data(path)[0]
    opening.prepare_datum(found, Monitor())
    read, read_cpu = time.perf_counter() - start, time.process_time() - worked
    view.show_datum(found)
    _paint(view, application)
    shown = time.perf_counter() - start
    while not view.sharp:
        application.processEvents()
        time.sleep(0.005)
    counted = time.perf_counter() - start
    memory = psutil.Process().memory_info().rss - before
    print(f"\n{path.name}: {found.summary}, window {WIDTH} x {HEIGHT}")
    share = memory / found.letters.size
    print(f"read {read:.2f} s ({read_cpu:.2f} s of a processor), first picture {shown:.2f} s, all tracks "
          f"{counted:.2f} s, memory {memory / 1e6:,.0f} MB, {share:.2f} bytes a letter")  # fmt: skip
    print("| frames of | median ms | 99th percentile ms | of a processor ms | 99th percentile ms | of 16.7 ms |\n"
          "| --- | --- | --- | --- | --- | --- |")  # fmt: skip
    for name, prepare, step in _scenes(view):
        prepare()
        _paint(view, application)
        frames = [_timed(step, view, application) for _ in range(FRAMES)]
        times, worked_ms = (sorted(part) for part in zip(*frames, strict=True))
        print(f"| {name} | {median(times):.1f} | {times[-2]:.1f} | {median(worked_ms):.1f} | {worked_ms[-2]:.1f} | "
              f"{worked_ms[-2] / FRAME_MS:.2f} |")  # fmt: skip
    memory = psutil.Process().memory_info().rss - before
    print(f"memory afterwards {memory / found.letters.size:.2f} bytes a letter")
    sys.stdout.flush()
    os._exit(0)


def _scenes(view) -> list[tuple[str, Callable[[], None], Callable[[], None]]]:
    """What is done a frame: its name, what goes before, and the step."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    canvas = view.canvas

    def scroll(down: float, across: float) -> Callable[[], None]:
        def step() -> None:
            canvas.frame_.first_row += down / canvas.frame_.cell_height
            canvas.frame_.first_column += across / canvas.frame_.cell_width
            canvas.repaint_all()

        return step

    def start(width: float, height: float) -> Callable[[], None]:
        def prepare() -> None:
            canvas.fit_all()
            canvas.frame_.zoom_at(width / canvas.frame_.cell_width, height / canvas.frame_.cell_height, 0, 0,
                               view.picture.shape)  # fmt: skip
            canvas.repaint_all()

        return prepare

    def top() -> None:
        start(11, 17)()
        canvas.go_to(0, 0)

    scenes = [
        ("scrolling letters down", top, scroll(51, 0)),
        ("scrolling letters right", top, scroll(0, 55)),
        ("scrolling cells of 2 x 2 pixels", start(2, 2), scroll(20, 20)),
        ("zooming into the whole", canvas.fit_all, lambda: canvas.zoom_cells(1.1, 1.1)),
        ("columns wider, from the whole", canvas.fit_all, lambda: canvas.zoom_cells(1.1, 1)),
    ]
    scenes.append(("a gap by a key", top, lambda: QTest.keyClick(canvas, Qt.Key.Key_Space)))
    scenes.append(("a block of a tenth of the rows moved", lambda: _choose_block(view), _there_and_back(view)))
    return scenes


def _choose_block(view) -> None:
    """Letters of a tenth of the rows with gaps on their right, which are made room for first."""
    import numpy as np

    rows, columns = view.alignment.letters.shape
    chosen, block = np.arange(rows) < rows // 10, np.zeros(columns, bool)
    block[columns // 2 : columns // 2 + 2] = True
    view.canvas.zoom_to_letters()
    view.canvas.go_to(0, columns // 2)
    view.canvas.select_cells(chosen, block)
    view.commands.insert_gap()
    view.commands.insert_gap()


def _there_and_back(view) -> Callable[[], None]:
    steps = cycle((-1, 1))
    return lambda: view.commands.move_cells(next(steps))


def _timed(step: Callable[[], None], view, application) -> tuple[float, float]:
    """Milliseconds of a frame, and those in which a processor worked on it."""
    start, worked = time.perf_counter(), time.thread_time()
    step()
    while view.commands.busy:
        application.processEvents()
    _paint(view, application)
    return 1000 * (time.perf_counter() - start), 1000 * (time.thread_time() - worked)


def _paint(view, application) -> None:
    """Paint now what waits for it."""
    view.canvas.viewport().repaint()
    view.overview.repaint()
    application.processEvents()


def _warm(view, application) -> None:
    """Compile what is compiled, with an alignment of two rows."""
    from antidiag.kernels.io import aligned_sequences

    view.show_datum(aligned_sequences.read_alignment_text(">a\nACG-\n>b\nACGT\n")[0])
    for _ in range(3):
        _paint(view, application)
        view.canvas.fit_all()
        view.canvas.zoom_cells(0.5, 0.5)


if __name__ == "__main__":
    raise SystemExit(main())
