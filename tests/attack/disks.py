"""A disk that is full, or cannot be written: what is there stays, and what cannot be kept is told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.registry import data_loading
from antidiag.kernels.trials import RandomChooser, TrialChooser
from tests.attack import kills
from tests.attack.program import refused_well, run, seen_from_here

FULL = "/dev/full"
MOST = 40_000
"""Bytes that a full disk takes at most: less than some of the files need, and more than others."""
OLD = ">kept\nACGT\n"


def attempt(seed: int, number: int, folder: Path, backend: str = "cpu") -> str:
    """Run one program on a disk that takes little or nothing: "" where it ends as it should."""
    choose = RandomChooser(seed << 40 | number)
    attack = choose.choose_one(
        (_result_does_not_fit, _run_cannot_be_kept, _points_do_not_fit, _no_folder, _full_output)
    )
    with seen_from_here(folder):
        try:
            return attack(choose, folder)
        except Exception as error:
            return f"{attack.__name__}: {type(error).__name__}: {error}"


def _result_does_not_fit(choose: TrialChooser, folder: Path) -> str:
    """A result replaces the file that was there, or leaves it as it was."""
    out, pair = folder / f"result{choose.choose_one(('.aln', '.json', '.paf', '.fasta'))}", _pair(choose, folder)
    out.write_text(OLD)
    command = ("run", "striped-alignment", str(pair), "--backend", "cpu", "--out", str(out))
    ended = run(folder, command, largest=choose.draw_integer(0, MOST))
    if wrong := refused_well(ended, (0, 2)):
        return wrong
    if ended.code == 2 and out.read_text() != OLD:
        return f"the run was refused, and {out.name} is not what it was"
    left = [path.name for path in folder.glob(".*") if path.is_file()]
    return f"files are left: {left}" if left else _reads(out) if ended.code == 0 else ""


def _reads(path: Path) -> str:
    if path.suffix == ".json":
        json.loads(path.read_text())
    elif path.suffix in (".aln", ".fasta"):
        try:
            return "" if data_loading.read_data(path) else f"{path.name} is empty"
        except AntidiagError as error:
            return f"the result cannot be read: {error}"
    return ""


def _run_cannot_be_kept(choose: TrialChooser, folder: Path) -> str:
    """A run goes on to its answer where what it has finished cannot be kept."""
    pair, expected = kills._pair(choose, folder)
    command = ("run", kills.METHOD, str(pair), *kills.SETTINGS, "--resume", "--json", "-")
    ended = run(folder, command, largest=choose.draw_integer(0, MOST))
    if wrong := refused_well(ended, (0,)):
        return wrong
    found = json.loads(ended.out)
    return "" if all(found[name] == expected[name] for name in expected) else "the answer is another"


def _points_do_not_fit(choose: TrialChooser, folder: Path) -> str:
    """A sweep keeps whole points, says that the disk is full, and goes on where there is room."""
    ended = run(folder, kills.SWEEP, largest=choose.draw_integer(0, MOST))
    if wrong := refused_well(ended, (0, 2)):
        return wrong
    before = {path: point_store.read_points(path) for path in point_store.experiments_folder().rglob("*.jsonl")}
    ended = run(folder, (*kills.SWEEP, "--resume", "--json", "-"))
    if wrong := refused_well(ended, (0,)):
        return wrong
    points = json.loads(ended.out)["points"]
    if len(points) != kills.POINTS:
        return f"{len(points)} points"
    lost = [path.name for path, kept in before.items() if len(point_store.read_points(path).points) < len(kept.points)]
    return f"points are lost of {lost}" if lost else ""


def _no_folder(choose: TrialChooser, folder: Path) -> str:
    """Where the folders of the user cannot be made, a run has its answer, and what must be kept is refused."""
    pair, blocked = _pair(choose, folder), choose.choose_one(("data", "config", "state"))
    (folder / blocked).write_text("no folder")
    ended = run(folder, ("run", "striped-score", str(pair), "--backend", "cpu", "--json", "-"))
    if wrong := refused_well(ended, (0,)):
        return f"{blocked}: {wrong}"
    ended = run(folder, choose.choose_one((kills.SWEEP, kills.SEARCH)))
    return refused_well(ended, (2,) if blocked == "data" else (0,))


def _full_output(choose: TrialChooser, folder: Path) -> str:
    """Standard output that takes nothing is told, and is no fault of the program."""
    pair = _pair(choose, folder)
    command = choose.choose_one((
        ("run", "striped-score", str(pair), "--backend", "cpu", "--json", "-"),
        ("run", "striped-score", str(pair), "--backend", "cpu"), ("methods",), ("info",), ("samples", "--json"),
        ("estimate", "striped-score", str(pair), "--json"),
    ))  # fmt: skip
    return refused_well(run(folder, command, out=FULL), (2,))


def _pair(choose: TrialChooser, folder: Path) -> Path:
    random, path = np.random.default_rng(choose.draw_integer(0, 2**31)), folder / "two.fa"
    rows = ("".join(random.choice(list("ACGT"), choose.draw_integer(1, 8000))) for _ in range(2))
    path.write_text("".join(f">{name}\n{row}\n" for name, row in zip(("one", "two"), rows, strict=True)))
    return path
