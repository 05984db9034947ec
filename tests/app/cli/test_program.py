"""The program as a person or a script uses it: help, lists, refusals, faults, exit codes, input and output streams."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")

from antidiag.app import main as entry
from antidiag.app.cli import COMMANDS, program, run_commands
from antidiag.app.cli.options import default_by_type
from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.model import Outcome

ROOT = Path(__file__).resolve().parents[3]
PAIR = "resources/samples/human-haemoglobin.fasta"
TRIPLE = "resources/samples/horse-globins.fasta"
GRAPH = "resources/samples/five-vertices.csv"
DISTANCES = "resources/samples/globin-distances.phy"
MODEL = "--model=resources/models/cpg-islands.json"


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_commands_known_to_main_are_those_of_the_program():
    assert {command.name for command in program.program.registered_commands} == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_examples(says, command):
    text = says(command, "--help")
    assert "Examples" in text
    assert f"python main.py {command}" in text


def test_examples_behind_a_pipe_start_as_the_program_does(says):
    assert "| python main.py tree -" in " ".join(says("msa", "--help").split())


def test_trees_that_neighbors_join_are_no_optimum():
    joined = [method for method in registry.METHODS if method.criterion.startswith("neighbor joining")]
    assert {"nj-pruned", "nj-alignment"} <= {method.id for method in joined}
    assert not any(method.finds_optimum for method in joined)


def test_methods_declares_everything(says):
    found = {method["id"]: method for method in json.loads(says("methods", "--json"))}
    assert list(found) == [method.id for method in registry.METHODS]
    score = found["striped-score"]
    assert score["name"] == "StripedScore"
    assert "Junjie Li" in score["citation"]["text"]
    assert score["backends"] == ["cpu", "cuda"]
    width = next(parameter for parameter in score["parameters"] if parameter["name"] == "s")
    assert (width["minimum"], width["step"], width["unit"], width["default"]) == (32, 32, "columns", None)
    assert width["help"]


def test_methods_for_people_names_ranges(says):
    text = says("methods", "striped-score")
    widths = "a multiple of 32 between 32 and 2048, or any whole number with mapping=published"
    assert f"-p s=auto: auto or {widths} (columns)" in text
    assert "StripedAlignment" not in text


def test_info(says):
    facts = json.loads(says("info", "--json"))
    assert facts["threads"] == os.cpu_count()
    assert facts["memory_bytes"] > facts["memory_free_bytes"] == facts["memory_free"] > 0
    assert facts["versions"]["antidiag"]
    assert bool(facts["gpus"]) != bool(facts["no_gpu_reason"])
    assert facts["cpu"] in says("info")


def test_samples_are_readable_files(says):
    found = json.loads(says("samples", "--json"))
    assert not any(".." in path for sample in found for path in sample["paths"])
    assert all(Path(path).is_file() for sample in found for path in sample["paths"])
    assert found[0]["id"] in says("samples")


def test_samples_are_copied_into_a_folder(says, tmp_path):
    folder = tmp_path / "new" / "samples"
    listed = says("samples", "--copy", str(folder)).splitlines()
    assert {Path(line) for line in listed} == set(folder.iterdir())
    assert (folder / "globins.fasta").read_bytes() == Path("resources/samples/globins.fasta").read_bytes()


def test_samples_that_cannot_be_copied_name_the_folder(tmp_path, capsys):
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    assert program.main(["samples", "--copy", str(tmp_path / "taken")]) == 2
    assert "taken: the samples cannot be copied" in capsys.readouterr().err


def test_version(says):
    assert says("--version") == f"Antidiag {engine.package_versions()['antidiag']}\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["run", "no-such-method", PAIR], "known methods: striped-score"),
        (["run", "striped-score", TRIPLE], "takes 2 sequences; got 3"),
        (["run", "striped-score", "absent.fa"], "absent.fa"),
        (["run", "striped-score", PAIR, "--record", "nobody"], "no record 'nobody'"),
        (
            ["run", "striped-score", PAIR, "-p", "s=31"],
            "s must be auto or a multiple of 32 between 32 and 2048, or any whole number with mapping=published",
        ),
        (["run", "striped-score", PAIR, "-p", "q=3"], "unknown parameter 'q'"),
        (["run", "striped-score", PAIR, "-p", "s"], "must be name=value"),
        (["run", "striped-score", PAIR, "-p", "threads=1", "--threads", "2"], "given twice"),
        (
            ["run", "striped-score", PAIR, "--threads", "none"],
            "threads must be auto or a whole number between 1 and 1024 (threads); got 'none'",
        ),
        (["run", "striped-score", PAIR, "--mode", "semi"], "one of local, global"),
        (["run", "striped-score", PAIR, "--matrix", "NOSUCH"], "unknown matrix 'NOSUCH'"),
        (["run", "striped-score", PAIR, "--matrix", "tests"], "tests: this is a folder"),
        (["run", "striped-score", PAIR, "--gap-open", "-1"], "at least 0"),
        (["run", "striped-score", PAIR, "--backend", "abacus"], "backend must be auto, cpu or cuda; got 'abacus'"),
        (["run", "striped-score", PAIR, "--seq-type", "wood"], "one of dna, rna, protein"),
        (["run", "striped-score", PAIR, "--seq-type", "dna"], "is not a DNA letter"),
        (["run", "striped-score", PAIR, "--out", "a.fasta"], "returns no alignment"),
        (["run", "striped-alignment", PAIR, "--out", "a.pdf"], "unknown suffix .pdf"),
        (["run", "striped-alignment", PAIR, "--out", "nowhere/a.fasta"], "folder nowhere does not exist"),
        (["run", "striped-alignment", PAIR, "--json", "nowhere/a.json"], "folder nowhere does not exist"),
        (["run", "striped-alignment", PAIR, "--out", PAIR], "this input file would be overwritten"),
        (["run", "striped-alignment", PAIR, "--out", "a.json", "--json", "./a.json"], "different files"),
        (["run", "striped-score"], "takes 2 sequences; got 0"),
        (["run", "viterbi-serial", MODEL], "takes 1 sequence; got 0; add a file"),
        (["run", "viterbi-serial", MODEL, MODEL, PAIR], "--model is given 2 times"),
        (["run", "floyd-blocked", GRAPH, "--record", "a"], "--record names sequences, and"),
        (["run", "striped-score", PAIR, "--bogus"], "No such option"),
        (["run", "striped-score", PAIR, "--device", "first"], "--device"),
        (["methods", "bogus"], "unknown method 'bogus'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(refuses, arguments, text):
    assert text in refuses(*arguments)


@pytest.mark.parametrize("method", [method for method in registry.METHODS if method.problem_type.inputs])
@pytest.mark.parametrize("command", ["run", "estimate"])
def test_too_few_and_too_many_data_are_refused_by_every_method(refuses, tmp_path, command, method):
    inputs = method.problem_type.inputs
    aligned = tmp_path / "aligned.fasta"
    aligned.write_text(">a\nACG\n>b\nACG\n>c\nACG\n")
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("1,2\n3,4\n")
    files = {"model": MODEL, "profile": f"--profile={aligned}", "add": f"--add={aligned}"}
    models = [files[taken.flag] for taken in inputs if taken.flag and taken.minimum]
    (taken,) = [taken for taken in inputs if not taken.flag]
    assert f"takes {taken.describe_count()}; got 0" in refuses(command, method.id, *models)
    if taken.maximum is not None:
        file = {"graph": GRAPH, "distance-matrix": DISTANCES, "matrix": numbers}.get(taken.kind.id, aligned)
        told = refuses(command, method.id, *models, *[file] * (taken.maximum + 1))
        assert f"takes {taken.describe_count()}; got " in told


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["estimate", "matrix-chain", "--dimensions", f"3,{'9' * 5000},4"], "is not a positive whole number"),
        (["estimate", "matrix-chain", "--dimensions", "3,\u0663,4"], "'\u0663' is not a positive whole number"),
        (["runs", "--limit", "inf"], "--limit must be a number of GiB, such as 200; got inf"),
        (["runs", "--limit", "1e300"], "--limit must be a number of GiB, such as 200; got 1e+300"),
        (["run", "striped-score", PAIR, "--json", "a" * 300], "cannot be written: File name too long"),
        (["bench", "striped-score", PAIR, "--csv", "a" * 300], "cannot be written: File name too long"),
        (["run", "striped-score", PAIR, "--match", "1_0"], "match must be auto or a number; got '1_0'"),
        (["run", "striped-score", PAIR, "-p", "threads=1_0"], "(threads); got '1_0'"),
        (["run", "striped-score", PAIR, "-p", f"threads=1{'0' * 400}"], "threads must be auto or a whole number"),
        (["run", "striped-score", PAIR, "--record", f"#{'9' * 5000}"], "no record '#999"),
        (["run", "viterbi-persistent", PAIR, "--model", "a" * 300], "cannot be read: File name too long"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="names of POSIX")
def test_strange_arguments_are_refused_with_a_reason(refuses, arguments, text):
    error = refuses(*arguments)
    assert text in error and len(error) < 700


@pytest.mark.parametrize("data", [b"CLUSTAL X", b"CLUSTAL W\n\n"])
@pytest.mark.parametrize("method", ["striped-score", "distance-alignment"])
def test_a_file_that_no_reader_ends_with_is_refused(refuses, tmp_path, data, method):
    (tmp_path / "h.aln").write_bytes(data)
    assert "h.aln" in refuses("estimate", method, tmp_path / "h.aln")


def test_standard_input_is_read():
    command = [sys.executable, "main.py", "run", "striped-score", "-", "--json", "-"]
    done = subprocess.run(command, input=Path(ROOT, PAIR).read_bytes(), capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["score"] == 288


def test_standard_input_may_be_packed(says, monkeypatch):
    reading, writing = os.pipe()
    with open(reading) as stream, open(writing, "wb") as end:
        end.write(gzip.compress(Path(ROOT, PAIR).read_bytes()))
        end.close()
        monkeypatch.setattr(sys, "stdin", stream)
        assert json.loads(says("run", "striped-score", "-", "--json", "-"))["score"] == 288


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_behind_standard_output():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "main.py", "methods", "--json"], stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False
        )
    assert done.returncode == 2
    assert done.stderr == (
        b"antidiag: standard output cannot be written: No space left on device; use another disk or pipe\n"
    )


def test_targets_are_checked_before_anything_is_read(refuses, monkeypatch):
    monkeypatch.setattr(run_commands.inputs, "read_inputs", None)
    assert "does not exist" in refuses("run", "striped-alignment", PAIR, "--out", "nowhere/a.fasta")


def test_a_fault_of_the_program_is_one_line_with_a_log(refuses, monkeypatch, tmp_path):
    def fail(*_, **named):
        raise ZeroDivisionError("strips\nof nothing")

    monkeypatch.setattr("antidiag.kernels.engine.execute", fail)
    monkeypatch.setattr("platformdirs.user_log_dir", lambda _: str(tmp_path))
    line = refuses("run", "striped-score", PAIR, "--backend", "cpu", code=1)
    assert "internal error: ZeroDivisionError: strips of nothing; please report it" in line
    assert "in fail" in (tmp_path / "command-line.log").read_text()


def test_cancel_leaves_no_file(refuses, monkeypatch, tmp_path):
    def cancel(*_, **named):
        raise Cancelled

    monkeypatch.setattr("antidiag.kernels.engine.execute", cancel)
    path = tmp_path / "a.fasta"
    assert refuses("run", "striped-alignment", PAIR, "--out", path, code=130) == "antidiag: cancelled\n"
    assert not path.exists()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupt_cancels_the_monitor_of_the_run(refuses, monkeypatch):
    def wait(planned, monitor, **named) -> Outcome:
        signal.raise_signal(signal.SIGINT)
        monitor.check()
        raise AssertionError("the interrupt did not cancel")

    monkeypatch.setattr("antidiag.kernels.engine.execute", wait)
    before = signal.getsignal(signal.SIGINT)
    refuses("run", "striped-score", PAIR, "--backend", "cpu", code=130)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} main.py methods --json | head -c 10"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (found.stdout, found.stderr) == ('[\n {\n  "id', "")


def test_main_refuses_what_is_neither_file_nor_command(capsys):
    assert entry.main(["nonsense"]) == 2
    assert "neither a file nor a command" in capsys.readouterr().err


def test_main_says_that_there_is_no_display(capsys, monkeypatch):
    monkeypatch.setattr(entry, "has_no_display", lambda *_: True)
    assert entry.main([PAIR]) == 2
    assert "no display" in capsys.readouterr().err


def test_no_display():
    assert entry.has_no_display({}, "linux")
    assert not entry.has_no_display({"DISPLAY": ":0"}, "linux")
    assert not entry.has_no_display({}, "darwin")


def test_main_names_a_package_that_is_missing(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "antidiag.app.cli.program", None)
    assert entry.main(["methods"]) == 2
    assert "scripts/setup.py" in capsys.readouterr().err


@pytest.mark.parametrize("options", [("--backend", "cpu", "--backend", "cuda"), ("--gap-open", 3, "--gap-open", 4)])
def test_an_option_of_one_value_is_given_once(refuses, options):
    assert f"{options[0]} is given 2 times; give it once" in refuses("run", "striped-score", PAIR, *options)


@pytest.fixture
def help_of(says, monkeypatch):
    """Return the help of a command, without its examples, as one line of words."""
    monkeypatch.setenv("COLUMNS", "400")

    def read_help(*words: str) -> str:
        text = says(*words, "--help").replace("\N{BOX DRAWINGS LIGHT VERTICAL}", " ").split("Examples")[0]
        return " ".join(text.split())

    return read_help


@pytest.mark.parametrize("method", registry.METHODS, ids=lambda method: method.id)
def test_help_behind_a_method_has_its_options_and_defaults(help_of, method):
    """Of several declarations of one name the help of a method tells its own."""
    text = help_of("run", method.id)
    assert "Default: for " not in text
    options = {option.name: option for option in method.problem_type.options}
    for name, option in options.items():
        told = " ".join(option.help.split())
        assert f"--{name.replace('_', '-')} " in text and told in text, option
        if option.kind != "bool" and option.default not in (None, ""):
            assert f"{told} Default: {default_by_type(option, method) or option.default}." in text
    others = {one.name for other in registry.METHODS for one in other.problem_type.options} - set(options)
    assert not [name for name in others if f" --{name.replace('_', '-')} " in text]


@pytest.mark.parametrize(
    ("method", "strange"),
    [
        ("nussinov", "--cigar --on --scheduler striped-score checkpointed-alignment"),
        ("floyd-warshall", "--record --seq-type --soft-masking --device --threads --parameter"),
        ("matrix-chain", "FILE... --record --cigar"),
    ],
)
def test_help_behind_a_method_has_no_options_without_effect_on_it(help_of, method, strange):
    text, found = help_of("run", method), registry.find_method(method)
    assert f"{found.name}: {found.summary}" in text
    assert not [word for word in strange.split() if f" {word} " in text]


def test_help_behind_a_method_that_falls_into_pieces_has_where_they_run(help_of):
    assert " --scheduler " in help_of("run", "distance-full") and " --cigar " in help_of("run", "striped-alignment")


def test_help_without_a_method_says_that_defaults_depend_on_it(help_of):
    text = help_of("run")
    for flag in ("--matrix", "--gap-open", "--gap-extend", "--blank", "--numbers"):
        told = text.split(f" {flag} ")[1].split(" --")[0]
        assert "Meaning and default depend on the method" in told and "Default:" not in told, flag


@pytest.mark.parametrize("command", ["run", "estimate", "sweep", "tune"])
def test_defaults_that_follow_the_type_of_sequences_are_told(help_of, command):
    text = help_of(command, "striped-score")
    assert "Default: 5 for nucleotides, 10 for proteins." in text and "Default: BLOSUM62 for proteins." in text
    text = help_of(command, "layered")
    assert "0 gives linear gaps. Default: 0." in text and "Default: 5 for nucleotides, 8 for proteins." in text


def test_words_are_no_sequence_and_formats_that_come_near_are_named(tmp_path, refuses):
    (tmp_path / "a.txt").write_text("seq1 ACGTACGT\n")
    message = refuses("sequences", str(tmp_path / "a.txt"))
    for word in ("a.txt, line 1", "'seq1'", "Clustal", "PHYLIP", "a table", ">name"):
        assert word in message
