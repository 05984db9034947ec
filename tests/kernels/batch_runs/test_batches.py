"""Batches: the same results by every executor, resume, failures apart, and tables of inputs."""

from __future__ import annotations

import csv
import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from antidiag.kernels import ROOT
from antidiag.kernels.batch_runs import batch as batch_module
from antidiag.kernels.batch_runs.batch import MANIFEST, Batch, group_items, run_batch
from antidiag.kernels.batch_runs.batch_items import BatchItem, list_items, read_table
from antidiag.kernels.batch_runs.batch_summary import FAILURES, SUMMARY, BatchRow
from antidiag.kernels.errors import AntidiagError, Cancelled, InputError, ParameterError
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.executors.gpus import GpusExecutor
from antidiag.kernels.executors.local import LocalExecutor
from antidiag.kernels.monitor import Monitor
from tests.dask_clusters import start_thread_cluster


def write_pairs(folder: Path, count: int, letters: str = "GATTACAGATTACA") -> list[Path]:
    """Write files of two sequences each, which differ from file to file."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        changed = letters[number % len(letters) :] + letters[: number % len(letters)]
        (folder / f"pair{number:03}.fa").write_text(f">a\n{letters}\n>b\n{changed}\n")
    return sorted(folder.glob("*.fa"))


def run_here(batch: Batch, resume: bool = False, slots: int = 2) -> list[BatchRow]:
    with LocalExecutor(slots) as executor:
        return list(run_batch(batch, executor, resume=resume))


def read_rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def pair_batch(files: Sequence[Path], folder: Path, **changes: object) -> Batch:
    settings = {"mode": "global", "threads": "1"}
    return Batch("striped-alignment", tuple(list_items(files)), settings, folder=folder, suffixes=(".paf",), **changes)


def test_every_executor_writes_the_same_files(tmp_path):
    files = write_pairs(tmp_path / "in", 12)
    written: dict[str, dict[str, bytes]] = {}
    with start_thread_cluster(1, 2) as cluster:
        for kind in ("local", "gpus", "dask"):
            choice = ExecutorChoice(kind, cluster.scheduler_address if kind == "dask" else None, slots=2, cards=(0,))
            with choice.open() if kind != "local" else LocalExecutor(2) as executor:
                rows = list(run_batch(pair_batch(files, tmp_path / kind), executor))
            assert len(rows) == 12 and all(row.is_done for row in rows), [row.error for row in rows]
            written[kind] = {one.name: one.read_bytes() for one in (tmp_path / kind).glob("*.paf")}
    assert len(written["local"]) == 12
    assert written["local"] == written["gpus"] == written["dask"]


def test_summary_has_size_score_time_and_place(tmp_path):
    run_here(pair_batch(write_pairs(tmp_path / "in", 3), tmp_path / "out"))
    rows = read_rows(tmp_path / "out" / SUMMARY)
    assert [row["name"] for row in rows] == ["pair000", "pair001", "pair002"]
    first = rows[0]
    kept = [first[name] for name in ("state", "method", "rows", "columns")]
    assert kept == ["done", "striped-alignment", "2", "14"]
    assert float(first["score"]) == 28 and float(first["time_s"]) > 0 and first["worker"] == "this process"
    assert first["output"] == str(tmp_path / "out" / "pair000.paf") and not (tmp_path / "out" / FAILURES).exists()


def test_failures_stand_apart_and_do_not_stop_the_others(tmp_path):
    files = write_pairs(tmp_path / "in", 20)
    files[3].write_text(">a\nGATT#ACA\n>b\nGATTACA\n")
    files[7].write_text(">only\nGATTACA\n")
    rows = {row.item.name: row for row in run_here(pair_batch(files, tmp_path / "out"))}
    failed = read_rows(tmp_path / "out" / FAILURES)
    assert [row["name"] for row in failed] == ["pair003", "pair007"]
    assert str(files[3]) in failed[0]["error"] and "'#'" in failed[0]["error"]
    assert "2 sequences" in failed[1]["error"]
    assert sum(row.is_done for row in rows.values()) == 18
    assert len(list((tmp_path / "out").glob("*.paf"))) == 18


def test_resume_runs_what_is_missing_failed_or_changed(tmp_path):
    files = write_pairs(tmp_path / "in", 10)
    files[3].write_text(">a\nGATT#ACA\n>b\nGATTACA\n")
    batch = pair_batch(files, tmp_path / "out")
    run_here(batch)
    files[3].write_text(">a\nGATTACA\n>b\nGATTACA\n")
    files[5].write_text(">a\nGATTACCCC\n>b\nGATTACA\n")
    (tmp_path / "out" / "pair007.paf").unlink()
    with pytest.raises(InputError, match="holds a run already.*--resume"):
        run_here(batch)
    rows = {row.item.name: row for row in run_here(batch, resume=True)}
    again = {name for name, row in rows.items() if not row.resumed}
    assert again == {"pair003", "pair005", "pair007"} and all(row.is_done for row in rows.values())
    assert len(read_rows(tmp_path / "out" / SUMMARY)) == 10 and not (tmp_path / "out" / FAILURES).exists()


def test_a_batch_with_other_settings_is_not_continued(tmp_path):
    files = write_pairs(tmp_path / "in", 2)
    run_here(pair_batch(files, tmp_path / "out"))
    other = Batch("striped-alignment", tuple(list_items(files)), {"mode": "local"}, folder=tmp_path / "out")
    with pytest.raises(InputError, match=r"cannot be continued.*settings was"):
        run_here(other, resume=True)


def test_a_torn_last_line_of_the_manifest_is_ignored(tmp_path):
    files = write_pairs(tmp_path / "in", 4)
    run_here(pair_batch(files, tmp_path / "out"))
    manifest = tmp_path / "out" / MANIFEST
    lines = manifest.read_bytes().splitlines(keepends=True)
    last = json.loads(lines[-1])["key"]
    manifest.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    rows = {row.item.name: row for row in run_here(pair_batch(files, tmp_path / "out"), resume=True)}
    assert {name for name, row in rows.items() if not row.resumed} == {last}
    assert len(manifest.read_bytes().splitlines()) == 5


def test_cancel_keeps_what_is_done(tmp_path):
    monitor = Monitor()
    files = write_pairs(tmp_path / "in", 40)
    with LocalExecutor(1) as executor:
        running = run_batch(pair_batch(files, tmp_path / "out"), executor, monitor)
        assert next(running).is_done
        monitor.cancel()
        with pytest.raises(Cancelled):
            list(running)
    done = len(read_rows(tmp_path / "out" / SUMMARY))
    assert 1 <= done < 40
    rows = run_here(pair_batch(files, tmp_path / "out"), resume=True)
    assert len(rows) == 40 and sum(row.resumed for row in rows) == done


class _Disk:
    """Takes so many lines of a manifest, half of the next, and then is full."""

    def __init__(self, path: Path, mode: str, buffering: int) -> None:
        self._file = open(path, mode, buffering=buffering)  # noqa: SIM115 (closed by `close`)
        self._lines = 3
        self.fileno, self.close = self._file.fileno, self._file.close

    @property
    def closed(self) -> bool:
        return self._file.closed

    def write(self, line: bytes) -> int:
        self._lines -= 1
        if self._lines < 0:
            self._file.write(line[: len(line) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._file.write(line)


def test_a_full_disk_ends_a_batch_with_a_reason_and_resume_goes_on(tmp_path, monkeypatch):
    files = write_pairs(tmp_path / "in", 10)
    with monkeypatch.context() as patched:
        patched.setattr("antidiag.kernels.executors.manifest.open", _Disk, raising=False)
        with pytest.raises(AntidiagError, match=f"{MANIFEST}: cannot be written: No space left.*--resume"):
            run_here(pair_batch(files, tmp_path / "out"))
    rows = run_here(pair_batch(files, tmp_path / "out"), resume=True)
    assert len(rows) == 10 and all(row.is_done for row in rows) and sum(row.resumed for row in rows) == 3


@pytest.mark.parametrize("ended", [0, 1, 3])
def test_a_batch_that_is_cancelled_at_any_stage_is_continued(tmp_path, ended):
    files = write_pairs(tmp_path / "in", 4)
    files[1].write_text(">a\nGATT#ACA\n>b\nGATTACA\n")
    monitor = Monitor()
    with LocalExecutor(1) as executor:
        running = run_batch(pair_batch(files, tmp_path / "out"), executor, monitor)
        for _ in range(ended):
            next(running)
        monitor.cancel()
        with pytest.raises(Cancelled):
            list(running)
    files[1].write_text(">a\nGATTACA\n>b\nGATTACA\n")
    done = len(list((tmp_path / "out").glob("*.paf")))
    rows = run_here(pair_batch(files, tmp_path / "out"), resume=True)
    assert len(rows) == 4 and all(row.is_done for row in rows) and sum(row.resumed for row in rows) == done


def test_a_worker_with_another_file_of_that_name_refuses_it(tmp_path, monkeypatch):
    """Large files are not sent, and a worker of another machine may have others."""
    monkeypatch.setattr("antidiag.kernels.batch_runs.batch_messages.SENT_BYTES", 8)
    files = write_pairs(tmp_path / "in", 1)

    class ForeignDisk(LocalExecutor):
        """Has another file of the same name."""

        reads_files = False

        def _run(self, message):
            files[0].write_text(">a\nGATTACA\n>b\nGATTACA\n")
            return super()._run(message)

    with ForeignDisk(1) as executor:
        (row,) = run_batch(pair_batch(files, tmp_path / "out"), executor)
    assert row.error.startswith(f"{files[0]}: a worker lacks this file of ") and "use a shared folder" in row.error


@pytest.mark.slow
def test_a_worker_that_dies_loses_no_item_and_an_item_that_kills_workers_fails_alone(tmp_path, monkeypatch):
    files = write_pairs(tmp_path / "in", 6)
    deadly = tmp_path / "sitecustomize.py"
    deadly.write_text(
        "import os, antidiag.kernels.batch_runs.item_runs as runs\n"
        "before = runs.run_item\n"
        "def run_item(item, *rest):\n"
        "    if item['name'] == 'pair004':\n"
        "        os._exit(9)\n"
        "    return before(item, *rest)\n"
        "runs.run_item = run_item\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT.parent)]))
    with GpusExecutor((0,)) as executor:
        rows = {row.item.name: row for row in run_batch(pair_batch(files, tmp_path / "out"), executor)}
    assert {name for name, row in rows.items() if not row.is_done} == {"pair004"}
    assert "died" in rows["pair004"].error and "3 attempts" in rows["pair004"].error


@pytest.mark.slow
def test_a_killed_caller_is_continued(tmp_path):
    """After kill -9 in the middle, --resume runs the others, and all files are those of an undisturbed run."""
    files = write_pairs(tmp_path / "in", 60)
    run_here(pair_batch(files, tmp_path / "undisturbed"))
    main = [sys.executable, str(ROOT.parent / "main.py"), "batch", "striped-alignment", str(tmp_path / "in")]
    command = [*main, "--out", str(tmp_path / "out"), "--to", "paf", "--mode", "global", "--threads", "1"]
    caller = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    manifest = tmp_path / "out" / MANIFEST
    until = time.monotonic() + 120
    while time.monotonic() < until and not (manifest.exists() and manifest.read_bytes().count(b"\n") > 3):
        time.sleep(0.002)
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    ended = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=True)
    assert "60 of 60" in ended.stdout
    expected = {one.name: one.read_bytes() for one in (tmp_path / "undisturbed").glob("*.paf")}
    assert {one.name: one.read_bytes() for one in (tmp_path / "out").glob("*.paf")} == expected and len(expected) == 60


def test_a_table_names_files_outputs_and_settings(tmp_path):
    write_pairs(tmp_path / "in", 2)
    table = tmp_path / "runs.tsv"
    table.write_text("file\tname\tmode\nin/pair000.fa\twhole/first\tglobal\nin/pair001.fa\tsecond\t\n")
    batch = Batch("striped-alignment", tuple(read_table(table)), folder=tmp_path / "out", keeps_results=True)
    rows = {row.item.name: row for row in run_here(batch)}
    assert rows["whole/first"].outputs[0].is_file() and rows["whole/first"].outputs[0].parent.name == "whole"
    modes = {name: str(row.result.problem.mode) for name, row in rows.items() if row.result}
    assert modes["whole/first"] == "global" and modes["second"] == "local"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n1\t2\n", "line 1: no column 'file'"),
        ("file\tfile\nx\ty\n", "line 1: the column 'file' is there twice"),
        ("file\tname\nx.fa\n", "line 2: 1 cells"),
        ("file\tname\n\tx\n", "line 2: no file is named"),
        ("file\tname\nx.fa\t../x\n", "line 2: the name"),
        ("file\n", "no lines below its head"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(tmp_path, text, message):
    (tmp_path / "t.tsv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / "t.tsv")


def test_names_of_outputs_differ_or_are_refused(tmp_path):
    for name in ("a/x.fa", "a/x.faa", "b/x.fa"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(">a\nACGT\n")
    assert [item.name for item in list_items([tmp_path])] == ["a/x.fa", "a/x.faa", "b/x"]
    with pytest.raises(InputError, match="would have the same output"):
        list_items([tmp_path / "a/x.fa", tmp_path / "b/x.fa"])


def test_small_items_are_grouped_and_large_ones_come_first():
    small = [BatchItem(f"s{n}", data=(_Letters(100),)) for n in range(1000)]
    large = [BatchItem(f"l{n}", data=(_Letters(10**6),)) for n in range(2)]
    groups = group_items([*small, *large], 2)
    assert [[item.name for item in group] for group in groups[:2]] == [["l0"], ["l1"]]
    assert len(groups[2]) == batch_module.GROUP_ITEMS and sum(map(len, groups)) == 1002
    assert len(group_items(small[:16], 2)) == 16


class _Letters:
    def __init__(self, count: int) -> None:
        self.letters = bytes(count)


def test_a_wrong_setting_is_refused_before_anything_runs(tmp_path):
    files = write_pairs(tmp_path / "in", 1)
    with pytest.raises(ParameterError, match="has no setting 'gap_opn'"):
        run_here(Batch("striped-alignment", tuple(list_items(files)), {"gap_opn": "3"}, folder=tmp_path / "out"))
    with pytest.raises(InputError, match="unknown suffix"):
        run_here(Batch("striped-alignment", tuple(list_items(files)), suffixes=(".zzz",), folder=tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_task_recommends_a_method_for_each_item(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "aligned.fa").write_text(">a\nGATTACA-\n>b\nGATTACAC\n>c\nGATTTCAC\n>d\nGTTTTCAC\n")
    (tmp_path / "in" / "free.fa").write_text(">a\nGATTACAGATTACA\n>b\nGATTACATTACA\n>c\nGATTACAGATACA\n")
    batch = Batch("tree", tuple(list_items([tmp_path / "in"])), folder=tmp_path)
    rows = {row.item.name: row for row in run_here(batch)}
    assert rows["aligned"].facts["method"] == "nj-alignment" and rows["free"].facts["method"] == "nj-pruned"
    assert (tmp_path / "free.nwk").read_text().count(",") == 2


def test_progress_counts_items(tmp_path):
    seen: list[tuple[int, int, str]] = []
    with LocalExecutor(2) as executor:
        batch = pair_batch(write_pairs(tmp_path / "in", 40), tmp_path / "out")
        list(run_batch(batch, executor, Monitor(lambda *progress: seen.append(progress))))
    assert seen[-1][:2] == (40, 40) and "40 of 40 done" in seen[-1][2]
