"""The page on the JSON of commands names every field that a command prints, and no other.

What would take long, such as a measurement, or needs a GPU or a cluster, returns data that are made here.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")

from antidiag.app.cli import cluster_command, program
from antidiag.app.cli.laboratory import sweep_commands
from antidiag.app.cli.tasks.task_commands import TASK_COMMANDS
from antidiag.kernels.cuda import devices
from antidiag.kernels.executors.tasks import WorkerInfo
from antidiag.kernels.experiments.papers import reproduction
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from antidiag.kernels.experiments.sweeps import parameter_tuning
from antidiag.kernels.recovery import interrupted_runs
from antidiag.kernels.recovery.interrupted_runs import InterruptedRun
from antidiag.kernels.table_cuts import TableTiles
from tests.documents import ROOT
from tests.json_pages import COMMANDS, flatten, is_of_type, read_sections

SECTIONS = read_sections(COMMANDS)
RESULTS = {"run", "search", *TASK_COMMANDS}
"""Commands that print the result of a method, whose fields are on the page of results."""
PAIR = "resources/samples/human-haemoglobin.fasta"
GLOBINS = "resources/samples/globins-aligned.sto"
CHAIN = ("matrix-chain", "--dimensions", "30,35,15", "--backend", "cpu")
MEASURED = ("--clock", "measured", "--size", "1", "--backend", "cpu")
RUNS: dict[str, tuple[tuple[str, ...], ...]] = {
    "estimate": (("estimate", *CHAIN, "--json"),),
    "methods": (("methods", "--json"),),
    "runs": (("runs", "--json"),),
    "database": (
        ("database", "make", PAIR, "{folder}/pair.adb", "--json"),
        ("database", "check", "{folder}/pair.adb", "--json"),
    ),
    "profile": (("profile", GLOBINS, "--json"),),
    "compare": (
        ("compare", GLOBINS, GLOBINS, "--json"),
        ("compare", "{folder}/core.xml", "{folder}/core.xml", "--json"),
    ),
    "posteriors": (("posteriors", GLOBINS, "1", "2", "--json"),),
    "samples": (("samples", "--json"),),
    "config": (("config", "--json"),),
    "cluster": (("cluster", "check", "--json"),),
    "info": (("info", "--json"),),
    "play": (("play", "--json"),),
    "play METHOD": (("play", "striped-score", "--json"), ("play", "sloped", "--json")),
    "play METHOD --clock measured": (("play", "antidiagonal", "--json", *MEASURED),),
    "lecture": (("lecture", "--json"),),
    "lecture LECTURE": (("lecture", "three-sequences", "--json"),),
    "sweep": (("sweep", *CHAIN, "--json", "-"),),
    "bench": (("bench", *CHAIN, "--json", "-"),),
    "tune": (("tune", "striped-score", "--length", "100", "--backend", "cpu", "--json", "-"),),
    "reproduce": (("reproduce", "--quick", "--backend", "cpu", "--json", "-"),),
    "guidelines": (("guidelines", "--recorded", "--json", "-"),),
}
POINTS = (
    MeasuredPoint("a", "floyd-warshall", "Floyd-Warshall", {"backend": None}, PointStatus.REFUSED, "too little memory"),
    MeasuredPoint(
        *("b", "floyd-warshall", "Floyd-Warshall", {"backend": "cpu"}, PointStatus.MEASURED),
        runs=(TimedRun(2.0, {"phase 1": 1.5}),),
        limit_ms=0.5,
        tiles=TableTiles(300, 300, 64, "distances"),
    ),
)
CORE = """<?xml version="1.0"?><macsim><alignment><aln-name>core</aln-name>
<sequence seq-type="Protein"><seq-name>a</seq-name><seq-data>MKV-LA</seq-data></sequence>
<sequence seq-type="Protein"><seq-name>b</seq-name><seq-data>MKVALA</seq-data></sequence>
<column-score><colsco-name>coreblock</colsco-name><colsco-data>1 1 1 0 0 0</colsco-data></column-score>
</alignment></macsim>"""


class FakeCluster:
    """A cluster of two workers, one of which is not used."""

    address, dashboard_link = "tcp://head:8786", ""

    def __init__(self, *_: Any, **named: Any) -> None:
        pass

    def __enter__(self) -> FakeCluster:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def resources(self) -> list[WorkerInfo]:
        return [
            WorkerInfo("one", "node1", 2, 2**30, ("a card",), "0.2.0"),
            WorkerInfo("two", "node2", 1, 2**30, problem="it has another version"),
        ]


def _support(alignment: Any, *_: Any) -> Any:
    """Return posteriors of two letters of two rows."""
    before = np.array([[0.5, 0.0], [0.25, 0.75]], np.float32)
    return SimpleNamespace(
        before=before,
        after=before,
        columns=(np.arange(2), np.arange(2)),
        thirds=np.array([2]),
        mean_support=np.array([0.5]),
        score_thirds=lambda rows, columns: np.where(rows == columns, 0.5, 0.0)[None],
    )


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a GPU, an interrupted run, a cluster and measurements; the folder of its files."""
    from antidiag.kernels.msa.consistency import pair_support

    card = devices.Device(0, "a card", 132, (9, 0), 2**36)
    now = datetime(2026, 1, 31, 12, tzinfo=UTC)
    run = InterruptedRun(
        *(tmp_path / "run", "striped-alignment", "cpu", "a processor", {"s": 64}, "digest", "one x two", "600 x 600"),
        *(now, now, 0.5, 1000, False),
    )
    outcome = parameter_tuning.TuningOutcome({"s": 64}, 1.0, {"s": 128}, 2.0, POINTS, kept=True)
    monkeypatch.setattr(devices, "discover_devices", lambda: ((card,), ""))
    monkeypatch.setattr(devices, "free_memory_bytes", lambda index: 2**35)
    monkeypatch.setattr(interrupted_runs, "list_runs", lambda: [run])
    monkeypatch.setattr(cluster_command, "DaskExecutor", FakeCluster)
    monkeypatch.setattr(pair_support, "compute_pair_support", _support)
    monkeypatch.setattr(sweep_commands, "measure_sweep", lambda *_: POINTS)
    monkeypatch.setattr(parameter_tuning, "tune_parameters", lambda *_, **named: outcome)
    monkeypatch.setattr(reproduction, "reproduce_table", lambda *_: POINTS)
    monkeypatch.chdir(ROOT)
    (tmp_path / "core.xml").write_text(CORE)
    return tmp_path


def test_every_command_with_json_has_a_section() -> None:
    commands = program._build_program().commands.items()
    with_json = {name for name, one in commands if any("--json" in option.opts for option in one.params)}
    assert {owner.split()[0] for owner in SECTIONS} == with_json
    assert {owner for owner, fields in SECTIONS.items() if not fields} == RESULTS
    assert SECTIONS.keys() - RESULTS == RUNS.keys()


@pytest.mark.parametrize("owner", RUNS)
def test_the_page_has_the_fields_that_are_printed(
    owner: str, machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known, printed = SECTIONS[owner], set()
    for words in RUNS[owner]:
        assert program.main([word.format(folder=machine) for word in words]) == 0, capsys.readouterr().err
        fields = list(flatten(json.loads(capsys.readouterr().out), known))
        printed |= {name for name, _ in fields}
        assert printed - known.keys() == set()
        assert [(name, value) for name, value in fields if not is_of_type(value, known[name])] == []
        assert [name for name, value in fields if value == "" and known[name] == "text, or null"] == []
    assert known.keys() - printed == set()
