"""Make the environment of a checkout: the work of scripts/setup.py, in the standard library alone.

Makes .venv, installs the dependencies that pyproject.toml names, CuPy where there is an NVIDIA
driver, and on Debian and Ubuntu the system libraries of Qt; for the tests also a C++ compiler and the
programs that results are compared with. A stamp in .venv remembers what was installed, so that the next
run has nothing to do.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = ROOT / ".venv"
STAMP = ENVIRONMENT / "antidiag-setup.json"
CUDA_DRIVERS = {"cuda13": 580, "cuda12": 525}
"""The oldest major version of the NVIDIA driver for each extra, newest first."""

PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libdrm.so.2": "libdrm2",
    "libzstd.so.1": "libzstd1",
    "libz.so.1": "zlib1g",
    "libgcc_s.so.1": "libgcc-s1",
    "libstdc++.so.6": "libstdc++6",
}
"""Libraries that the PySide6 wheels leave to the system, and their Debian packages."""

COMPILER = "g++"
"""The program, and the Debian package, that the tests run CUDA code with where there is no GPU."""

PEERS = {"mafft": "mafft", "clustalw": "clustalw", "quicktree": "quicktree"}
"""Programs that some tests compare with, and their Debian packages."""

PIP_INSTALL = ("-m", "pip", "install", "--disable-pip-version-check", "--no-warn-script-location", "--no-compile")

LOCKS = (
    Path("/var/lib/dpkg/lock-frontend"),
    Path("/var/lib/dpkg/lock"),
    Path("/var/lib/apt/lists/lock"),
    Path("/var/cache/apt/archives/lock"),
)
"""Files that apt-get and others lock while they work."""
LOCKED_S, POLL_S = 600, 0.5
"""Seconds to wait for another program that installs packages, and between two looks."""

NO_INDEX = (
    "the package index cannot be reached. Connect this machine to the network, or name a proxy in HTTPS_PROXY or a "
    "mirror in PIP_INDEX_URL. Without a network, copy a folder of wheels here and set PIP_NO_INDEX=1 and "
    "PIP_FIND_LINKS=FOLDER"
)

QT_FILES = (
    "QtWidgets.abi3.so",
    "QtSvg.abi3.so",
    "Qt/plugins/platforms/libqoffscreen.so",
    "Qt/plugins/platforms/libqxcb.so",
    "Qt/plugins/xcbglintegrations/libqxcb-glx-integration.so",
)
WAYLAND_FILE = "Qt/plugins/platforms/libqwayland.so"


class SetupError(Exception):
    """What is missing, and the command that provides it."""


def main(arguments: list[str] | None = None) -> int:
    """Set up; 0 when all is there, 1 when the user must act."""
    parser = argparse.ArgumentParser(description="Set up what Antidiag needs to run from this checkout.")
    parser.add_argument("--dev", action="store_true", help="also what the tests, checks and benchmarks need")
    options = parser.parse_args(arguments)
    try:
        set_up(options.dev)
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd))[:200]
        print(f"setup: this command failed, see its output above: {command}", file=sys.stderr)
        return 1
    return 0


def set_up(dev: bool) -> None:
    """Make the environment hold what is wanted; nothing where the stamp says that it does."""
    python = environment_python()
    stamp = read_stamp() if python.exists() else {}
    needed, optional = wanted_extras(dev, driver_version())
    project = read_project()
    hashed = fingerprint(project)
    current = set(stamp.get("extras", ())) if stamp.get("project") == hashed else set()
    complete = stamp.get("project") == hashed and needed | optional <= current
    if not complete:
        _make_environment(python, dev)
        extras = _install_all(python, project, needed, optional, set(stamp.get("extras", ())))
        _try_out(python)
        stamp = {"project": hashed, "extras": sorted(extras)}
        write_stamp(stamp)
    if not stamp.get("libraries"):
        provide_libraries(python)
        stamp = {**stamp, "libraries": True}
        write_stamp(stamp)
    if dev and not (stamp.get("programs") and shutil.which(COMPILER)):
        provide_programs()
        write_stamp({**stamp, "programs": True})


def _try_out(python: Path) -> None:
    """Start the program once: packages that came out in between may not fit each other, whatever they say."""
    done = subprocess.run([str(python), "main.py", "methods"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SetupError(
            f"what was installed does not work together: main.py methods says\n{done.stderr.strip()}\n"
            f"Remove {ENVIRONMENT} and set up again; where that does not help, install older packages into it with "
            f"{python} -m pip"
        )


def environment_python() -> Path:
    """The interpreter of the environment."""
    return ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def read_project() -> dict[str, Any]:
    """The [project] table of pyproject.toml."""
    import tomllib  # an old Python, which does not have it, was refused before

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def requirements(project: dict[str, Any], extras: set[str]) -> list[str]:
    """Requirements of the project and of these extras, in a fixed order."""
    optional = project["optional-dependencies"]
    return [*project["dependencies"], *(line for extra in sorted(extras) for line in optional[extra])]


def fingerprint(project: dict[str, Any]) -> str:
    """A hash that changes when the dependencies, the Python or the place of the environment change."""
    parts = [project["dependencies"], project["optional-dependencies"], sys.version_info[:2], str(ENVIRONMENT)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def read_stamp() -> dict[str, Any]:
    """What earlier runs installed; empty where none finished."""
    try:
        return json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def write_stamp(stamp: dict[str, Any]) -> None:
    """Remember what is installed."""
    STAMP.write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")


def wanted_extras(dev: bool, driver: int | None) -> tuple[set[str], set[str]]:
    """The extras that must be there, and those without which the CPU still works.

    A checkout can tune from the start. Tests take CuPy without a driver too: with it NVRTC compiles the kernels.
    """
    cuda = cuda_extra(driver) or ("cuda13" if dev and not driver else None)
    return {"tune"} | ({"dev", "docs", "peers"} if dev else set()), ({cuda} if cuda else set())


def cuda_extra(driver: int | None) -> str | None:
    """The extra that fits the major version of the driver; None without one, or with one too old."""
    if driver is None:
        return None
    return next((extra for extra, oldest in CUDA_DRIVERS.items() if driver >= oldest), None)


def driver_version() -> int | None:
    """Major version of the NVIDIA driver, or None where there is none."""
    if sys.platform == "darwin":
        return None
    try:
        text = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8")
        found = re.search(r"Kernel Module.*?\s(\d+)\.\d+", text)
        if found:
            return int(found.group(1))
    except OSError:
        pass
    return _driver_from_smi()


def _driver_from_smi() -> int | None:
    program = shutil.which("nvidia-smi")
    if not program:
        return None
    query = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        found = subprocess.run(query, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    number = re.match(r"\s*(\d+)", found.stdout)
    return int(number.group(1)) if found.returncode == 0 and number else None


def missing_libraries(ldd_output: str) -> list[str]:
    """Names of the libraries that ldd did not find, sorted."""
    return sorted(set(re.findall(r"^\s*(\S+) => not found", ldd_output, re.MULTILINE)))


def packages_of(libraries: list[str]) -> tuple[list[str], list[str]]:
    """Debian packages of these libraries, and the libraries whose package is not known."""
    known = sorted({PACKAGES[name] for name in libraries if name in PACKAGES})
    return known, [name for name in libraries if name not in PACKAGES and not name.startswith("libQt6")]


def provide_libraries(python: Path) -> None:
    """Install the system libraries of Qt that are missing, or say how."""
    missing = _missing_of_qt(python)
    if not missing:
        return
    packages, unknown = packages_of(missing)
    if unknown or not shutil.which("apt-get"):
        raise SetupError(f"Qt needs these system libraries: {', '.join(missing)}; install them and run this again")
    _apt_install(packages, "Qt needs system libraries that are missing")
    still = _missing_of_qt(python)
    if still:
        raise SetupError(f"Qt still misses these system libraries: {', '.join(still)}; install them and run this again")


def provide_programs() -> None:
    """Install the compiler and the other programs of the tests that are missing, or say how; the tests run without."""
    programs = {COMPILER: COMPILER, **PEERS}
    missing = [package for program, package in programs.items() if not shutil.which(program)]
    if not missing or not sys.platform.startswith("linux"):
        return
    reason = f"The tests run CUDA code on the CPU by {COMPILER}, and compare results with those of other programs"
    try:
        if not shutil.which("apt-get"):
            raise SetupError(f"{reason}. These are missing, and only apt-get is known here: {', '.join(missing)}")
        _apt_install(missing, reason)
    except (SetupError, subprocess.CalledProcessError) as error:
        later = "Until then tests are left out, and the last line of the tests says which."
        print(f"setup: {error}\n{later}", file=sys.stderr)


def _missing_of_qt(python: Path) -> list[str]:
    """System libraries that Qt would not find; none where that cannot be known."""
    if not sys.platform.startswith("linux") or not shutil.which("ldd"):
        return []
    locate = "import importlib.util as u; print(u.find_spec('PySide6').submodule_search_locations[0])"
    folder = Path(_output([python, "-c", locate]).strip())
    names = QT_FILES + ((WAYLAND_FILE,) if os.environ.get("WAYLAND_DISPLAY") else ())
    files = [folder / name for name in names if (folder / name).exists()]
    found = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True, check=False)
    return missing_libraries(found.stdout)


def _make_environment(python: Path, dev: bool) -> None:
    """A virtual environment with pip, made anew where the one that is there does not work."""
    if python.exists() and _works([python, "-m", "pip", "--version"]) and _same_python(python):
        return
    if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        _provide_venv(dev)
    print(f"Making the virtual environment {ENVIRONMENT}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(ENVIRONMENT)], check=True)
    if not _has_newest_pip(python):
        subprocess.run([str(python), "-m", "ensurepip", "--default-pip"], check=True)


def _has_newest_pip(python: Path) -> bool:
    """Install the newest pip by the one that comes with Python, run from its wheel. It finds out what to install in a
    third of the time of one of 2023, and to install that one first takes longer than all of this."""
    wheel = _wheel_of_pip()
    command = [python, *PIP_INSTALL, "--retries", "1", "--upgrade", "pip"]
    return wheel is not None and _works(command, PYTHONPATH=str(wheel)) and _works([python, "-m", "pip", "--version"])


def _wheel_of_pip() -> Path | None:
    """The wheel that ensurepip installs from; distributions of Linux keep it in a place of their own."""
    import ensurepip  # it may have been installed just now

    folders = (sysconfig.get_config_var("WHEEL_PKG_DIR"), Path(ensurepip.__file__).with_name("_bundled"))
    return next((wheel for folder in folders if folder for wheel in sorted(Path(folder).glob("pip-*.whl"))), None)


def _same_python(python: Path) -> bool:
    version = "import sys; print(*sys.version_info[:2])"
    return _output([python, "-c", version]).split() == [str(part) for part in sys.version_info[:2]]


def _provide_venv(dev: bool) -> None:
    """Debian keeps venv and pip out of its python3 package."""
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    reason = "this Python cannot make virtual environments"
    if not shutil.which("apt-get") or not sys.executable.startswith("/usr/bin/"):
        raise SetupError(f"{reason}; install its modules venv and ensurepip, or use another Python 3.11 or newer")
    programs = [COMPILER, *PEERS.values()] if dev else []
    _apt_install([package], reason, also=[*sorted(set(PACKAGES.values())), *programs])


def _apt_install(packages: list[str], reason: str, also: Iterable[str] = ()) -> None:
    """Install Debian packages as root; otherwise the error is the command, ``also`` what would be asked for next."""
    if os.geteuid() != 0:
        command = " ".join(["sudo apt-get install --no-install-recommends", *packages, *also])
        raise SetupError(f"{reason}. Run this, then start again:\n\n    {command}\n")
    print(f"{reason}. Installing with apt-get: {' '.join(packages)}", flush=True)
    quiet: dict[str, Any] = {"env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, "stdin": subprocess.DEVNULL}
    patient = ["-o", f"DPkg::Lock::Timeout={LOCKED_S}"]  # one may begin between our look and that of apt-get
    _wait_for_locks()
    subprocess.run(["apt-get", "update", "-q"], check=False, **quiet)
    _wait_for_locks()
    install = ["apt-get", "install", "-q", "-y", "--no-install-recommends", *patient, *packages]
    subprocess.run(install, check=True, **quiet)


def _wait_for_locks() -> None:
    """Wait until no other program installs packages; SetupError where one does not end."""
    is_announced, end = False, time.monotonic() + LOCKED_S
    while held := next(filter(_is_held, LOCKS), None):
        if time.monotonic() > end:
            raise SetupError(f"another program holds {held} for {LOCKED_S} s now; let it end, and start this again")
        if not is_announced:
            print("Another program is installing packages; waiting for it to end", flush=True)
            is_announced = True
        time.sleep(POLL_S)


def _is_held(lock: Path) -> bool:
    """Whether another process holds this lock, as apt-get takes it; a file that is not there is not held."""
    import fcntl  # there are no such locks on Windows

    try:
        with open(lock, "r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _install_all(
    python: Path, project: dict[str, Any], needed: set[str], optional: set[str], before: set[str]
) -> set[str]:
    """Install what is wanted, all at once, which takes less time than one after another; the extras that are there
    then. The CPU stands in for CuPy where it cannot be installed."""
    needed = needed | before - set(CUDA_DRIVERS)
    cuda = optional or before & set(CUDA_DRIVERS)
    _uninstall(python, project, before & set(CUDA_DRIVERS) - cuda)
    try:
        _install(python, requirements(project, needed | cuda))
    except subprocess.CalledProcessError:
        if not cuda:
            raise
        print(f"setup: trying again without {', '.join(cuda)}; Antidiag will use the CPU", file=sys.stderr)
        _install(python, requirements(project, needed))
        return needed
    return needed | cuda


def _install(python: Path, lines: list[str]) -> None:
    """By pip, which leaves it to Python to compile what is imported: most of ten thousand modules never are."""
    print(f"Installing {len(lines)} dependencies; the first time takes a few minutes", flush=True)
    try:
        subprocess.run([str(python), *PIP_INSTALL, *lines], check=True)
    except subprocess.CalledProcessError as error:
        if not _reaches_index(python):
            raise SetupError(NO_INDEX) from error
        raise


def _reaches_index(python: Path) -> bool:
    """Return whether pip can fetch the smallest thing that there always is: itself."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--retries", "0", "--timeout", "10"]
        return _works([*command, "--dest", folder, "pip"])


def _uninstall(python: Path, project: dict[str, Any], extras: set[str]) -> None:
    for extra in extras:
        names = [re.split(r"[^\w.-]", line)[0] for line in project["optional-dependencies"][extra]]
        subprocess.run([str(python), "-m", "pip", "uninstall", "-y", *names], check=False)


def _works(command: list[Any], **environment: str) -> bool:
    command, environment = list(map(str, command)), {**os.environ, **environment}
    return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0


def _output(command: list[Any]) -> str:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())
