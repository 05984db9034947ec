"""A page of runs on their measured clock, in a real browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from antidiag.app.kit.replay import html_page
from antidiag.kernels import engine
from antidiag.kernels.experiments.measuring import paired_runs
from antidiag.kernels.experiments.point_data.run_replay import create_replay
from antidiag.kernels.experiments.point_data.step_counters import count_steps
from antidiag.kernels.registry import find_method

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge"))), None
)
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
    made = paired_runs.make_paired_problem(find_method("antidiagonal"), 2)
    for one in ("antidiagonal", "striped-score"):
        result = engine.execute(engine.plan_run(find_method(one), made, {}, "cpu"), keep_rate=False, keep_parts=False)
        found.append((find_method(one).name, create_replay(result.steps, count_steps(result))))
    return found


def test_a_page_holds_all_that_it_shows(runs):
    text = html_page.format_page("Runs <beside>", ["a & b"], runs)
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
    path.write_text(html_page.format_page("Runs", [], runs).replace("</body>", DRIVE), "utf-8")
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
    first, last = told["found"]
    assert all(", 0 of 1,024 cells" in words for words, _ in first)
    assert all(", 1,024 of 1,024 cells" in words for words, _ in last)
    assert all(colours >= 1 for _, colours in (*first, *last))
    assert told["moment"] == html_page.MOMENTS, "playing does not reach the end"
