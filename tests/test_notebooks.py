"""The notebooks run from their first to their last cell, and show pictures."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.documents import ROOT

BOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
PICTURES = {"pair": 2, "family": 3, "sweep": 2}
"""Outputs of each notebook that are pictures or coloured tables."""
CELL_S = 300


def test_there_are_three() -> None:
    assert {book.stem for book in BOOKS} == set(PICTURES)


@pytest.mark.slow
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    found = (str(ROOT), os.environ.get("PYTHONPATH", ""))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, found)))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    book = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells), "clear the outputs before you commit"
    _own_kernel(tmp_path, monkeypatch)
    nbclient.NotebookClient(book, timeout=CELL_S, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert sum(map(_is_picture, _outputs(book))) >= PICTURES[path.stem]


def _own_kernel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the notebook's kernel be this interpreter, whatever kernels the system has."""
    kernel = folder / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    command = f'["{sys.executable}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"]'
    text = f'{{"argv": {command}, "display_name": "Python 3", "language": "python"}}'
    (kernel / "kernel.json").write_text(text, encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(folder / "jupyter"))


def _outputs(book: Any) -> list[Any]:
    return [output for cell in book.cells for output in cell.get("outputs", ())]


def _is_picture(output: Any) -> bool:
    data = output.get("data", {})
    return "image/svg+xml" in data or "image/png" in data or "<" in data.get("text/html", "")
