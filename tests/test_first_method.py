"""The method of docs/first-method.md, written over a copy of the project as a reader would, runs and conforms."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.documents import ROOT, agrees, changed, files, shown

PAGE = ROOT / "docs" / "first-method.md"
COPIED = ("antidiag", "kernels", "app", "resources", "tests", "main.py", "pyproject.toml")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "icons", "fixtures", "data")
TWO_GENOMES = ("mitochondrion-human.fasta", "mitochondrion-chimpanzee.fasta")
DISTANCE = 1473
"""Of these two, as edlib has it."""

CHECKS = 8
"""Of the conformance suite on a CPU."""

LISTED = "methods edit-distance"
GENOMES = f"run edit-distance {' '.join(f'resources/samples/{name}' for name in TWO_GENOMES)} -p s=64 --json -"
SWEEP = "sweep edit-distance --axis length=100,200 --axis s=8,64 --repeat 1 --warm-up 0"
COMMANDS = (LISTED, *(command for command, _ in shown(PAGE)), GENOMES, SWEEP)
NEXT = "--- next ---\n"
PROGRAM = f"""
import json, sys
from antidiag.app.cli import program
for arguments in json.loads(sys.argv[1]):
    assert program.main(arguments) == 0, arguments
    print({NEXT!r}, end="")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the files of the page."""
    pytest.importorskip("typer")
    folder = tmp_path_factory.mktemp("project")
    for name in COPIED:
        source, target = ROOT / name, folder / name
        shutil.copytree(source, target, ignore=LEFT_OUT) if source.is_dir() else shutil.copy(source, target)
    for language, name, text in files(PAGE):
        path = folder / name
        if language == "diff":
            path.write_text(changed(path.read_text(encoding="utf-8"), text), encoding="utf-8")
        else:
            assert not path.exists(), f"{path} is there before"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder


def printed_by(project: Path, *arguments: str) -> str:
    """What Python prints in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(project), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=project, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def said(project: Path) -> Mapping[str, str]:
    """What the commands of the copy print, all of one process, which starts once."""
    told = printed_by(project, "-c", PROGRAM, json.dumps([shlex.split(command) for command in COMMANDS]))
    return dict(zip(COMMANDS, told.split(NEXT), strict=False))


def test_the_page_has_a_family_and_its_line_in_the_registry() -> None:
    written = [(language, Path(name).name) for language, name, _ in files(PAGE)]
    assert {name for _, name in written} >= {"__init__.py", "problem.py", "reference.py", "cpu.py", "page.md"}
    assert [language for language, _ in written].count("diff") == 2
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) < 400


def test_the_method_is_listed_with_its_parameter(said: Mapping[str, str]) -> None:
    assert "Wagner" in said[LISTED]
    assert "-p s=1024: a multiple of 8 between 8 and 65536 (columns)" in said[LISTED]


@pytest.mark.parametrize(("command", "output"), shown(PAGE), ids=[command.split()[0] for command, _ in shown(PAGE)])
def test_commands_print_what_the_page_shows(said: Mapping[str, str], command: str, output: str) -> None:
    agrees(output, said[command])


def test_the_answer_is_that_of_a_peer(said: Mapping[str, str]) -> None:
    told = json.loads(said[GENOMES])
    assert (told["distance"], told["parameters"]) == (DISTANCE, {"s": 64})


def test_its_parameter_is_an_axis(said: Mapping[str, str]) -> None:
    assert "WRONG" not in said[SWEEP]
    assert said[SWEEP].count("EditDistance  cpu") == 4


@pytest.mark.slow
def test_it_conforms(project: Path) -> None:
    suite = ("-m", "pytest", "tests/kernels/test_conformance.py", "-k", "edit-distance", "-p", "no:cacheprovider")
    told = printed_by(project, *suite, "-p", "no:pytest-qt", "-p", "no:xdist")
    passed = re.search(r"(\d+) passed", told)
    assert passed and int(passed[1]) >= CHECKS, told
