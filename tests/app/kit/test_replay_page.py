"""A page of runs on their measured clock, in a real browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from antidiag.app.kit.replay import page
from antidiag.app.kit.replay.data import replay
from antidiag.kernels import engine
from antidiag.kernels.experiments import beside
from antidiag.kernels.experiments.counters import counters
from antidiag.kernels.registry import method

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge"))),
               None)  # fmt: skip
HEADLESS = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom")
DRIVE = """<script>
window.addEventListener("load", () => {
  const told = document.createElement("pre"), found = [];
  const pixels = (canvas) => {
    const all = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    return new Set(Array.from({length: all.length / 4}, (_, at) => all.slice(4 * at, 4 * at + 3).join())).size;
  };
  for (const at of [0, data.moments]) {
    show(at);
    found.push(data.runs.map((run, number) => [shown[number].words.textContent, pixels(shown[number].canvas)]));
  }
  show(0);
  document.getElementById("play").onclick();
  setTimeout(() => {
    told.id = "told";
    told.textContent = JSON.stringify({found, moment});
    document.body.appendChild(told);
  }, 30000);
});
</script></body>"""


@pytest.fixture(scope="module")
def runs():
    found = []
    made = beside.problem(method("antidiagonal"), 2)
    for one in ("antidiagonal", "striped-score"):
        result = engine.execute(engine.plan(method(one), made, {}, "cpu"), keep_rate=False, keep=False)
        found.append((method(one).name, replay(result.steps, counters(result))))
    return found


def test_a_page_holds_all_that_it_shows(runs):
    text = page.page("Runs <beside>", ["a & b"], runs)
    assert "<title>Runs &lt;beside&gt;</title>" in text and "<p>a &amp; b</p>" in text
    assert not re.search(r"(src|href)=", text) and "http" not in text
    data = json.loads(re.search(r'application/json">(.*?)</script>', text, re.S)[1])
    assert data["span"] == max(one.end_ns - one.start_ns for _, one in runs)
    assert [run["cells"][-1] for run in data["runs"]] == [1024, 1024] and data["runs"][0]["cells"][0] == 0
    for run in data["runs"]:
        assert all(before <= after for before, after in zip(run["cells"], run["cells"][1:], strict=False))


@pytest.mark.skipif(BROWSER is None, reason="no Chromium, Chrome or Edge is installed")
def test_it_plays_in_a_browser(runs, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page.page("Runs", [], runs).replace("</body>", DRIVE), "utf-8")
    done = subprocess.run([BROWSER, *HEADLESS, f"--user-data-dir={tmp_path / 'user'}", path.as_uri()],
                          capture_output=True, text=True, timeout=120, check=True)  # fmt: skip
    match = re.search(r'<pre id="told">(.*?)</pre>', done.stdout)
    assert match, done.stderr[-2000:]
    told = json.loads(match[1])
    first, last = told["found"]
    assert all(", 0 of 1,024 cells" in words for words, _ in first)
    assert all(", 1,024 of 1,024 cells" in words for words, _ in last)
    assert all(colours >= 1 for _, colours in (*first, *last))
    assert told["moment"] == page.MOMENTS, "playing does not reach the end"
