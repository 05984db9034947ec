"""Settings of all tests: nothing of the user's is read or written, and no screen is needed."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import importlib.util
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from antidiag.kernels.cuda import devices
from tests.emulator.emulated import emulated
from tests.failures import Failures
from tests.untested import Untested, leave_out

__all__ = ["emulated", "leave_out"]

SELDOM = 20_000
"""Objects that are made between two looks for garbage; Python has some hundreds. To collect the tests makes millions
that stay, and what a test makes goes by itself."""
gc.set_threshold(SELDOM, *gc.get_threshold()[1:])

ROOT = Path(__file__).resolve().parents[1]
APP = ROOT / "tests" / "app"

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Folders of tests stay for a look at what failed, as pytest has it. All else goes at the end, with what killed programs
# left: it lies in one folder, which holds those of the processes that this one starts.
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
OWN = tempfile.mkdtemp(prefix="antidiag-")
atexit.register(shutil.rmtree, OWN, ignore_errors=True)
os.environ["TMPDIR"] = tempfile.tempdir = OWN
os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_STATE_HOME"] = os.environ["XDG_DATA_HOME"] = OWN

if importlib.util.find_spec("hypothesis"):
    from hypothesis import HealthCheck, settings

    settings.register_profile(
        "antidiag", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("antidiag")


UNTESTED = pytest.StashKey[Untested]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[UNTESTED] = Untested(config)
    config.pluginmanager.register(config.stash[UNTESTED], "untested")
    if not hasattr(config, "workerinput"):  # the process that hears of all tests
        config.pluginmanager.register(Failures(config), "failures")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: a fifth of the time tests wait, for programs, timers and threads."""
    return 1 + (os.cpu_count() or 1)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Without Qt, leave out the tests of the window; those of the command line need none."""
    inside = APP in collection_path.parents
    if inside and not collection_path.name.startswith("test_cli") and not importlib.util.find_spec("PySide6"):
        config.stash[UNTESTED].leave_out("tests/app but the command line", "PySide6 is not installed")
        return True
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Of several processes that collect all tests, each begins with the files of its own part, so that what nobody has
    compiled yet is compiled once, and not by all of them at the same time."""
    config = session.config
    own = getattr(config, "workerinput", None)
    if own is None or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    number, count = int(own["workerid"].removeprefix("gw")), own["workercount"]
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    for path in files[number * len(files) // count : (number + 1) * len(files) // count]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # told where it is collected
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files in the order in which processes take them: one of every family in turn, so that two seldom compile
    the same; then the window, whose files are short, so that no process has a long one left at the end."""
    ranks: dict[Path, tuple[bool, int, str]] = {}
    seen: Counter[Path] = Counter()
    for item in items:
        if item.path not in ranks:
            folder = item.path.parent
            ranks[item.path] = APP in item.path.parents, seen[folder], str(item.path.relative_to(ROOT))
            seen[folder] += 1
        item.add_marker(pytest.mark.xdist_group(_group(item, ranks[item.path][-1])))
    items.sort(key=lambda item: ranks[item.path])


def pytest_collection_finish(session: pytest.Session) -> None:
    """What all tests consist of stays until the end: it is not looked through with the garbage of each."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """What is left at the end goes with the process: pytest would look through all of it, which takes seconds."""
    gc.freeze()


def _group(item: pytest.Item, file: str) -> str:
    """What one process takes: a file; of the suite of all methods those of one family, which compile the same, but all
    that are measured in processes of their own, for which one process imports what they need. A GPU takes longer for
    these than to import."""
    if item.path.name != "test_conformance.py" or not hasattr(item, "callspec"):
        return file
    method, backend = (item.callspec.params[name] for name in ("method", "backend"))
    measured = backend == "cpu" and "estimate" in item.function.__name__  # type: ignore[attr-defined]
    return f"{file} estimates" if measured else f"{file} {method.problem.id}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that needs a GPU says why it has none, instead of failing deep inside."""
    if item.get_closest_marker("gpu"):
        found, reason = devices.discover()
        if not found:
            pytest.fail(f"this test needs a GPU: {reason}", pytrace=False)


@pytest.fixture(scope="session")
def _new_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes empty folders. Those that pytest numbers take longer the more of them there are."""
    own, numbers = tmp_path_factory.mktemp("own"), count()

    def make() -> Path:
        folder = own / str(next(numbers))
        folder.mkdir()
        return folder

    return make


@pytest.fixture(autouse=True)
def runs_folder(_new_folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a test keeps interrupted runs. Nothing of the user's or of another test is seen, changed or removed: runs,
    the limit of the disk, tuned values, rooflines and experiments; rates are those of all tests of this process.

    One fixture for all, as every test pays for each.
    """
    folder = _new_folder()
    runs, rates = folder / "runs", folder.parent / "rates.json"
    for name, made in (
        ("antidiag.kernels.recovery.resuming.folder", runs),
        ("antidiag.kernels.memory._limit_path", folder / "disk.json"),
        ("antidiag.kernels.machine.rates._path", rates),
        ("antidiag.kernels.machine.tuned._path", folder / "tuned.json"),
        ("antidiag.kernels.experiments.rooflines.roofline._path", folder / "rooflines.json"),
        ("antidiag.kernels.experiments.results.folder", folder / "experiments"),
    ):
        monkeypatch.setattr(name, lambda made=made: made)
    return runs


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data for tests; its README says where they come from."""
    return ROOT / "tests" / "data"


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the bundled sequences."""
    return ROOT / "resources" / "samples"
