"""The tutorials are done as they stand, from an empty folder: commands, Python, and the steps in the window."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from antidiag.kernels.registry.samples import bundled_samples
from tests.documents import PAGES, ROOT, compare_shown, steps

TUTORIALS = [page for page in PAGES if page.parent.name == "tutorials"]
MENU_PATH = re.compile(r"(?<![*\w])\*([A-Z][^*\n]+(?: > [^*\n]+)+)\*")
"""*File > Open*, in a sentence."""
LABEL_PAGES = [
    page
    for page in PAGES
    if page.relative_to(ROOT).parent.name in ("tutorials", "howto", "window") or page.stem == "window"
]


def test_there_is_a_tutorial_for_each_use() -> None:
    assert {page.stem for page in TUTORIALS} == {"two-genomes", "protein-family", "lecture", "tune-a-card", "python"}
    assert all(len(steps(page)) >= 4 for page in TUTORIALS)


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_can_be_done_from_an_empty_folder(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("typer")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    if page.stem == "lecture":
        _print_command("samples --copy samples", capsys)
    names: dict[str, Any] = {}
    for kind, typed, shown in steps(page):
        printed = _print_command(typed, capsys) if kind == "command" else _print_python(typed, names)
        if shown:
            compare_shown(shown, printed)


def _print_command(typed: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command prints; it must succeed."""
    from antidiag.app.cli import program

    command, _, reader = typed.partition(" | ")
    code = program.main(shlex.split(command))
    written = capsys.readouterr()
    assert code == 0, written.err
    if not reader:
        return written.out
    assert reader == "jq .score"
    return str(json.loads(written.out)["score"])


def _print_python(typed: str, names: dict[str, Any]) -> str:
    """Return what Python prints in the names of the blocks before."""
    with contextlib.redirect_stdout(io.StringIO()) as written:
        exec(compile(typed, "tutorial", "exec"), names)
    return written.getvalue()


@pytest.fixture(scope="module")
def labels() -> set[str]:
    """Every text that the sources of the window have, as a menu shows it, and the titles of the samples."""
    found = {"Samples", *(sample.title for sample in bundled_samples())}
    for path in (ROOT / "app").rglob("*.py"):
        found |= set(_texts(path))
    return found


def _texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield _as_shown(node.value)


def _as_shown(text: str) -> str:
    """Return a label without its shortcut, its mnemonic and its dots."""
    return text.partition("\t")[0].replace("&", "").rstrip(".\u2026").strip()


@pytest.mark.parametrize("page", LABEL_PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_menus_that_a_page_names_are_in_the_window(page: Path, labels: set[str]) -> None:
    named = {part for path in MENU_PATH.findall(page.read_text(encoding="utf-8")) for part in path.split(" > ")}
    assert {part for part in named if _as_shown(part) not in labels} == set()
