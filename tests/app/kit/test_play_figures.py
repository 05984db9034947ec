"""Plays as files: stills, animations that a reader takes apart again, and pages that run."""

import itertools
import json
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QImageReader, QPainter

from antidiag.app.kit.figures import export
from antidiag.app.kit.play import offscreen, play_figure
from antidiag.app.kit.play.play_picture import PlayPicture
from antidiag.app.kit.play.view_options import PlayLook
from antidiag.kernels.errors import InputError
from antidiag.kernels.registry import find_method
from antidiag.kernels.registry.lectures import SceneView
from antidiag.kernels.walkthroughs import html_page, walkthrough
from antidiag.kernels.walkthroughs.shared_clock import SharedClock

SMALL = QSize(480, 320)


@pytest.fixture
def clock():
    return SharedClock(
        tuple(
            walkthrough.load_walkthrough(find_method(one)).make_animation({"first": "GATTA", "second": "GCATCA"})
            for one in ("antidiagonal", "striped-score")
        )
    )


@pytest.mark.parametrize(("height", "has_curve"), [(130, False), (400, True)])
def test_tables_of_a_low_picture_do_not_lie_under_the_curve_and_their_names_are_whole(qtbot, height, has_curve):
    play = walkthrough.load_walkthrough(find_method("striped-score")).make_animation(
        {"first": "GATTA" * 3, "second": "GCATCA" * 2}
    )
    image = QImage(600, height, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    picture = PlayPicture(play, PlayLook(), QRectF(image.rect()), 14.0)
    sheet = picture.sheets[0]
    rows = play.tables[sheet.table].table_shape[0]
    bottom = picture.cell_box(sheet, rows - 1, 0).bottom()
    assert (picture.curve is not None) is has_curve
    assert bottom <= (picture.curve.top() if has_curve else height)
    painter = QPainter(image)
    picture.draw_all(painter)
    painter.end()
    left = round(picture.cell_box(sheet, 0, 0).left())
    inked = [y for y in range(height) if any(image.pixelColor(x, y).lightness() < 200 for x in range(left - 14, left))]
    assert max(len(list(group)) for _, group in itertools.groupby(enumerate(inked), lambda one: one[1] - one[0])) >= 7


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_step_is_a_file(qtbot, clock, tmp_path, suffix):
    path = tmp_path / f"step{suffix}"
    play_figure.save_plays(path, clock, offscreen.create_looks(clock, SceneView()), [3], SMALL)
    head = path.read_bytes()[:400]
    assert {".png": b"PNG", ".svg": b"<svg", ".pdf": b"%PDF"}[suffix] in head


def test_an_animation_has_a_frame_for_each_step_as_it_was_drawn(qtbot, clock, tmp_path):
    path, ticks = tmp_path / "steps.webp", list(range(clock.last_tick + 1))
    looks = offscreen.create_looks(clock, SceneView(colouring="worker"))
    play_figure.save_plays(path, clock, looks, ticks, SMALL)
    reader = QImageReader(str(path))
    assert reader.supportsAnimation() and reader.imageCount() == len(ticks)
    for tick in ticks:
        shown = reader.read().convertToFormat(QImage.Format.Format_RGB32)
        drawn = _frame(clock, looks, tick).convertToFormat(QImage.Format.Format_RGB32)
        assert shown == drawn, f"frame {tick} is another picture"


def _frame(clock, looks, tick):
    return export.render_image(SMALL, play_figure.tick_drawing(clock, looks, tick), 1)


def test_a_film_needs_ffmpeg_and_says_so(qtbot, clock, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(InputError, match=r"needs ffmpeg; install it, or pip install 'antidiag\[video\]'"):
        play_figure.save_plays(tmp_path / "film.mp4", clock, offscreen.create_looks(clock, SceneView()), [0, 1], SMALL)
    with pytest.raises(InputError, match="GIF needs ffmpeg; install it"):
        play_figure.save_plays(tmp_path / "film.gif", clock, offscreen.create_looks(clock, SceneView()), [0, 1], SMALL)
    with pytest.raises(InputError, match=r"\.html"):
        play_figure.save_plays(tmp_path / "film.avi", clock, offscreen.create_looks(clock, SceneView()), [0, 1], SMALL)


STAND_IN = """#!/bin/sh
# In the place of ffmpeg: says which frames it was given, and writes to its last argument.
for word in "$@"; do
  case "$word" in *%05d.png) folder=$(dirname "$word");; esac
  last="$word"
done
cat "$folder"/*.png > "$last"
ls "$folder"/*.png | wc -l >> "$last"
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_the_frames_of_a_film_are_those_of_the_steps(qtbot, clock, tmp_path, monkeypatch):
    program = tmp_path / "ffmpeg"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program))
    looks = offscreen.create_looks(clock, SceneView())
    play_figure.save_plays(tmp_path / "film.mp4", clock, looks, [0, 2, 4], SMALL)
    *frames, count = re.split(rb"(?<=IEND\xaeB`\x82)", (tmp_path / "film.mp4").read_bytes())
    assert int(count) == len(frames) == 6, "the last one stays for two seconds"
    for frame, tick in zip(frames, (0, 2, 4, 4, 4, 4), strict=True):
        drawn = _frame(clock, looks, tick).convertToFormat(QImage.Format.Format_RGB32)
        assert QImage.fromData(frame).convertToFormat(QImage.Format.Format_RGB32) == drawn


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_the_program_of_the_package_is_used_where_the_system_has_none(qtbot, clock, tmp_path, monkeypatch):
    program = tmp_path / "program-of-the-package"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", SimpleNamespace(get_ffmpeg_exe=lambda: str(program)))
    play_figure.save_plays(tmp_path / "film.gif", clock, offscreen.create_looks(clock, SceneView()), [0, 2], SMALL)
    assert (tmp_path / "film.gif").read_bytes().endswith(b"5\n")


@pytest.mark.skipif(play_figure.find_ffmpeg() is None, reason="ffmpeg is not installed")
def test_a_film_is_made(qtbot, clock, tmp_path):
    path = tmp_path / "film.mp4"
    play_figure.save_plays(path, clock, offscreen.create_looks(clock, SceneView()), [0, 1, 2], QSize(320, 240))
    assert b"ftyp" in path.read_bytes()[:32]
    told = subprocess.run(
        [play_figure.find_ffmpeg(), "-hide_banner", "-i", str(path), "-f", "null", "-"],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert "h264" in told and "320x240" in told and re.search(r"Duration: 00:00:0(3.0|2.9)", told), told


@pytest.mark.skipif(play_figure.find_ffmpeg() is None, reason="ffmpeg is not installed")
def test_an_animated_gif_has_the_frames_and_begins_again(qtbot, clock, tmp_path):
    path, looks = tmp_path / "film.gif", offscreen.create_looks(clock, SceneView())
    play_figure.save_plays(path, clock, looks, [0, 1, 2], SMALL)
    assert path.read_bytes()[:6] == b"GIF89a" and b"NETSCAPE2.0" in path.read_bytes()
    reader = QImageReader(str(path))
    assert reader.supportsAnimation() and reader.imageCount() == 6, "the last one stays for two seconds"
    shown, drawn = reader.read(), _frame(clock, looks, 0)
    assert shown.size() == drawn.size()
    off = [
        abs(shown.pixelColor(x, y).lightness() - drawn.pixelColor(x, y).lightness())
        for x in range(0, drawn.width(), 9)
        for y in range(0, drawn.height(), 9)
    ]
    assert max(off) < 24, "the colours are those of the picture"


def test_a_page_holds_all_that_it_shows_and_nothing_from_elsewhere(clock):
    text = html_page.make_page(clock, "Steps <side by side>", ["a & b"], 2)
    assert "<title>Steps &lt;side by side&gt;</title>" in text and "<p>a &amp; b</p>" in text
    assert not re.search(r"(src|href)=", text) and "http" not in text
    data = json.loads(re.search(r'application/json">(.*?)</script>', text, re.S)[1])
    assert len(data["ticks"]) == clock.last_tick + 1 and len(data["plays"]) == 2
    shown = {tuple(place[:2]): place[5] for place in data["plays"][0]["tables"][0]["places"]}
    assert shown[5, 6] == clock.plays[0].format_cell((0, 5, 6, 0))


DOM = """
const made = [];
function element(name) {
  const one = {name, children: [], style: {}, className: "", textContent: "", onclick: null,
    appendChild(child) { this.children.push(child); return child; }};
  Object.defineProperty(one, "textContent", {get() { return this.text || ""; },
    set(value) { this.text = value; this.children = []; }});
  return one;
}
const byId = {};
globalThis.document = {createElement: element, getElementById(id) { return byId[id] || (byId[id] = element("div")); }};
"""
AFTER = """
const count = (one, kind) => (one.className.split(" ").includes(kind) ? 1 : 0)
  + one.children.reduce((sum, child) => sum + count(child, kind), 0);
const found = [];
for (let at = 0; at < data.ticks.length; at++) {
  show(at);
  found.push([count(byId.plays, "now"), count(byId.plays, "done")]);
}
byId.first.onclick(); const first = tick; byId.on.onclick(); byId.last.onclick();
console.log(JSON.stringify({found, first, last: tick}));
"""


BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge"))), None
)
HEADLESS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
    "--virtual-time-budget=60000",
    "--dump-dom",
)
DRIVE = """
<script>
addEventListener("load", () => {
  const button = (id) => document.getElementById(id).click();
  const lit = (kind) => [...document.querySelectorAll("#plays ." + kind)]
    .filter((one) => one.getBoundingClientRect().width > 2).length;
  const steps = [];
  button("first");
  for (let at = 0; at < data.ticks.length; at++) { steps.push([lit("now"), lit("done")]); button("on"); }
  const box = document.getElementById("plays").getBoundingClientRect();
  button("first");
  button("play");
  setTimeout(() => {
    const told = document.createElement("pre");
    told.id = "told";
    const tops = [...document.querySelectorAll(".play")].map((one) => one.getBoundingClientRect().top);
    told.textContent = JSON.stringify({steps, tops, wide: box.width, high: box.height, played: tick});
    document.body.appendChild(told);
  }, 50000);
});
</script></body>"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium, Chrome or Edge is installed")
def test_a_page_plays_in_a_browser(clock, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(html_page.make_page(clock, "Steps").replace("</body>", DRIVE), "utf-8")
    done = subprocess.run(
        [BROWSER, *HEADLESS, f"--user-data-dir={tmp_path / 'user'}", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    match = re.search(r'<pre id="told">(.*?)</pre>', done.stdout)
    assert match, done.stderr[-2000:]
    told = json.loads(match[1])
    assert told["wide"] > 300 and told["high"] > 200, "nothing is laid out"
    assert len(set(told["tops"])) == 1, "the plays do not stand side by side"
    assert told["played"] == clock.last_tick, "playing does not reach the last step"
    assert told["steps"] == _lit(clock)


def _lit(clock):
    """At every tick the cells that are lit, and those that are done."""
    found = []
    for tick in range(clock.last_tick + 1):
        steps = clock.steps_at(tick)
        tables = [[table for table in play.tables if not table.details_only] for play in clock.plays]
        pairs = [(table, step) for own, step in zip(tables, steps, strict=True) for table in own]
        curves = sum(step >= 0 for step in steps)  # the bar of the step is lit too
        now = sum(int((table.step_of == step).sum()) for table, step in pairs if step >= 0) + curves
        done = sum(int(((table.step_of >= 0) & (table.step_of < step)).sum()) for table, step in pairs)
        found.append([now, done])
    return found


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_of_a_page_shows_the_cells_of_every_step(clock, tmp_path):
    text = html_page.make_page(clock, "Steps")
    data = re.search(r'application/json">(.*?)</script>', text, re.S)[1]
    script = re.search(r"<script>\n(.*)</script></body>", text, re.S)[1]
    path = tmp_path / "page.js"
    script = script.replace('"use strict";', "")
    path.write_text("\n".join([DOM, f"byId.data = {{textContent: {json.dumps(data)}}};", script, AFTER]))
    told = json.loads(subprocess.run(["node", str(path)], capture_output=True, text=True, check=True).stdout)
    assert told["first"] == 0 and told["last"] == clock.last_tick
    assert told["found"] == _lit(clock)
