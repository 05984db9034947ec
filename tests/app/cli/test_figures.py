"""``figure`` draws without a window; ``view`` opens it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("typer")
pytest.importorskip("PySide6")

from PySide6.QtGui import QImage

from antidiag.app import main as entry
from antidiag.app.cli import offscreen, program

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = "resources/samples"
PAIR, ALIGNED = f"{SAMPLES}/human-haemoglobin.fasta", f"{SAMPLES}/globins-aligned.sto"
DISTANCES = f"{SAMPLES}/globin-distances.phy"


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def tree_file(tmp_path):
    path = tmp_path / "t.nwk"
    path.write_text("((alpha:1,beta:2):1,(gamma:1,delta:3):0.5);")
    return path


@pytest.mark.parametrize(
    ("file", "options", "kind"),
    [
        (ALIGNED, ("--columns", "60", "--colours", "clustal"), "alignment"),
        (DISTANCES, (), "distances"),
        (PAIR, ("--size", "400x300"), "dotplot"),
        (PAIR, ("--as", "matrix", "--mode", "global", "--size", "400x300"), "matrix"),
    ],
)
def test_each_kind_of_figure(qapp, capsys, tmp_path, file, options, kind):
    path = tmp_path / "f.png"
    assert program.main(["figure", file, "--out", str(path), *options]) == 0
    assert capsys.readouterr().out == f"saved {path} ({kind})\n"
    picture = QImage(str(path))
    colours = {picture.pixel(x, y) for x in range(0, picture.width(), 7) for y in range(0, picture.height(), 7)}
    assert picture.width() > 300 and len(colours) > 5


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_trees_in_all_formats(qapp, says, tmp_path, tree_file, suffix):
    path = tmp_path / f"f{suffix}"
    assert "(tree)" in says("figure", tree_file, "--out", path, "--shape", "circular", "--theme", "dark")
    assert path.stat().st_size > 1000


def test_a_figure_has_a_size_in_print(qapp, says, tmp_path, tree_file):
    says("figure", tree_file, "--out", tmp_path / "f.png", "--width-mm", "100", "--dpi", "200")
    assert QImage(str(tmp_path / "f.png")).width() == pytest.approx(100 / 25.4 * 200, abs=2)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([PAIR], "give the file to write: --out figure.svg"),
        ([PAIR, "--out", "f.gif"], "the suffix must be one of .svg, .png, .pdf"),
        ([f"{SAMPLES}/horse-globins.fasta", "--out", "f.svg"], "a dot plot has 2 sequences; got 3"),
        ([ALIGNED, "--out", "f.svg", "--as", "tree"], "--as tree does not suit the data"),
        ([ALIGNED, "--out", "f.svg", "--as", "poster"], "--as must be one of alignment, tree"),
        ([ALIGNED, "--out", "f.svg", "--mode", "local"], "--mode has no use"),
        ([ALIGNED, "--out", "f.svg", "--colours", "purine"], "--colours must be one of residues"),
        ([PAIR, "--out", "f.svg", "--size", "big"], "--size must be WIDTHxHEIGHT"),
        ([PAIR, "--out", "f.svg", "--theme", "pink"], "--theme must be light or dark"),
        ([f"{SAMPLES}/five-vertices.csv", "--out", "f.svg"], "these data are not drawn"),
        (["--out", "f.svg"], "give a FILE"),
    ],
)
def test_what_cannot_be_drawn_is_refused(qapp, refuses, arguments, text):
    assert text in refuses("figure", *arguments)
    assert not Path("f.svg").exists()


def test_without_qt_a_figure_is_refused(refuses, monkeypatch):
    monkeypatch.setattr(offscreen, "find_spec", lambda name: None)
    assert "PySide6 and pyqtgraph, which are not installed" in refuses("figure", PAIR, "--out", "f.svg")


def test_view_opens_the_window_with_the_files(monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(entry, "_open_window", lambda files: opened.append(list(files)) or 0)
    assert entry.main(["view", PAIR, ALIGNED]) == 0
    assert entry.main(["view"]) == 0
    assert opened == [[PAIR, ALIGNED], []]
    assert entry.main(["view", "absent.fa"]) == 2
    assert "absent.fa: no such file" in capsys.readouterr().err
    assert os.environ.get("QT_QPA_PLATFORM")


def test_an_alignment_is_broken_into_pages(qapp, says, refuses, tmp_path, tree_file):
    said = says("figure", ALIGNED, "--columns", "60", "--page", "a4", "--out", str(tmp_path / "rows.svg"))
    pages = sorted(path.name for path in tmp_path.glob("rows*.svg"))
    assert [line.split(" (")[0] for line in said.splitlines()] == [f"saved {tmp_path / page}" for page in pages]
    assert f"page 1 of {len(pages)}" in said
    said = says("figure", ALIGNED, "--columns", "60", "--page", "a4", "--out", str(tmp_path / "rows.pdf"))
    assert said == f"saved {tmp_path / 'rows.pdf'} (alignment)\n"
    assert len(pages) > 1 and pages[0] == "rows-1.svg"
    assert "--page is for alignments" in refuses("figure", tree_file, "--page", "a4", "--out", str(tmp_path / "t.svg"))
