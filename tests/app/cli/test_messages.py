"""How much the program says, the configuration file, completion, and suggestions for what was mistyped."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")

from antidiag.app import main as entry
from antidiag.app.cli import COMMANDS, program
from antidiag.app.cli.shell import config_file
from antidiag.kernels.cuda import devices

ROOT = Path(__file__).resolve().parents[3]
PAIR = "resources/samples/human-haemoglobin.fasta"
ALIGNED, TRIPLE = "resources/samples/globins-aligned.sto", "resources/samples/horse-globins.fasta"
CPU = ("--backend", "cpu")


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def configure(monkeypatch, tmp_path):
    """Write the configuration file."""
    monkeypatch.setenv(config_file.FILE_VARIABLE, str(tmp_path / "config.toml"))

    def write(text: str) -> None:
        (tmp_path / "config.toml").write_text(text)

    return write


def test_quiet_prints_errors_only(capsys, tmp_path):
    (tmp_path / "a.fa").write_text(">a\nACGT-ACGT\n>b\nACGTACCT\n")
    command = ["align", str(tmp_path / "a.fa"), *CPU, "--out", str(tmp_path / "a.aln")]
    assert program.main(command) == 0
    written = capsys.readouterr()
    assert "1 gap removed" in written.err and "saved" in written.out
    assert program.main([*command, "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert program.main(["align", "absent.fa", "-q"]) == 2
    assert "absent.fa" in capsys.readouterr().err


def test_quiet_prints_a_result_that_goes_nowhere_else(says):
    assert "score" in says("run", "striped-score", PAIR, *CPU, "--quiet")


def test_verbose_says_what_is_planned(capsys):
    assert program.main(["run", "striped-score", PAIR, *CPU, "--verbose"]) == 0
    text = capsys.readouterr().err
    assert "antidiag: striped-score on the cpu" in text and ", s = " in text and "{" not in text


def test_a_log_file_keeps_all_messages(says, refuses, tmp_path):
    log = tmp_path / "run.log"
    says("run", "striped-score", PAIR, *CPU, "--log-file", log)
    refuses("run", "striped-score", "absent.fa", "--log-file", log)
    text = log.read_text()
    assert "DEBUG Antidiag " in text and "striped-score on the cpu" in text and "ERROR absent.fa" in text
    assert "cannot be written" in refuses("info", "--log-file", tmp_path / "none" / "run.log")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["run", "striped-score", PAIR, "--gap-opn", "3"], "--gap-opn; did you mean --gap-open"),
        (["align", PAIR, "--methd", "x"], "did you mean --method"),
        (["run", "striped-score", PAIR, "-p", "thread=2"], "did you mean threads?"),
        (["run", "striped-score", PAIR, "--gaps", "position"], "has no option --gaps; did you mean --gap"),
        (["methods", "stripd-score"], "did you mean striped-score"),
    ],
)
def test_what_was_probably_meant_is_named(refuses, arguments, text):
    assert text in refuses(*arguments)


def test_a_mistyped_command_is_recognised(capsys):
    assert entry.main(["aling", PAIR]) == 2
    assert "did you mean align?" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("words", ["methods", pytest.param("samples --copy samples", marks=pytest.mark.slow)])
def test_a_reader_that_has_seen_enough_is_no_error(words: str, tmp_path: Path) -> None:
    command = f"{sys.executable} -u {ROOT / 'main.py'} {words} | head -1; echo ${{PIPESTATUS[@]}}"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert found.stdout.splitlines()[-1] == "0 0" and found.stderr == ""


def test_the_missing_gpu_is_told_once(says, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "it is in repair"))
    note = "The CPU is used: it is in repair."
    assert note in says("run", "striped-score", PAIR)
    assert note not in says("run", "striped-score", PAIR)
    assert note in json.loads(says("run", "striped-score", PAIR, "--json", "-"))["notes"]
    monkeypatch.setattr(devices, "discover_devices", lambda: ((), "it was sold"))
    assert "The CPU is used: it was sold." in says("estimate", "striped-score", PAIR)


def test_the_configuration_gives_defaults(says, configure):
    configure('backend = "cpu"\nthreads = 1\n[align]\nmode = "global"\ngap-open = 12\n')
    text = says("align", PAIR)
    assert "mode              global" in text and "costs 12 + 1 k" in text and "threads = 1" in text
    assert "mode              local" in says("align", PAIR, "--mode", "local")
    assert "threads = 2" in says("align", PAIR, "--threads", "2")
    assert "mode              local" in says("run", "striped-score", PAIR)
    shown = json.loads(says("config", "--json"))
    assert shown["exists"] and shown["settings"]["align"] == {"mode": "global", "gap-open": 12}
    assert "[align] mode" in says("config")


def test_threads_of_the_configuration_are_for_methods_that_have_them(says, configure, tmp_path):
    configure("threads = 1\n")
    (tmp_path / "d.phy").write_text("3\na 0 1 2\nb 1 0 2\nc 2 2 0\n")
    says("run", "upgma", tmp_path / "d.phy", *CPU)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[algin]\n", "unknown command 'algin'; did you mean align?"),
        ('[align]\nmod = "global"\n', "[align] unknown option 'mod'; did you mean mode"),
        ('backnd = "cpu"\n', "unknown option 'backnd'; did you mean backend?"),
        ("quiet = 3\n", "quiet must be true or false; got 3"),
        ('[run]\nmode = "global"\n', "[run] mode is an option of some methods only"),
        ("[align]\nmode = [1, 2]\n", "mode must be one value"),
        ("backend = \n", "cannot be read as TOML"),
    ],
)
def test_a_wrong_configuration_is_named(refuses, configure, text, error):
    configure(text)
    assert error in refuses("samples")


@pytest.mark.parametrize(
    ("text", "command", "line", "error"),
    [
        ('[align]\nmode = "globel"\n', ("align", PAIR), 2, "got 'globel'"),
        ('# mine\nbackend = "gpu"\n', ("align", PAIR), 2, "backend must be auto, cpu or cuda; got 'gpu'"),
        ('\n[figure]\ncolumns = "many"\n', ("figure", ALIGNED, "--out", "x.svg"), 3, "'many' is not a valid"),
        ('[align]\nmatrix = "BLOSSUM"\n', ("align", PAIR), 2, "unknown matrix 'BLOSSUM'"),
        ('\n\nthreads = "few"\n', ("align", PAIR), 3, "got 'few'"),
        ('[msa]\n"method" = "clustal"\n', ("msa", TRIPLE), 2, "'clustal'"),
        ('\nbackand = "cpu"\n', ("samples",), 2, "unknown option 'backand'; did you mean backend?"),
        ("[algin]\n", ("samples",), 1, "unknown command 'algin'; did you mean align?"),
        ("[msa]\n[align]\nmode = [1, 2]\n", ("samples",), 3, "mode must be one value"),
    ],
)
def test_a_wrong_value_of_the_configuration_names_file_and_line(
    refuses, configure, tmp_path, text, command, line, error
):
    configure(text)
    said = refuses(*command)
    assert f"{tmp_path / 'config.toml'}, line {line}: " in said and error in said


def test_a_wrong_value_that_is_typed_is_not_blamed_on_the_configuration(refuses, configure):
    configure('[align]\nmode = "global"\n')
    assert "config.toml" not in refuses("align", PAIR, "--mode", "globel")


def test_a_folder_is_no_configuration(refuses, monkeypatch, tmp_path):
    monkeypatch.setenv(config_file.FILE_VARIABLE, str(tmp_path))
    assert f"{tmp_path}: cannot be read: " in refuses("samples") and "Errno" not in refuses("samples")


def test_the_first_configuration_is_all_comments(says, refuses, monkeypatch, tmp_path):
    monkeypatch.delenv(config_file.FILE_VARIABLE, raising=False)
    monkeypatch.setenv(config_file.FOLDER_VARIABLE, str(tmp_path / "new"))
    assert "(none; config --init writes one)" in says("config")
    assert f"wrote {tmp_path}" in says("config", "--init")
    assert "exists already" in refuses("config", "--init")
    path = tmp_path / "new" / "config.toml"
    lines = [line.removeprefix("# ") for line in path.read_text().splitlines() if re.match(r"# (\[|[\w-]+ = )", line)]
    path.write_text("\n".join(lines).replace("/tmp", str(tmp_path)))
    assert says("samples") and len(lines) == 14
    assert json.loads(says("config", "--json"))["settings"]["figure"] == {"theme": "dark"}


def test_environment_variables_are_listed(says, monkeypatch):
    monkeypatch.setenv("ANTIDIAG_UNPACK_GIB", "4")
    text = says("config")
    assert all(name in text for name in config_file.ENVIRONMENT) and "(set: 4)" in text


@pytest.mark.skipif(os.name == "nt", reason="completion of bash")
@pytest.mark.parametrize(
    ("words", "proposed"),
    [
        ("antidiag al", ["align"]),
        ("antidiag run striped-", ["striped-score", "striped-alignment"]),
        ("antidiag fold --method n", ["nussinov"]),
        ("antidiag msa --quie", ["--quiet"]),
        ("antidiag align a.fa b.fa --mode g", ["global"]),
        ("antidiag align a.fa b.fa --matrix BLOSUM6", ["BLOSUM62"]),
        ("antidiag viterbi a.fa --model cpg", ["cpg-islands"]),
        ("antidiag viterbi a.fa --method viterbi-tr", ["viterbi-tree"]),
        ("antidiag tree a.sto --from al", ["alignment"]),
        ("antidiag tree a.fa --distances distance-6", ["distance-6mer"]),
        ("antidiag msa a.fa --effort t", ["thorough"]),
        ("antidiag msa a.fa --backend c", ["cpu", "cuda"]),
        ("antidiag msa a.fa --to st", ["sto"]),
        ("antidiag run striped-score a.fa -p s", ["s="]),
        ("antidiag run striped-score a.fa -p precision=1", ["precision=16"]),
        ("antidiag figure a.nwk --shape u", ["unrooted"]),
    ],
)
def test_the_shell_completes_commands_methods_and_options(words, proposed, monkeypatch, capsys):
    for name, value in completion_of(words).items():
        monkeypatch.setenv(name, value)
    assert program.main([]) == 0
    assert capsys.readouterr().out.split() == proposed


def test_the_shell_starts_the_program_for_completion():
    found = subprocess.run(
        [sys.executable, "main.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **completion_of("antidiag al")},
    )
    assert found.stdout.split() == ["align"]


def completion_of(words: str) -> dict[str, str]:
    """Return what bash sets to ask for the rest of the last word."""
    return {
        "_ANTIDIAG_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }


def test_the_script_of_completion_is_printed(capsys, monkeypatch):
    monkeypatch.setattr("shellingham.detect_shell", lambda *given: ("bash", "/bin/bash"))  # none is above some tests
    assert program.main(["--show-completion", "bash"]) == 0
    assert "-F _antidiag_completion antidiag" in capsys.readouterr().out


def test_methods_lists_options_and_parameters(says):
    text = says("methods", "striped-score")
    assert "--gap-open auto or a number of at least 0" in text and "-p s=auto" in text
    assert "Default: 5 for nucleotides, 10 for proteins." in text


def test_every_command_is_in_the_page():
    page = (ROOT / "docs" / "command-line.md").read_text()
    assert [name for name in COMMANDS if f"| `antidiag {name}" not in page] == []
