"""The program as it is installed: one wheel, one package, its commands, and its window, away from any checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("antidiag", "app", "kernels", "resources")
WINDOW = """
from PySide6.QtCore import QCoreApplication, QTimer
from antidiag.app import application
from antidiag.app.window import Window

class Closing(Window):
    def showEvent(self, event):
        super().showEvent(event)
        print("shown")
        QTimer(self, interval=500, timeout=self.quit_when_idle).start()

    def quit_when_idle(self):
        if not self.queue.active:  # with a job the window would ask
            QCoreApplication.quit()

application.Window = Closing
raise SystemExit(application.main([]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built with the tools at hand."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an empty environment with the wheel; its dependencies are those of this interpreter."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    python = commands / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.run([str(python), "-c", where], capture_output=True, text=True, check=True).stdout.strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return commands


def printed_by(commands: Path, folder: Path, program: str, *arguments: str) -> str:
    """What an installed command prints, started in a folder that is no checkout."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = {**kept, "QT_QPA_PLATFORM": "offscreen", "ANTIDIAG_FOLDER": str(folder), "COLUMNS": "200"}
    command = [str(commands / program), *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_has_one_package_with_all_its_files(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"antidiag"}
    listed = subprocess.run(["git", "ls-files", *PARTS], cwd=ROOT, capture_output=True, text=True, check=False)
    tracked = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    if not tracked:
        pytest.skip("not a git checkout")
    expected = {name if name.startswith("antidiag/") else f"antidiag/{name}" for name in tracked}
    assert expected <= set(names), sorted(expected - set(names))


@pytest.mark.slow
def test_the_commands_say_their_own_name(environment: Path, tmp_path: Path) -> None:
    assert printed_by(environment, tmp_path, "antidiag", "--version").startswith("Antidiag ")
    text = printed_by(environment, tmp_path, "antidiag", "compare", "--help")
    assert "antidiag compare mine.fasta reference.msf" in text
    assert "main.py" not in text
    assert "CPU" in printed_by(environment, tmp_path, "antidiag", "info")


@pytest.mark.slow
def test_it_aligns_a_sample(environment: Path, tmp_path: Path) -> None:
    samples = json.loads(printed_by(environment, tmp_path, "antidiag", "samples", "--json"))
    globins = next(path for one in samples for path in one["paths"] if "globin" in path)
    assert Path(globins).is_file()
    target = tmp_path / "globins.aln"
    printed_by(environment, tmp_path, "antidiag", "run", "msa", globins, "--backend", "cpu", "--out", str(target))
    assert target.read_text(encoding="utf-8").startswith("CLUSTAL")


@pytest.mark.slow
def test_the_window_opens(environment: Path, tmp_path: Path) -> None:
    assert "shown" in printed_by(environment, tmp_path, "python", "-c", WINDOW)
