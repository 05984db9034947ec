"""Setting up: what is installed for whom, and that a second run does nothing."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from scripts import environment_setup as setup

LDD = """\
Qt/plugins/platforms/libqxcb.so:
\tlibGL.so.1 => /lib/x86_64-linux-gnu/libGL.so.1 (0x00007f)
\tlibxcb-icccm.so.4 => not found
\tlibxcb-cursor.so.0 => not found
Qt/plugins/platforms/libqoffscreen.so:
\tlibxcb-cursor.so.0 => not found
"""


@pytest.fixture
def place(monkeypatch, tmp_path):
    """A set-up that installs nothing: what it would have run, in order."""
    done: list[str] = []
    python = tmp_path / ".venv" / "bin" / "python"

    def make(*_):
        done.append("environment")
        python.parent.mkdir(parents=True, exist_ok=True)
        python.touch()

    monkeypatch.setattr(setup, "ENVIRONMENT", tmp_path / ".venv")
    monkeypatch.setattr(setup, "STAMP", tmp_path / ".venv" / "stamp.json")
    monkeypatch.setattr(setup, "environment_python", lambda: python)
    monkeypatch.setattr(setup, "_make_environment", make)
    monkeypatch.setattr(setup, "_install", lambda _, lines: done.append(" ".join(lines)))
    monkeypatch.setattr(setup, "_try_out", lambda _: None)
    monkeypatch.setattr(setup, "_missing_of_qt", lambda _: [])
    monkeypatch.setattr(setup, "driver_version", lambda: None)
    monkeypatch.setattr(setup.subprocess, "run", lambda command, **_: done.append(" ".join(command)))
    monkeypatch.setattr(setup.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(setup, "LOCKS", ())
    return SimpleNamespace(done=done, monkeypatch=monkeypatch)


def test_a_second_run_installs_nothing(place):
    setup.set_up(dev=False)
    assert place.done[0] == "environment"
    assert "PySide6-Essentials" in place.done[1]
    assert "pytest" not in place.done[1]
    place.done.clear()
    setup.set_up(dev=False)
    assert place.done == []


def test_dependencies_are_compiled_when_they_are_imported(monkeypatch):
    commands = []
    monkeypatch.setattr(setup.subprocess, "run", lambda command, **_: commands.append(command))
    setup._install(Path("python"), ["numpy>=1.26", "numba"])
    (command,) = commands
    assert command[:4] == ["python", "-m", "pip", "install"]
    assert "--no-compile" in command
    assert command[-2:] == ["numpy>=1.26", "numba"]


@pytest.fixture
def empty(monkeypatch, tmp_path):
    """No environment, and a Python that comes with a pip of some age: what is run to make one, with its PYTHONPATH."""
    made = SimpleNamespace(
        commands=[], paths=[], fails=lambda command: False, wheel=tmp_path / "pip-23.0-py3-none-any.whl"
    )
    made.wheel.touch()

    def run(command, env=None, **_):
        made.commands.append(" ".join(command))
        made.paths.append((env or {}).get("PYTHONPATH"))
        return SimpleNamespace(returncode=int(made.fails(command)))

    monkeypatch.setattr(setup.subprocess, "run", run)
    monkeypatch.setattr(setup.sysconfig, "get_config_var", lambda name: str(tmp_path))
    monkeypatch.setattr(setup, "ENVIRONMENT", tmp_path / ".venv")
    made.python = tmp_path / ".venv" / "bin" / "python"
    return made


def test_the_pip_of_an_environment_is_the_newest(empty):
    setup._make_environment(empty.python, dev=True)
    make, install, look = empty.commands
    assert "-m venv" in make and "--without-pip" in make
    assert "pip install" in install and install.endswith("--upgrade pip")
    assert empty.paths[1] == str(empty.wheel)
    assert look == f"{empty.python} -m pip --version"


@pytest.mark.parametrize("failing", ["install", "--version"])
def test_an_environment_without_the_newest_pip_has_that_of_python(empty, failing):
    empty.fails = lambda command: failing in command
    setup._make_environment(empty.python, dev=True)
    assert empty.commands[-1] == f"{empty.python} -m ensurepip --default-pip"


def test_an_environment_has_pip_where_its_wheel_lies_elsewhere(empty, monkeypatch):
    pytest.importorskip("ensurepip")
    empty.wheel.unlink()
    monkeypatch.setattr("ensurepip.__file__", str(empty.wheel))
    setup._make_environment(empty.python, dev=True)
    assert empty.commands[1:] == [f"{empty.python} -m ensurepip --default-pip"]


def test_the_wheel_of_this_pythons_pip_is_found(monkeypatch):
    ensurepip = pytest.importorskip("ensurepip")
    assert zipfile.is_zipfile(setup._wheel_of_pip())
    monkeypatch.setattr(setup.sysconfig, "get_config_var", lambda name: None)  # as where it is not set
    if Path(ensurepip.__file__).with_name("_bundled").is_dir():
        assert zipfile.is_zipfile(setup._wheel_of_pip())


def test_what_the_tests_need_is_added_and_kept(place):
    setup.set_up(dev=False)
    place.done.clear()
    setup.set_up(dev=True)
    assert "pytest" in place.done[1]
    assert "parasail" in place.done[1]
    assert "cupy-cuda13x" in place.done[1]  # one pip finds out what fits together, and starts once
    place.done.clear()
    setup.set_up(dev=False)
    setup.set_up(dev=True)
    assert place.done == []


def test_packages_that_do_not_work_together_are_told_before_the_stamp(monkeypatch):
    python = Path(sys.executable)
    setup._try_out(python)  # these do
    monkeypatch.setattr(setup, "ROOT", Path(__file__).parent)  # without a main.py
    with pytest.raises(setup.SetupError, match="does not work together(.|\n)*main.py(.|\n)*Remove"):
        setup._try_out(python)


def test_what_does_not_work_has_no_stamp(place):
    def broken(_):
        raise setup.SetupError("broken")

    place.monkeypatch.setattr(setup, "_try_out", broken)
    assert setup.main([]) == 1
    assert not setup.STAMP.exists()


@pytest.fixture
def bare(place):
    """The same on a system with apt-get, of which the tests may take away what else there is."""
    place.here = {"apt-get"}
    place.monkeypatch.setattr(setup.shutil, "which", lambda name: name if name in place.here else None)
    place.monkeypatch.setattr(setup.sys, "platform", "linux")
    place.monkeypatch.setattr(setup.os, "geteuid", lambda: 0, raising=False)
    return place


def installed(place):
    return [command.split()[7:] for command in place.done if command.startswith("apt-get install")]


def test_programs_of_the_tests_are_installed_once(bare, capsys):
    setup.set_up(dev=False)
    assert installed(bare) == []
    setup.set_up(dev=True)
    assert installed(bare) == [["g++", "mafft", "clustalw", "quicktree"]]
    assert "CUDA code on the CPU by g++" in capsys.readouterr().out
    bare.done.clear()
    bare.here |= {"g++", "mafft"}
    setup.set_up(dev=True)
    assert bare.done == []


def test_a_missing_compiler_is_told_every_time_and_stops_nothing(bare, capsys):
    bare.monkeypatch.setattr(setup.os, "geteuid", lambda: 1000, raising=False)
    for _ in range(2):
        assert setup.main(["--dev"]) == 0
        told = capsys.readouterr().err
        assert "sudo apt-get install --no-install-recommends g++ mafft clustalw quicktree" in told
        assert "the last line of the tests says which" in told
    bare.here |= {"g++"}
    assert setup.main(["--dev"]) == 0
    assert capsys.readouterr().err == ""


def test_packages_are_installed_without_a_question(monkeypatch):
    asked = []
    monkeypatch.setattr(setup, "LOCKS", ())
    monkeypatch.setattr(setup.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(setup.subprocess, "run", lambda command, **how: asked.append((command, how)))
    setup._apt_install(["g++"], "because")
    assert [command[1] for command, _ in asked] == ["update", "install"]
    for _, how in asked:
        assert how["stdin"] is subprocess.DEVNULL and how["env"]["DEBIAN_FRONTEND"] == "noninteractive"
    assert "-y" in asked[1][0]


HOLDING = """
import fcntl, sys
with open(sys.argv[1], "wb") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()
"""
"""Holds a lock, as a program that installs packages does, until its standard input ends."""


@pytest.fixture
def locked(monkeypatch, tmp_path):
    """A lock that another process holds."""
    pytest.importorskip("fcntl")
    lock = tmp_path / "lock"
    command = [sys.executable, "-c", HOLDING, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        monkeypatch.setattr(setup, "LOCKS", (tmp_path / "missing", lock))
        yield holder


def test_the_lock_of_another_program_is_waited_for(locked, monkeypatch, capsys):
    monkeypatch.setattr(setup.time, "sleep", lambda _: locked.communicate())
    setup._wait_for_locks()
    assert locked.returncode == 0
    assert capsys.readouterr().out == "Another program is installing packages; waiting for it to end\n"


def test_a_lock_that_is_never_let_go_is_told(locked, monkeypatch):
    monkeypatch.setattr(setup, "LOCKED_S", -1)
    with pytest.raises(setup.SetupError, match="another program holds .*lock .* let it end"):
        setup._wait_for_locks()


def test_a_changed_dependency_installs_again(place):
    setup.set_up(dev=False)
    place.done.clear()
    project = setup.read_project()
    place.monkeypatch.setattr(
        setup, "read_project", lambda: {**project, "dependencies": [*project["dependencies"], "newcomer>=1"]}
    )
    setup.set_up(dev=False)
    assert "newcomer>=1" in place.done[1]


def test_an_older_driver_takes_the_place_of_cuda_13(place):
    setup.set_up(dev=True)
    place.done.clear()
    place.monkeypatch.setattr(setup, "driver_version", lambda: 550)
    setup.set_up(dev=False)
    assert any("uninstall -y cupy-cuda13x" in command for command in place.done)
    assert any("cupy-cuda12x" in command for command in place.done)
    assert setup.read_stamp()["extras"] == ["cuda12", "dev", "docs", "peers", "tune"]


def test_cupy_that_cannot_be_installed_leaves_the_cpu(place, capsys):
    def install(_, lines):
        if any("cupy" in line for line in lines):
            raise subprocess.CalledProcessError(1, "pip")

    place.monkeypatch.setattr(setup, "_install", install)
    place.monkeypatch.setattr(setup, "driver_version", lambda: 580)
    setup.set_up(dev=False)
    assert "Antidiag will use the CPU" in capsys.readouterr().err
    assert setup.read_stamp()["extras"] == ["tune"]


@pytest.mark.parametrize(
    ("driver", "extra"), [(None, None), (470, None), (525, "cuda12"), (579, "cuda12"), (580, "cuda13"), (600, "cuda13")]
)
def test_the_driver_decides_on_cupy(driver, extra):
    assert setup.cuda_extra(driver) == extra


def test_missing_libraries_and_their_packages():
    missing = setup.missing_libraries(LDD)
    assert missing == ["libxcb-cursor.so.0", "libxcb-icccm.so.4"]
    assert setup.packages_of([*missing, "libstrange.so.1"]) == (
        ["libxcb-cursor0", "libxcb-icccm4"],
        ["libstrange.so.1"],
    )


def test_without_root_the_exact_command_is_the_message(monkeypatch):
    monkeypatch.setattr(setup, "_missing_of_qt", lambda _: ["libxcb-cursor.so.0", "libEGL.so.1"])
    monkeypatch.setattr(setup.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    with pytest.raises(setup.SetupError, match="sudo apt-get install --no-install-recommends libegl1 libxcb-cursor0"):
        setup.provide_libraries(Path("python"))


def test_without_venv_the_command_names_it_and_what_comes_next(monkeypatch):
    monkeypatch.setattr(setup.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(setup.sys, "executable", "/usr/bin/python3")
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    with pytest.raises(setup.SetupError, match=rf"{version} .*libxcb-cursor0 .*g\+\+ .*quicktree"):
        setup._provide_venv(dev=True)


@pytest.mark.parametrize("script", ["main.py", "scripts/setup.py"])
@pytest.mark.parametrize("version", [(3, 6, 15), (3, 7, 17), (3, 8, 20), (3, 9, 2), (3, 10, 14)])
def test_an_old_python_gets_a_sentence(script, version):
    """The file is one that Python 3.6 reads, and it says what to do before it imports anything that is not."""
    source = (setup.ROOT / script).read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 6))
    assert "__future__" not in source and ":=" not in source and not re.search(r"\bf[\"']", source)
    pretend = f"import runpy, sys; sys.version_info = {version}; runpy.run_path({script!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", pretend], cwd=setup.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2) and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "3.11 or newer" in line and f"{version[0]}.{version[1]}" in line


def test_without_a_network_the_index_is_named(tmp_path, monkeypatch, capsys):
    """The real pip, which finds no index: its address is one where nothing listens."""
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(setup.SetupError, match="the package index cannot be reached.*PIP_FIND_LINKS"):
        setup._install(Path(sys.executable), ["a-package-that-is-not-there"])


def test_a_package_that_does_not_exist_is_not_taken_for_a_missing_network(monkeypatch):
    def run(command, **_):
        if "download" in command:
            return SimpleNamespace(returncode=0)
        raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(setup.subprocess, "run", run)
    with pytest.raises(subprocess.CalledProcessError):
        setup._install(Path("python"), ["a-package-that-is-not-there"])
