"""What the pages point at is there, the commands that they show are taken, and print what the pages say."""

import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.documents import PAGES, README, ROOT, commands, compare_shown, links, make_targets, scripts, shown

LINES = 150
METHODS_COMMANDS = frozenset({"estimate", "run", "sweep", "tune", "bench"})
OF_A_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
ELSEWHERE = ("first-method.md", *(page.name for page in PAGES if page.parent.name == "tutorials"))
SHOWN = [(page, *one) for page in PAGES if page.name not in ELSEWHERE for one in shown(page)]
"""The commands of the first method run in test_first_method.py, and those of the tutorials in test_tutorials.py."""


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= LINES


@OF_A_PAGE
def test_every_link_leads_to_a_file(page: Path) -> None:
    targets = [target for target in links(page) if not target.startswith("#")]
    assert [target for target in targets if not (page.parent / target.partition("#")[0]).exists()] == []
    assert [target for target in targets if "#" in target and not _has_heading(page, target)] == []


def _has_heading(page: Path, target: str) -> bool:
    """Whether the page that is linked has the heading that is."""
    path, _, place = target.partition("#")
    headings = re.findall(r"^#+ (.*)$", (page.parent / path).read_text(encoding="utf-8"), re.MULTILINE)
    return place in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_shows_the_window_and_the_index_has_every_page() -> None:
    assert any(target.endswith(".png") for target in links(README))
    listed = links(ROOT / "docs" / "README.md")
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in PAGES if page.is_relative_to(ROOT / "docs")}
    assert pages - {"README.md"} <= set(listed)


@cache
def _known() -> dict[str, Any]:
    """The commands of the program, which take longer to put together than to read a line."""
    typer = pytest.importorskip("typer")
    from antidiag.app.cli import program

    return typer.main.get_command(program.program).commands


def _checked(arguments: list[str]) -> None:
    """Let the command line take these arguments without running them; what stands for others is left out."""
    known = _known()
    from antidiag.kernels import registry
    from antidiag.kernels.experiments.sweeps import sweep_axes

    name, *rest = arguments
    if any(word.startswith("[") or word in ("METHOD", "SECONDS") for word in rest):  # a form of a command, in brackets
        flags = {option for parameter in known[name].params for option in parameter.opts}
        assert {word.strip("[]") for word in rest if word.strip("[").startswith("--")} <= flags
        return
    values = known[name].make_context(name, list(rest)).params
    if name not in METHODS_COMMANDS or not values["method_id"] or values["method_id"] == "edit-distance":
        return
    method = registry.find_method(values["method_id"])
    from antidiag.app.cli.options import declared_options, parse_parameters, parse_problem_options

    parse_parameters(method, values.get("settings") or [], values.get("threads"))
    parse_problem_options(method, {name: values[name] for name in declared_options() if values.get(name) is not None})
    for text in values.get("axis") or []:
        sweep_axes.parse_axis(text, [method])
    for beside in values.get("beside") or []:
        registry.find_method(beside)
    named = [re.sub("^samples/", "resources/samples/", file) for file in values.get("files") or []]
    assert all((ROOT / file).is_file() for file in named if file.startswith("resources/"))


@OF_A_PAGE
def test_every_command_is_taken(page: Path) -> None:
    for command in commands(page):
        arguments = shlex.split(command.partition(" | ")[0])
        if arguments and not arguments[0].startswith(("[", "-")):
            _checked(arguments)


@OF_A_PAGE
def test_every_target_and_script_is_there(page: Path) -> None:
    declared = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(make_targets(page)) <= declared
    assert [script for script in scripts(page) if not (ROOT / script).is_file()] == []


def _said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    from antidiag.app.cli import program

    code = program.main(arguments)
    written = capsys.readouterr()
    assert (code, written.err) == (0, "")
    return written.out


def test_the_pages_show_runs_and_an_estimate() -> None:
    assert {command.split()[0] for _, command, _ in SHOWN} == {"align", "run", "estimate", "compare"}
    assert any(page == README for page, _, _ in SHOWN)


@pytest.mark.parametrize(
    ("page", "command", "output"), SHOWN, ids=["-".join(command.split()[:2]) for _, command, _ in SHOWN]
)
def test_commands_print_what_the_pages_show(page, command, output, capsys, monkeypatch, tmp_path):
    """The same labels in the same order, and the same values where they do not depend on the machine."""
    pytest.importorskip("typer")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("antidiag.kernels.machine.compiled_methods.expected_compilation_ms", lambda *_: 0.0)
    command, _, reader = command.partition(" | ")
    words = [re.sub(r"^samples/", "resources/samples/", word) for word in shlex.split(command)]
    printed = _said([str(tmp_path / word) if word == "mt.aln" else word for word in words], capsys)
    if reader:
        assert reader == "jq .score"
        assert json.loads(printed)["score"] == json.loads(output)
        return
    compare_shown(*(text.replace("resources/samples/", "samples/") for text in (output, printed)))
