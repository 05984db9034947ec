"""What the README points at is there, and the commands that it shows print what it says."""

import json
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
TARGET = re.compile(r"\]\(([^)#]+)\)")
SHOWN = re.compile(r"^    \$ python main\.py ((?:.*\\\n)*.*)\n((?:    .+\n)*)", re.MULTILINE)
"""A command after a prompt, perhaps on several lines, and the lines that it prints."""
COLUMN = re.compile(r"\s{2,}")
DEPENDS_ON_THE_MACHINE = frozenset({"method", "parameters", "time", "rate", "memory", "saved", ""})


def test_every_link_of_the_readme_leads_to_a_file():
    targets = [target for target in TARGET.findall(README) if "://" not in target]
    assert any(target.endswith(".png") for target in targets)
    assert [target for target in targets if not (ROOT / target).is_file()] == []


def _commands() -> list[tuple[str, str]]:
    """Every command of the README that is shown with its output, and that output."""
    return [(command.replace("\\\n", " "), output) for command, output in SHOWN.findall(README) if output]


def _rows(printed: str) -> list[tuple[str, str]]:
    """Labels and values; the label of a line that goes on with the row before is empty."""
    rows = []
    for line in printed.splitlines():
        label, value = COLUMN.split(line, maxsplit=1)
        rows.append((label, value))
    return rows


def _said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    from app.cli import program

    code = program.main(arguments)
    written = capsys.readouterr()
    assert (code, written.err) == (0, "")
    return written.out


def test_the_readme_shows_runs_and_an_estimate():
    assert {command.split()[0] for command, _ in _commands()} == {"run", "estimate"}


@pytest.mark.parametrize(("command", "output"), _commands(), ids=[command.split()[1] for command, _ in _commands()])
def test_commands_print_what_the_readme_shows(command, output, capsys, monkeypatch, tmp_path):
    """The same labels in the same order, and the same values where they do not depend on the machine."""
    pytest.importorskip("typer")
    monkeypatch.chdir(ROOT)
    command, _, reader = command.partition(" | ")
    arguments = [str(tmp_path / word) if word == "mt.aln" else word for word in shlex.split(command)]
    printed = _said(arguments, capsys)
    if reader:
        assert reader == "jq .score"
        assert json.loads(printed)["score"] == json.loads(output)
        return
    shown, said = _rows(re.sub("^    ", "", output, flags=re.MULTILINE)), _rows(printed)
    assert [label for label, _ in said] == [label for label, _ in shown]
    for (label, value), row in zip(said, shown, strict=True):
        assert label in DEPENDS_ON_THE_MACHINE or (label, value) == row
