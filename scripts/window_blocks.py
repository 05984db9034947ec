"""How long the window does not answer: the longest blocks of its event loop, offscreen, while it starts, opens two
genomes of 1 Mb, runs jobs, paints every view of their results and measures a sweep.

    make bench-gui ARGS=--blocks
    python scripts/window_blocks.py --letters 1000000

Of every part the longest block is printed in ms by the clock; how long of it the window was ready and no processor
free (where the system counts that, as Linux does); the longest that any thread of this program worked in, such as one
that holds the interpreter; and the longest that the thread of the window itself worked in. What the clock says beyond
the others is the machine: other programs, or its disks. With --where, the stacks in which long blocks were seen.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[1]
SCHEDULED = Path("/proc/thread-self/schedstat")
ALLOWED_MS = 50
PATIENCE_S, REMOVING_S = 120, 5
SEEN_MS, LOOK_S, LINES, TOLD = 20, 0.003, 7, 3
"""From when on a block is looked into, and how often; lines of a stack, and stacks, that are told."""

Played = TypeVar("Played", bound="Scenes")


class Blocks:
    """Times between two turns of the event loop, by part; a thread looks where the long ones are."""

    def __init__(self, where: bool) -> None:
        self.part = ""
        self.longest: dict[str, tuple[float, float]] = {}
        self.stacks: dict[str, dict[str, tuple[float, int]]] = {}
        self._last, self._worked = time.perf_counter(), time.thread_time()
        if where:
            threading.Thread(target=self._watch, daemon=True).start()
        self.held: dict[str, float] = {}
        """The longest block of every part of which some thread of the program worked, at most."""
        self.ready: dict[str, float] = {}
        """Of the longest block of every part by the clock, how long no processor was free."""
        self._waited = SCHEDULED.open("rb", buffering=0) if SCHEDULED.exists() else None
        self._all, self._ready = time.process_time(), self._ready_ms()

    def turn(self) -> None:
        """The event loop turns."""
        now, worked = time.perf_counter(), time.thread_time()
        block = 1000 * (now - self._last), 1000 * (worked - self._worked)
        if self.part:
            before = self.longest.get(self.part, (0.0, 0.0))
            if block[0] > before[0]:
                self.ready[self.part] = self._ready_ms() - self._ready
            self.longest[self.part] = max(before[0], block[0]), max(before[1], block[1])
            held = min(block[0], 1000 * (time.process_time() - self._all))
            self.held[self.part] = max(self.held.get(self.part, 0.0), held)
        self.begin(self.part)

    def begin(self, part: str) -> None:
        self._last, self._worked, self.part = time.perf_counter(), time.thread_time(), part
        self._all, self._ready = time.process_time(), self._ready_ms()

    def _ready_ms(self) -> float:
        """How long the thread of the window could have gone on and had no processor; 0 where the system does not count
        it. Read from a file that stays open, or the window would never look idle."""
        if self._waited is None:
            return 0.0
        self._waited.seek(0)
        return int(self._waited.read().split()[1]) / 1e6

    def tell(self) -> None:
        """Print the longest of every part, and the stacks in which long ones were seen."""
        print("| part | longest block ms | no processor free ms | of the program ms | of the window ms |")
        print("| --- | --- | --- | --- | --- |")
        for part, (wall, worked) in self.longest.items():
            held, ready = self.held[part], self.ready[part]
            above = " above 50" if held > ALLOWED_MS else ""
            print(f"| {part} | {wall:.0f} | {ready:.0f} | {held:.0f} | {worked:.0f} |{above}")
        for part, seen in self.stacks.items():
            for stack, (most_ms, times) in sorted(seen.items(), key=lambda one: -one[1][0])[:TOLD]:
                print(f"\n{part}, seen {times} times, {most_ms:.0f} ms of a processor at most:\n{stack}")
        sys.stdout.flush()

    def _watch(self) -> None:
        """Who keeps the interpreter keeps it from this thread as well: it wakes late, and looks which threads worked
        meanwhile, and where they are now. It does not let go of the interpreter for that, and keeps nothing of a stack,
        as what a function holds, such as a painter, must go where it ends. A thread of C that looks whenever it likes,
        as that of faulthandler, reads stacks that are just given back to the system."""
        own, before, since = threading.get_ident(), _worked(), time.perf_counter()
        while True:
            time.sleep(LOOK_S)
            now, worked = time.perf_counter(), _worked()
            if self.part and 1000 * (now - since - LOOK_S) > SEEN_MS:
                seen = self.stacks.setdefault(self.part, {})
                for thread, frame in sys._current_frames().items():
                    busy_ms = 1000 * (worked.get(thread, 0.0) - before.get(thread, 0.0))
                    if thread != own and busy_ms > SEEN_MS / 2:
                        stack = _told(frame)
                        most_ms, times = seen.get(stack, (0.0, 0))
                        seen[stack] = max(most_ms, busy_ms), times + 1
                    del frame
            before, since = worked, time.perf_counter()


def _worked() -> dict[int, float]:
    """Seconds of processors that each thread has had."""
    found = {}
    for thread in threading.enumerate():
        with contextlib.suppress(OSError):  # it has ended
            found[thread.ident or 0] = time.clock_gettime(time.pthread_getcpuclockid(thread.ident or 0))
    return found


def _told(frame: FrameType | None) -> str:
    """The innermost calls of a thread, the last one first."""
    lines: list[str] = []
    while frame is not None and len(lines) < LINES:
        lines.append(f"  {frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--letters", type=int, default=1_000_000, help="of each genome")
    parser.add_argument("--where", action="store_true", help="tell the stacks of long blocks")
    chosen = parser.parse_args()
    with measured(Scenes, chosen.where) as (scenes, folder):
        scenes.idle(3)
        scenes.open_genomes(folder, chosen.letters)
        scenes.run_for(4)
        scenes.open_genomes(folder, chosen.letters // 40)
        scenes.run_and_look("two sequences")
        scenes.open_three(folder)
        scenes.run_and_look("three proteins")
        scenes.sweep(folder)
    return 0


@contextlib.contextmanager
def measured(
    scenes_of: type[Played], where: bool, folder: Path | None = None, keep: bool = False
) -> Iterator[tuple[Played, Path]]:
    """The scenes of a window that has started, and a folder for their files and its settings; in the end its blocks are
    told, and the program ends, without waiting for what the window still does. However it ends, the folder goes, unless
    somebody wants to ``keep`` it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    folder, failed = folder or new_folder(), True
    try:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        sys.path.insert(0, str(ROOT))
        window, qt = open_window(folder)
        scenes = scenes_of(window, Blocks(where), qt)
        scenes.start()
        yield scenes, folder
        scenes.blocks.tell()
        failed = False
    except BaseException:
        traceback.print_exc()
    finally:
        if not keep:
            _remove(folder)
        os._exit(failed)


def new_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="antidiag-window-"))


def _remove(folder: Path) -> None:
    """Remove a folder in which threads of the window may still be writing."""
    until = time.monotonic() + REMOVING_S
    while folder.exists() and time.monotonic() < until:
        shutil.rmtree(folder, ignore_errors=True)


def open_window(folder: Path) -> tuple[Any, Any]:
    """The window with settings of its own, and the application."""
    began, worked = time.perf_counter(), time.process_time()
    from PySide6.QtWidgets import QApplication

    from antidiag.app import application, settings
    from antidiag.app.jobs.queue import GarbageCollector
    from antidiag.app.window import Window

    os.environ[settings.FOLDER_VARIABLE] = str(folder / "settings")
    found = settings.Settings()
    qt = application.make_application(found)
    collector = GarbageCollector(qt)
    window = Window(found)
    collector.set_aside()
    window.show()
    QApplication.processEvents()
    print(f"start to window {time.perf_counter() - began:.2f} s, {time.process_time() - worked:.2f} s of processors")
    return window, qt


class Scenes:
    """What a user does, and the event loop meanwhile."""

    patience_s = PATIENCE_S

    def __init__(self, window: Any, blocks: Blocks, qt: Any) -> None:
        self.window, self.blocks, self.qt = window, blocks, qt

    def until(self, part: str, ready: Callable[[], Any], begin: Callable[[], Any], more_s: float = 0.3) -> None:
        """Do something, and let the event loop turn until it is done, and a little longer."""
        self.blocks.begin(part)
        begin()
        self.blocks.turn()
        end, after = time.monotonic() + self.patience_s, None
        while time.monotonic() < (after or end):
            self.qt.processEvents()
            self.blocks.turn()
            if after is None and ready():
                after = time.monotonic() + more_s
            time.sleep(0.001)
        self.blocks.part = ""
        assert after is not None, f"{part}: not there after {self.patience_s} s"

    def start(self) -> None:
        """What the window looks for and loads once it is there."""
        from antidiag.app import startup

        rest: list[Any] = []
        load = startup.load_the_rest

        def watched(window: Any) -> Any:
            rest.append(load(window))
            return rest[-1]

        startup.load_the_rest = watched
        begin = partial(startup.load_after_start, self.window)
        self.until("what goes on after the start", lambda: rest and not rest[0].busy, begin, 1.0)

    def idle(self, seconds: float) -> None:
        """Nothing, with which all else is compared."""
        end = time.monotonic() + seconds
        self.until("an idle loop", lambda: time.monotonic() > end, lambda: None, 0)

    def open_genomes(self, folder: Path, letters: int) -> None:
        import numpy as np

        self.window.session.remove(range(len(self.window.session.state.sequences)))
        random = np.random.default_rng(1)
        paths = [folder / f"{name}.fasta" for name in ("first", "second")]
        for path in paths:
            dna = np.frombuffer(b"ACGT", np.uint8)[random.integers(0, 4, letters)]
            path.write_bytes(b">" + path.stem.encode() + b"\n" + dna.tobytes() + b"\n")
        self._open(f"opening two genomes of {letters:,}", paths, 2)

    def open_three(self, folder: Path) -> None:
        import numpy as np

        random = np.random.default_rng(2)
        path = folder / "three.fasta"
        rows = ("".join(random.choice(list("ACDEFGHIKLMNPQRSTVWY"), 300)) for _ in range(3))
        path.write_text("".join(f">protein_{number}\n{row}\n" for number, row in enumerate(rows)))
        self.window.session.remove(range(len(self.window.session.state.sequences)))
        self._open("opening three proteins", [path], 3)

    def _open(self, part: str, paths: list[Path], count: int) -> None:
        window = self.window
        there = lambda: len(window.session.state.sequences) == count and window.method.run_button.isEnabled()  # noqa: E731
        self.until(part, there, lambda: window.loader.open_paths(paths))

    def run_for(self, seconds: float) -> None:
        """A job that goes on, and is cancelled then."""
        end = time.monotonic() + seconds
        self.until("a job that goes on", lambda: time.monotonic() > end, self.window.run)
        self.until("cancelling it", lambda: not self.window.queue.active, self.window.queue.cancel_all)

    def run_and_look(self, what: str) -> None:
        """Run what the window proposes, then every view of its result."""
        from antidiag.app.kit.view_protocols import GradualView

        window, before = self.window, len(self.window.session.entries)
        self.until(f"a job, {what}", lambda: len(window.session.entries) > before, window.run)
        for name in window.viewer.tabs_shown():
            self.until(f"{what}, {name}", lambda: self._sharp(GradualView), partial(window.viewer.turn_to, name))

    def _sharp(self, gradual: Any) -> bool:
        """Whether a view has all it shows, or waits for somebody who lets it begin."""
        view = self.window.viewer.current
        asks = getattr(getattr(view, "scan_panel", None), "busy", True) is False
        return not isinstance(view, gradual) or view.sharp or asks

    def sweep(self, folder: Path) -> None:
        tune = self.window.tune
        self.until("Tune", lambda: True, lambda: self.window.turn_to(1), 1.0)
        first = tune.form.axis_editors.editors[0]
        names = [first.name.itemText(number) for number in range(first.name.count())]
        first.set_value("s" if "s" in names else "threads", "32,48,64" if "s" in names else "1,2")
        self.until("a sweep", lambda: not tune.active, tune.start)
        for number in range(tune.plots.tabs.count()):
            title = tune.plots.tabs.tabText(number)
            self.until(f"sweep, {title}", lambda: True, partial(tune.plots.tabs.setCurrentIndex, number))


if __name__ == "__main__":
    raise SystemExit(main())
