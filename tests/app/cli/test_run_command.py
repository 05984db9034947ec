"""The commands `run` and `estimate`: what they print, the options they take, and the files they write."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("typer")

from antidiag.app.cli import program
from antidiag.kernels import engine, registry
from antidiag.kernels.registry import data_loading

ROOT = Path(__file__).resolve().parents[3]
PAIR = "resources/samples/human-haemoglobin.fasta"
TRIPLE = "resources/samples/horse-globins.fasta"


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_run_prints_the_answer_as_json(says):
    found = json.loads(says("run", "striped-alignment", PAIR, "--backend", "cpu", "--json", "-"))
    wanted = {"method", "backend", "device", "parameters", "score", "start", "end", "aligned", "cigar", "cells",
              "gcups", "times_ms", "host_bytes", "device_bytes"}  # fmt: skip
    assert wanted <= found.keys()
    assert found["method"] == "striped-alignment"
    assert found["score"] == 288
    top, bottom = found["aligned"]
    assert len(top) == len(bottom)
    assert found["end"][0] - found["start"][0] == len(top.replace("-", ""))


def test_json_of_a_score_has_the_start_where_it_is_known(says):
    for mode, start in (("local", None), ("global", [0, 0])):
        found = json.loads(says("run", "striped-score", PAIR, "--mode", mode, "--backend", "cpu", "--json", "-"))
        assert found["start"] == start and len(found["end"]) == 2
        assert not {"aligned", "cigar"} & found.keys()


def test_run_for_people_is_short_and_aligned(says):
    lines = says("run", "striped-score", PAIR, "--backend", "cpu").splitlines()
    assert len(lines) < 15
    column = lines[0].index("StripedScore")
    assert all(line[column - 1] == " " and line[column] != " " for line in lines)
    assert any(line.split() == ["score", "288"] for line in lines)


def test_run_says_that_the_cpu_stands_in(says, monkeypatch):
    monkeypatch.setattr("antidiag.kernels.cuda.devices.discover_devices", lambda: ((), "the GPU is on holiday"))
    assert "The CPU is used: the GPU is on holiday." in says("run", "striped-score", PAIR)


def test_a_gpu_that_was_asked_for_and_is_not_there_is_never_passed_over_in_silence(says, refuses, monkeypatch):
    monkeypatch.setattr("antidiag.kernels.cuda.devices.discover_devices", lambda: ((), "the GPU is on holiday"))
    command = ("estimate", "striped-score", PAIR, "--device")
    assert "The CPU is used instead of GPU 7: the GPU is on holiday." in says(*command, "7")
    assert "The CPU is used instead of GPU 7: the backend cpu was requested." in says(*command, "7", "--backend", "cpu")
    assert "device must be the number of a GPU" in refuses(*command, "-1")


def test_dna_against_a_protein_is_noted(says, tmp_path):
    (tmp_path / "dna.fa").write_text(">gene\nATGGTGCTGTCTCCTGCCGACAAGACC\n")
    (tmp_path / "protein.fa").write_text(">product\nMVLSPADKTNVKAAWGKVGAHAGEYGAEALER\n")
    files = tmp_path / "dna.fa", tmp_path / "protein.fa"
    for command in ("estimate", "run"):
        assert "gene is DNA and product is protein" in says(command, "striped-score", *files, "--backend", "cpu")
    assert "types differ" not in says("run", "striped-score", *files, "--seq-type", "protein", "--backend", "cpu")


def test_options_without_effect_beside_a_tree_are_noted(capsys, tmp_path):
    (tmp_path / "s.fa").write_text(">a\nMKVLAW\n>b\nMKVLAG\n>c\nMRVLAG\n")
    (tmp_path / "t.nwk").write_text("((a,b),c);")
    command = ["estimate", "msa-thesis-serial", str(tmp_path / "s.fa"), "--pairwise", "ktuple"]
    assert program.main([*command, "--tree", str(tmp_path / "t.nwk")]) == 0
    assert "--pairwise has no effect beside --tree" in capsys.readouterr().err
    assert program.main(command) == 0
    assert "no effect" not in capsys.readouterr().err


def test_trees_are_saved_as_nhx(says, tmp_path):
    (tmp_path / "d.phy").write_text("3\na 0 1 2\nb 1 0 2\nc 2 2 0\n")
    says("run", "upgma", tmp_path / "d.phy", "--out", tmp_path / "t.nhx")
    assert (tmp_path / "t.nhx").read_text().startswith("(")


def test_scoring_options_reach_the_problem(says):
    def score(*options: str) -> float:
        arguments = ("run", "striped-score", PAIR, "--backend", "cpu", "--json", "-", *options)
        return json.loads(says(*arguments))["score"]

    assert score("--match", "1", "--mismatch", "-1", "--gap-open", "0", "--gap-extend", "1") == 7
    assert score("--mode", "global") < score()
    assert score("--matrix", "BLOSUM45") != score("--matrix", "PAM250")


def test_matrix_from_a_file(says, tmp_path):
    letters = "ACDEFGHIKLMNPQRSTVWY"
    rows = [f"{one} " + " ".join("3" if one == other else "-2" for other in letters) for one in letters]
    path = tmp_path / "plain.mat"
    path.write_text("  " + " ".join(letters) + "\n" + "\n".join(rows) + "\n")
    gaps = ("--gap-open", "1", "--gap-extend", "1", "--backend", "cpu", "--json", "-")
    from_file = json.loads(says("run", "striped-score", PAIR, "--matrix", path, *gaps))
    by_flags = json.loads(says("run", "striped-score", PAIR, "--match", "3", "--mismatch", "-2", *gaps))
    assert from_file["score"] == by_flags["score"]


def test_parameters_and_threads(says):
    options = ("-p", "s=64", "-p", "T=32", "-p", "precision=32", "--threads", "1", "--backend", "cpu", "--json", "-")
    assert json.loads(says("run", "striped-score", PAIR, *options))["parameters"] == {
        "s": 64, "T": 32, "threads": 1, "precision": 32, "pruning": "on",
    }  # fmt: skip


def test_records_are_taken_in_the_order_of_their_names(says):
    text = says("run", "striped-score", TRIPLE, "--record", "#3", "--record", "#1", "--backend", "cpu")
    assert "1YMB_A x 2MHB_A" in text or "153 x 141" in text


def test_two_files_of_one_record(says, tmp_path):
    for name, letters in (("one", "ACGTACGTACGT"), ("two", "ACGTACGGACGT")):
        (tmp_path / f"{name}.fa").write_text(f">{name}\n{letters}\n")
    both = (tmp_path / "one.fa", tmp_path / "two.fa")
    found = json.loads(says("run", "striped-alignment", *both, "--backend", "cpu", "--json", "-"))
    assert found["score"] == 11 * 2 - 3
    assert found["cigar"] == "7=1X4="


def test_type_can_be_set(says, tmp_path):
    path = tmp_path / "letters.fa"
    path.write_text(">a\nACGTACGT\n>b\nACGTACGT\n")
    dna = says("run", "striped-score", path, "--backend", "cpu")
    protein = says("run", "striped-score", path, "--backend", "cpu", "--seq-type", "protein")
    assert "match +2" in dna
    assert "BLOSUM62" in protein


def test_the_type_of_an_alignment_can_be_set(says, refuses, tmp_path):
    path = tmp_path / "letters.fa"
    path.write_text(">a\nGATCAGTC-GGC\n>b\nGATCAGTCAGGC\n")
    assert "DNA" in says("profile", path) and "protein" in says("profile", path, "--seq-type", "protein")
    run = "run", "distance-alignment", path, "--backend", "cpu"
    assert "distances" in says(*run, "--seq-type", "protein")
    path.write_text(">a\nMKLV-A\n>b\nMKLVCA\n")
    assert "'L' in column 3 is not a DNA letter" in refuses(*run, "--seq-type", "dna")


@pytest.mark.parametrize("suffix", [".fa", ".aln", ".sto", ".txt", ".sam", ".json"])
def test_out_writes_by_suffix(says, tmp_path, suffix):
    path = tmp_path / f"globins{suffix}"
    assert str(path) in says("run", "striped-alignment", PAIR, "--backend", "cpu", "--out", path)
    assert path.stat().st_size > 100


def test_json_to_a_file_leaves_the_report(says, tmp_path):
    path = tmp_path / "result.json"
    assert "score" in says("run", "striped-score", PAIR, "--backend", "cpu", "--json", path)
    assert json.loads(path.read_text())["score"] == 288


def test_estimate_runs_nothing(says, monkeypatch):
    monkeypatch.setattr("antidiag.kernels.engine.execute", None)
    found = json.loads(says("estimate", "striped-alignment", PAIR, "--backend", "cpu", "--json"))
    assert found["cells"] == 141 * 146
    assert found["host_bytes"] == sum(found["host"].values()) > 0
    assert found["time_ms"] > 0
    assert found["fits"] is True
    assert "fits" in says("estimate", "striped-score", PAIR, "--backend", "cpu")


def test_estimate_says_what_does_not_fit(says, monkeypatch):
    monkeypatch.setattr("antidiag.kernels.memory.host_bytes_free", lambda: 10)
    text = says("estimate", "striped-score", PAIR, "--backend", "cpu")
    assert "fits        no: this run needs" in text


def test_a_run_that_does_not_fit_is_refused(refuses, monkeypatch):
    monkeypatch.setattr("antidiag.kernels.memory.host_bytes_free", lambda: 10)
    assert "of host memory" in refuses("run", "striped-score", PAIR, "--backend", "cpu")


def test_a_matrix_and_scores_of_letters_exclude_each_other(refuses):
    said = refuses("run", "striped-score", PAIR, "--matrix", "BLOSUM62", "--match", "2")
    assert "--matrix and --match exclude each other" in said


def test_every_file_after_out_is_written(says, tmp_path):
    paths = [tmp_path / name for name in ("a.aln", "b.nex", "c.json")]
    printed = says(
        "run", "striped-alignment", PAIR, "--backend", "cpu", *(part for path in paths for part in ("-o", path))
    )
    assert all(path.stat().st_size and str(path) in printed for path in paths)


def test_one_file_is_named_once(refuses, tmp_path):
    path = tmp_path / "a.json"
    for options in (("--out", path, "--out", path), ("--out", path, "--json", path)):
        assert "give them different files" in refuses("run", "striped-alignment", PAIR, *options)


@pytest.fixture
def failing_nexus(monkeypatch):
    """The writer of NEXUS fails, as a fault of the program."""

    def fail(result):
        raise KeyError("datatype")

    changed = tuple(
        replace(one, iterate_lines=fail) if one.suffix == ".nex" else one
        for one in registry.find_method("striped-alignment").problem_type.file_formats
    )
    method = registry.find_method("striped-alignment")
    kind = replace(method.problem_type, file_formats=changed)
    monkeypatch.setattr(
        "antidiag.kernels.registry.result_saving.registry.find_method", lambda _: replace(method, problem_type=kind)
    )


def test_a_result_whose_writer_fails_is_saved_in_another_form(capsys, failing_nexus, monkeypatch, tmp_path):
    monkeypatch.setattr("platformdirs.user_log_dir", lambda _: str(tmp_path))
    (tmp_path / "z-rescued.fasta").write_text("of an earlier run")
    code = program.main(["run", "striped-alignment", PAIR, "--backend", "cpu", "--out", str(tmp_path / "z.nex")])
    printed = capsys.readouterr()
    assert code == 1
    assert "score" in printed.out and "saved" not in printed.out
    assert f"the result is saved as {tmp_path / 'z-rescued1.fasta'} instead" in printed.err
    assert (tmp_path / "z-rescued1.fasta").read_text().count(">") == 2
    assert "in fail" in (tmp_path / "command-line.log").read_text()


def test_a_folder_that_goes_during_a_run_does_not_lose_the_result(capsys, monkeypatch, tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    execute = engine.execute

    def remove_folder(*given, **named):
        folder.rmdir()
        return execute(*given, **named)

    monkeypatch.setattr("antidiag.kernels.engine.execute", remove_folder)
    monkeypatch.setattr("pathlib.Path.cwd", lambda: tmp_path)
    pair = str(Path(PAIR).resolve())
    code = program.main(["run", "striped-score", pair, "--backend", "cpu", "--out", str(folder / "a.json")])
    assert code == 2
    assert f"the result is saved as {tmp_path / 'a-rescued.json'} instead" in capsys.readouterr().err
    assert json.loads((tmp_path / "a-rescued.json").read_text())["score"] == 288


@pytest.mark.parametrize("command", [("run", "--json", "-"), ("estimate", "--json")])
def test_what_reading_left_out_is_told_beside_the_report(tmp_path, capsys, command):
    (tmp_path / "a.fa").write_text("; by hand\n>a\nACGT-ACGT12\n>b\nACG\u00a0TACCT\n", encoding="utf-8")
    name, *output = command
    assert program.main([name, "striped-score", str(tmp_path / "a.fa"), "--backend", "cpu", *output]) == 0
    written = capsys.readouterr()
    assert json.loads(written.out)
    assert [line.removeprefix("antidiag: note: ") for line in written.err.splitlines()] == [
        "1 comment line left out",
        "2 digits removed",
        "1 gap removed",
        "1 no-break space removed",
    ]


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst", "zip"])
def test_results_are_compressed_where_the_suffix_says_so(tmp_path, says, suffix):
    target = tmp_path / f"found.fasta.{suffix}"
    says("run", "striped-alignment", PAIR, "--backend", "cpu", "--out", str(target))
    assert not target.read_bytes().startswith(b">")
    (alignment,) = data_loading.read_data(target)
    assert len(alignment.names) == 2
    assert says("sequences", PAIR, "--out", str(target)) == ""
    assert says("sequences", str(target)) == says("sequences", PAIR)
