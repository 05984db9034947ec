"""Programs killed, or told to stop, at random moments: nothing finished is lost, and a resumed answer is the same."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels import engine, registry
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.machine import tuned_values
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.trials import RandomChooser, TrialChooser
from tests.attack import program
from tests.attack.program import Ended, refused_well, run, seen_from_here

METHOD = "checkpointed-alignment"
SETTINGS = ("--backend", "cpu", "-p", "s=32", "-p", "tile=64", "-p", "T=32", "-p", "threads=1")
LENGTHS = (4000, 16_000)
KILLS = 3
"""A run is killed so many times at most before it may end."""
SWEEP = (
    "sweep", "striped-score", "--backend", "cpu", "--length", "300", "--repeat", "1", "--warm-up", "0",
    "--axis", "s=32:256:*2", "--axis", "T=32,64,128,256", "--axis", "threads=1,2",
)  # fmt: skip
POINTS = 32
SEARCH = ("tune", "striped-score", "--backend", "cpu", "--length", "500", "--budget", "2")
SAVES = """
import sys
from pathlib import Path
from antidiag.app.session import archive
path, small, large = map(Path, sys.argv[1:])
sessions = [archive.load(small), archive.load(large)]
for number in range(10**6):
    archive.save(path, *sessions[number % 2])
"""
LASTS_S = {"run": 3.0, "sweep": 2.5, "tune": 5.0, "save": 4.0}
"""About what each program takes, before one has ended by itself."""
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "saved-0" / "sessions"


def attempt(seed: int, number: int, folder: Path, backend: str = "cpu") -> str:
    """Kill one program, go on with it, and compare: "" where nothing was lost, else what was."""
    choose = RandomChooser(seed << 40 | number)
    attack = choose.choose_one((_of_run, _of_run, _of_sweep, _of_save, _of_search))
    with seen_from_here(folder):
        try:
            return attack(choose, folder)
        except Exception as error:
            return f"{attack.__name__}: {type(error).__name__}: {error}"


def _signal(choose: TrialChooser) -> signal.Signals:
    return choose.choose_one((signal.SIGKILL, signal.SIGINT))


def _moment(choose: TrialChooser, command: str) -> float:
    """Some time after the start, of what such a program took before; seldom so late that it has ended."""
    lasts_s = program.lasted_s.get(command, LASTS_S[command])
    return lasts_s * float(choose.make_generator().uniform(0.2, 1.02))


def _stopped(ended: Ended, by: signal.Signals) -> str:
    """What is wrong with the end of a program that was killed, unless it had ended before."""
    return refused_well(ended, (0, -by if by is signal.SIGKILL else 130, *((-by,) if _starting(ended) else ())))


def _starting(ended: Ended) -> bool:
    """Whether Ctrl-C came while Python itself was loading the program, which no program can answer."""
    return ended.code == -signal.SIGINT


def _of_run(choose: TrialChooser, folder: Path) -> str:
    pair, expected = _pair(choose, folder)
    out = folder / "result.json"
    command = ("run", METHOD, str(pair), *SETTINGS, "--resume", "--json", str(out))
    kept = 0.0
    for _ in range(choose.draw_integer(1, KILLS)):
        by = _signal(choose)
        ended = run(folder, command, _moment(choose, "run"), by)
        if wrong := _stopped(ended, by):
            return wrong
        if ended.code == 0:
            break
        now = max((one.fraction for one in interrupted_runs.list_runs()), default=0.0)
        if now < kept and not out.exists():
            return f"{kept:.1%} of the run was kept, and {now:.1%} is left after it was killed again"
        if any(one.running for one in interrupted_runs.list_runs()):
            return "a run that was killed is said to be running"
        kept = now
        if out.exists():
            json.loads(out.read_text())
    ended = run(folder, command)
    if ended.code:
        return f"it did not go on: {ended.told()}"
    found = json.loads(out.read_text())
    wrong = {name: found[name] for name in expected if found[name] != expected[name]}
    if wrong:
        return f"the resumed answer differs in {', '.join(wrong)}"
    return "" if not interrupted_runs.list_runs() else "the run is kept though it has ended with a result"


def _pair(choose: TrialChooser, folder: Path) -> tuple[Path, Mapping[str, Any]]:
    """Two related sequences in a file, and what their alignment is."""
    random, length = choose.make_generator(), choose.draw_integer(*LENGTHS)
    first = random.choice(list("ACGT"), length)
    second = np.where(random.random(length) < 0.15, random.choice(list("ACGT"), length), first)
    path = folder / "pair.fa"
    path.write_text(f">one\n{''.join(first)}\n>two\n{''.join(np.delete(second, slice(length // 3, length // 2)))}\n")
    method = registry.find_method(METHOD)
    planned = engine.plan_run(
        method, method.problem_type.make_problem(read_sequences(path), {}), {"s": 32, "tile": 64, "T": 32}, "cpu"
    )
    result = engine.execute(planned, keep_rate=False, keep_parts=False)
    told = method.problem_type.answer_json(result)
    return path, {name: json.loads(json.dumps(told[name])) for name in ("score", "start", "end", "cigar")}


def _of_sweep(choose: TrialChooser, folder: Path) -> str:
    kept: dict[Path, bytes] = {}
    for _ in range(choose.draw_integer(1, KILLS)):
        by = _signal(choose)
        ended = run(folder, (*SWEEP, "--resume"), _moment(choose, "sweep"), by)
        if wrong := _stopped(ended, by):
            return wrong
        now = {path: path.read_bytes() for path in point_store.experiments_folder().rglob("*.jsonl")}
        for path, content in kept.items():
            if not now.get(path, b"").startswith(content):
                return f"{path.name} lost what was written before"
        kept = now
        if ended.code == 0:
            break
    measured = {key for path in kept for key in point_store.find_measured_points([path])}
    ended = run(folder, (*SWEEP, "--resume", "--json", "-"))
    if wrong := refused_well(ended, (0,)):
        return wrong
    points = json.loads(ended.out)["points"]
    if len(points) != POINTS or any(point["status"] != "measured" for point in points):
        return f"{len(points)} points, of which {sum(point['status'] == 'measured' for point in points)} were measured"
    (path,) = point_store.experiments_folder().rglob("*.jsonl")
    again = [point.key for point in point_store.read_points(path).points]
    twice = [key for key in measured if again.count(key) > 1]
    return f"{len(twice)} points were measured before and once more" if twice else ""


def _of_save(choose: TrialChooser, folder: Path) -> str:
    """A session that is saved over and over, and killed: the file is one of the two that were saved."""
    from antidiag.app.session import archive

    path, (small, large) = folder / "mine.antidiag", sorted(FIXTURES.glob("*.antidiag"))[:2]
    saving = str(path), str(small), str(large)
    ended = run(folder, saving, _moment(choose, "save"), signal.SIGKILL, script=SAVES)
    if ended.code != -signal.SIGKILL:
        return f"it was not killed while it saved: {ended.told()}"
    if not path.exists():
        return ""
    found, saved = archive.load(path), [archive.load(small), archive.load(large)]
    if not any(found[0] == one[0] and len(found[1]) == len(one[1]) for one in saved):
        return "the session is neither the one that was saved last nor the one before"
    return ""


def _of_search(choose: TrialChooser, folder: Path) -> str:
    by, before = _signal(choose), ""
    for _ in range(2):
        ended = run(folder, SEARCH, _moment(choose, "tune"), by)
        if wrong := _stopped(ended, by):
            return wrong
        for path in point_store.experiments_folder().rglob("*.jsonl"):
            content = path.read_text(encoding="utf-8")
            if not content.startswith(before):
                return f"{path.name} lost what was written before"
            before = content
        kept = point_store.experiments_folder().parent / "tuned.json"
        if kept.exists() and not _whole(kept):  # it is empty where nothing was better than the automatic values
            return "tuned.json is cut or damaged"
    ended = run(folder, ("tune", "--list"))
    return refused_well(ended, (0,))


def _whole(path: Path) -> bool:
    """Whether the program reads all entries of a file of tuned values."""
    try:
        return len(json.loads(path.read_bytes())) == len(tuned_values.read_tuned())
    except ValueError:
        return False
