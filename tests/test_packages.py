"""What is published: metadata that agree in all places, pins with a reason, recipes that are what they should be."""

from __future__ import annotations

import ast
import configparser
import re
import struct
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from antidiag.kernels import __version__
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments.sweeps import parameter_tuning

ROOT = Path(__file__).resolve().parents[1]
PACKAGING = ROOT / "packaging"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
CONDA_NAMES = {"pyside6-essentials": "pyside6"}
LICENSED_ELSEWHERE = {"backports.zstd": "backports.zstd", "google-re2": "google-re2", "pyside6-essentials": "PySide6"}
MIME = "application/vnd.antidiag.session+zip"


def name_of(requirement: str) -> str:
    """The name in a requirement, in small letters."""
    found = re.match(r"[\w.-]+", requirement)
    assert found
    return found[0].lower()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sdist, and of the wheel that is built from it."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
def test_sdist_and_wheel_are_as_an_index_wants_them(built: Path) -> None:
    pytest.importorskip("twine")
    pytest.importorskip("check_wheel_contents")
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    for command in (["twine", "check", "--strict", str(wheel), str(sdist)], ["check_wheel_contents", str(wheel)]):
        done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_wheel_made_from_the_sdist_has_the_engine_and_the_samples(built: Path) -> None:
    """A folder of links in build/ must not hide folders of the project from the sdist."""
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "antidiag/kernels/engine.py",
        "antidiag/resources/samples/globins.fasta",
        "antidiag/docs/methods.md",
    } <= names
    assert any(name.endswith("share/applications/antidiag.desktop") for name in names)
    assert not [name for name in names if "screenshots" in name]


def test_the_metadata_say_what_an_index_shows() -> None:
    assert PROJECT["license"] == "MIT" and PROJECT["authors"] and PROJECT["dynamic"] == ["version"]
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} == set(PROJECT["urls"])
    assert {"cuda12", "cuda13", "cluster", "peers", "graphs", "tune", "video", "docs", "dev"} == set(EXTRAS)
    known = pytest.importorskip("trove_classifiers").classifiers
    assert [one for one in PROJECT["classifiers"] if one not in known] == []
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])


def test_the_version_is_the_same_everywhere() -> None:
    citation = pytest.importorskip("yaml").safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    appstream = ElementTree.parse(PACKAGING / "linux" / "antidiag.metainfo.xml").getroot()
    newest = appstream.find("releases/release")
    assert newest is not None
    assert citation["version"] == newest.get("version") == __version__
    assert str(citation["date-released"]) == newest.get("date")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (\S+)", changes, re.MULTILINE)
    assert sections[:2] == ["Unreleased", __version__]


def test_the_address_that_is_to_be_filled_in_stands_in_one_place() -> None:
    listed = subprocess.run(
        ["git", "grep", "-l", "https://antidiag[.]example"], cwd=ROOT, capture_output=True, text=True
    )
    assert listed.stdout.split() in (["pyproject.toml"], [])  # an unpacked archive has no list of its files
    assert {one.partition("/")[0] for one in PROJECT["urls"].values()} == {"https:"}
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert r"grep -n 'antidiag\\.example' pyproject.toml" in release
    named = (PACKAGING / "README.md").read_text(encoding="utf-8").partition("**The address is to be filled in.**")[2]
    files = re.findall(r"^\| `([\w./-]+)`", named, re.MULTILINE)
    assert len(files) == 8 and all((ROOT / name).is_file() for name in files)


def test_no_file_names_the_host_of_an_index() -> None:
    host = re.compile(r"pypi\.org|pythonhosted|anaconda\.org|repo\.anaconda|index-url\s*=?\s*http")
    files = [*PACKAGING.rglob("*"), *(ROOT / ".github").rglob("*"), ROOT / "pyproject.toml", ROOT / "README.md"]
    texts = {
        file: file.read_text(encoding="utf-8")
        for file in files
        if file.suffix not in (".ico", ".icns", ".png") and file.is_file()
    }
    assert [str(file) for file, text in texts.items() if host.search(text)] == []


@pytest.mark.parametrize("requirement", [line for line in PROJECT["dependencies"] if "<" in line.partition(";")[0]])
def test_an_upper_bound_has_its_reason_in_the_line_above(requirement: str) -> None:
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    place = next(number for number, line in enumerate(lines) if requirement in line)
    assert lines[place - 1].lstrip().startswith("#") and re.search(r"\d", lines[place - 1])


def test_no_command_loads_pydantic() -> None:
    """The reason of typer's upper bound: it would, and take a quarter of a second."""
    code = (
        "import sys; from antidiag.app.cli import program; program.main(['methods', 'striped-score']);"
        "assert 'pydantic' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_without_optuna_tuning_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(AntidiagError, match=r"pip install 'antidiag\[tune\]'"):
        parameter_tuning.tune_parameters(None)  # type: ignore[arg-type]


def test_optional_libraries_are_no_dependencies() -> None:
    needed = {name_of(line) for line in PROJECT["dependencies"]}
    assert not needed & {"optuna", "networkx", "pydot", "scipy", "pandas", "matplotlib"}


def test_the_conda_recipe_has_the_requirements_and_the_version_of_the_project() -> None:
    yaml = pytest.importorskip("yaml")
    text = (PACKAGING / "conda" / "meta.yaml").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"regex_pattern='([^']+)'", text)
    found = re.search(pattern, (ROOT / "kernels" / "__init__.py").read_text(encoding="utf-8"))
    assert found and found[1] == __version__
    rendered = re.sub(r"\{%.*?%\}\n", "", text).replace("{{ version }}", __version__).replace("{{ PYTHON }}", "python")
    recipe = yaml.safe_load(rendered)
    assert recipe["package"] == {"name": "antidiag", "version": __version__}
    wanted = {}
    for line in PROJECT["dependencies"]:
        bounds = re.sub(r"^[\w.-]+", "", line.partition(";")[0]).strip()
        wanted[CONDA_NAMES.get(name_of(line), name_of(line))] = set(bounds.split(","))
    given = {line.split()[0]: set(line.split()[1].split(",")) for line in recipe["requirements"]["run"]}
    assert given.pop("python") == {PROJECT["requires-python"]}
    assert given == wanted
    scripts = {**PROJECT["scripts"], **PROJECT["gui-scripts"]}
    assert set(recipe["build"]["entry_points"]) == {f"{name} = {target}" for name, target in scripts.items()}


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_a_container_has_the_command_line_alone_and_no_root(kind: str) -> None:
    text = (PACKAGING / "docker" / f"{kind}.Dockerfile").read_text(encoding="utf-8")
    stages = text.split("\nFROM ")
    assert len(stages) == 3 and "USER 1000" in stages[2] and "--uid 1000" in stages[2]
    (command,) = re.findall(r"RUN python (packaging/docker/requirements\.py[^>]*)>", text)
    done = subprocess.run([sys.executable, *command.split()], cwd=ROOT, capture_output=True, text=True, check=True)
    names = {name_of(line) for line in done.stdout.splitlines()}
    assert not {"pyside6-essentials", "pyqtgraph"} & names and {"numba", "typer"} <= names
    assert ("cupy-cuda13x" in names) == (kind == "cuda")


def test_the_menu_entry_opens_files_of_its_type() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(PACKAGING / "linux" / "antidiag.desktop", encoding="utf-8")
    desktop = entry["Desktop Entry"]
    assert desktop["Exec"].split()[0] in PROJECT["gui-scripts"] and desktop["MimeType"] == f"{MIME};"
    kind = ElementTree.parse(PACKAGING / "linux" / "antidiag-mime.xml").getroot()[0]
    assert kind.get("type") == MIME
    assert [one.get("pattern") for one in kind if one.tag.endswith("glob")] == ["*.antidiag"]
    appstream = ElementTree.parse(PACKAGING / "linux" / "antidiag.metainfo.xml").getroot()
    assert appstream.findtext("provides/mediatype") == MIME and appstream.findtext("launchable") == "antidiag.desktop"


def test_icons_have_the_sizes_that_systems_ask_for() -> None:
    ico = (PACKAGING / "icons" / "antidiag.ico").read_bytes()
    reserved, kind, count = struct.unpack_from("<HHH", ico)
    assert (reserved, kind) == (0, 1)
    assert {ico[6 + 16 * number] or 256 for number in range(count)} >= {16, 32, 48, 256}
    icns = (PACKAGING / "icons" / "antidiag.icns").read_bytes()
    assert icns[:4] == b"icns" and struct.unpack(">I", icns[4:8]) == (len(icns),)
    assert b"ic07" in icns and b"ic10" in icns  # 128 and 1024 pixels


def test_workflows_try_all_systems_and_publish_only_tags() -> None:
    yaml = pytest.importorskip("yaml")
    flows = {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
        for path in (ROOT / ".github/workflows").glob("*.yml")
    }
    matrix = flows["test"]["jobs"]["test"]["strategy"]["matrix"]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "windows", "macos"}
    assert matrix["python"] == ["3.11", "3.12", "3.13"]
    versions = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert versions == matrix["python"]
    publish = flows["release"]["jobs"]["publish"]
    assert "refs/tags/" in publish["if"] and set(publish["needs"]) <= set(flows["release"]["jobs"])
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for name, flow in flows.items():
        steps = [step for job in flow["jobs"].values() for step in job["steps"]]
        assert all("run" in step or "uses" in step for step in steps), name
        commands = "\n".join(step.get("run", "") for step in steps)
        named = {target for line in re.findall(r"^make ([\w -]+)$", commands, re.MULTILINE) for target in line.split()}
        assert named <= targets, name
        paths = re.findall(r"(?:scripts|packaging)/[\w./-]+\.(?:py|sh|spec)", commands)
        assert all((ROOT / path).is_file() for path in paths), name


def test_the_bundle_takes_all_modules_and_no_gpu() -> None:
    text = (PACKAGING / "pyinstaller" / "antidiag.spec").read_text(encoding="utf-8")
    ast.parse(text)
    assert '"cupy"' in text and "hiddenimports=modules" in text


def test_the_about_page_has_the_licence_and_what_others_wrote(qtbot) -> None:
    from antidiag.app.dialogs import page_dialogs  # Qt may be missing where only kernels are tested

    dialog = page_dialogs.about_dialog()
    qtbot.addWidget(dialog)
    shown = dialog.page.toPlainText()
    assert __version__ in shown and "MIT licence" in shown and "LGPL-3.0" in shown
    for line in PROJECT["dependencies"]:
        name = LICENSED_ELSEWHERE.get(name_of(line), name_of(line))
        assert name.lower() in shown.lower(), name
