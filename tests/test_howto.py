"""The how-to pages are done as they stand, in a folder with files of the names that they use."""

from __future__ import annotations

import gzip
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from Bio.Data import CodonTable

from antidiag.kernels import user_limits
from tests.documents import FENCED, PAGES, ROOT, commands, compare_shown, shown

HOWTOS = [page for page in PAGES if page.parent.name == "howto"]
PLACEHOLDER = re.compile(r"\b(METHOD|FILE|NAME)\b")
"""A word in the place of a name that the reader chooses."""
ELSEWHERE = {"reproduce 000-table-1 --quick"}
"""What takes too long here; the tests of the papers run every table."""
NEEDS_MACHINES = re.compile(r"--on gpus|--device all|--backend cuda|--scheduler")
"""Commands that need GPUs or a cluster; the recipes for clusters have a test of their own."""
FENCED_COMMAND = re.compile(r"^antidiag (.*)$", re.MULTILINE)
MOST_LETTERS = 400
SLOW_PAGES = {"cluster", "print-figure", "search-a-database", "several-gpus"}
"""Pages that start several processes, or draw large figures."""
FAMILY = (
    ">a\nMVLSPADKTNVKAAWGKVGAHAGEYGAEALERM\n>b\nMVLSGEDKSNIKAAWGKIGGHGAEYGAEALERM\n"
    ">c\nMVLSADDKTNIKNCWGKIGGHGGEYGEEALQRM\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with small files of all names that the pages use."""
    pytest.importorskip("typer")
    samples = ROOT / "resources" / "samples"
    shutil.copytree(samples, tmp_path / "samples")
    for name in ("aligned.sto", "globins.sto", "first.sto"):
        shutil.copy(samples / "globins-aligned.sto", tmp_path / name)
    (tmp_path / "second.sto").write_text("# STOCKHOLM 1.0\none MVLSPADKTN\ntwo MVLSGE-KSN\n//\n")
    (tmp_path / "tree.nwk").write_text("((a:1,b:2):1,(c:1,d:1):2);\n")
    for name in ("new.fasta", "query.fasta"):
        shutil.copy(samples / "horse-globins.fasta", tmp_path / name)
    proteins = (samples / "globins.fasta").read_bytes()
    (tmp_path / "proteins.fasta").write_bytes(proteins)
    (tmp_path / "proteins.fasta.gz").write_bytes(gzip.compress(proteins))
    (tmp_path / "families").mkdir()
    for name in ("one.fasta", "two.fasta"):
        (tmp_path / "families" / name).write_text(FAMILY)
    protein = FAMILY.splitlines()[1]
    codons = [CodonTable.standard_dna_table.back_table[letter] for letter in protein]
    (tmp_path / "protein.fasta").write_text(f">globin\n{protein}\n")
    (tmp_path / "contig.fasta").write_text(f">contig\n{''.join(codons[:16])}A{''.join(codons[16:])}\n")
    for number, name in enumerate(("first.fasta", "second.fasta")):
        (tmp_path / name).write_text(FAMILY.replace("W", "WY"[number]))
    (tmp_path / "families.txt").write_text("first.fasta\nsecond.fasta\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def runnable(page: Path) -> list[str]:
    """Return the commands of a page that run here, those of code blocks last; blocks on clusters are scripts."""
    blocks = FENCED.findall(page.read_text(encoding="utf-8")) if not page.stem.startswith("cluster") else []
    fenced = [one for language, code in blocks if language in ("", "bash") for one in FENCED_COMMAND.findall(code)]
    return [
        one
        for one in commands(page) + fenced
        if not PLACEHOLDER.search(one) and one not in ELSEWHERE and not NEEDS_MACHINES.search(one)
    ]


def _marks(page: str) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of the tests of a page."""
    return (pytest.mark.slow,) if page in SLOW_PAGES else ()


def written_files(command: str) -> list[str]:
    """Return the files that a command is to write."""
    words = shlex.split(command)
    return [after for word, after in itertools.pairwise(words) if word in ("--out", "--plot", "--csv")]


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=_marks(page.stem), id=page.stem) for page in HOWTOS if runnable(page)]
)
def test_the_commands_of_a_page_run(page: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from antidiag.app.cli import program

    if page.stem == "long-sequences":  # two sequences, not two families
        for name in ("first.fasta", "second.fasta"):
            (folder / name).write_text("".join(FAMILY.splitlines(keepends=True)[:2]))
    if page.stem == "print-figure":
        for name in ("human", "chimpanzee"):
            text = (folder / "samples" / f"mitochondrion-{name}.fasta").read_text()[:MOST_LETTERS]
            (folder / {"human": "first.fasta", "chimpanzee": "second.fasta"}[name]).write_text(text)
    outputs = dict(shown(page))
    try:
        for command in runnable(page):
            code = program.main(shlex.split(command))
            printed = capsys.readouterr()
            assert code == 0, f"{command}: {printed.err}"
            assert all((folder / name).stat().st_size for name in written_files(command)), command
            if command in outputs:
                compare_shown(outputs[command], printed.out)
    finally:
        user_limits.reset_limits()


def python_blocks() -> list[tuple[str, str]]:
    return [
        (page.stem, code)
        for page in HOWTOS
        for language, code in FENCED.findall(page.read_text(encoding="utf-8"))
        if language == "python"
    ]


@pytest.mark.parametrize(
    ("page", "code"),
    [
        pytest.param(page, code, marks=_marks(page), id=f"{page}-{at}")
        for at, (page, code) in enumerate(python_blocks())
    ],
)
def test_the_python_of_a_page_runs(page: str, code: str, folder: Path) -> None:
    """As a script of its own; worker processes stand for a cluster."""
    code = code.replace('scheduler="tcp://head-node:8786"', 'on="processes", slots=1')
    if "pandas" in code:
        pytest.importorskip("pandas")
    if "joblib" in code:
        pytest.importorskip("joblib")
    (folder / "script.py").write_text(code)
    done = run_in(folder, [sys.executable, "script.py"])
    assert done.returncode == 0, done.stderr
    if page == "search-a-database":
        name, evalue, cigar = done.stdout.splitlines()[-1].split()
        assert name == "alpha_horse" and float(evalue) < 1e-90 and cigar == "141="
    elif "ad.batch" in code:
        assert sorted(path.name for path in folder.glob("aligned/*.sto")) == ["one.sto", "two.sto"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the script is one of bash")
def test_the_script_of_a_job_array_runs(folder: Path) -> None:
    page = next(page for page in HOWTOS if page.stem == "cluster")
    blocks = [code for language, code in FENCED.findall(page.read_text(encoding="utf-8")) if language == "bash"]
    (script,) = [code for code in blocks if "SLURM_ARRAY_TASK_ID" in code]
    (folder / "antidiag").write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT / "main.py"} "$@"\n')
    (folder / "antidiag").chmod(0o755)
    (folder / "job.sh").write_text(script)
    done = run_in(
        folder,
        ["bash", "job.sh"],
        PATH=f"{folder}{os.pathsep}{os.environ['PATH']}",
        SLURM_ARRAY_TASK_ID="2",
        SLURM_CPUS_PER_TASK="1",
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "second.sto").stat().st_size and (folder / "second.json").stat().st_size
    assert not (folder / "first.json").exists()


def run_in(folder: Path, command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, where the checkout is importable."""
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
