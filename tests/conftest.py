"""Settings of all tests: no file of the user is read or written, and no screen is needed."""

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

GC_THRESHOLD = 20_000
"""Allocations between two garbage collections, instead of Python's 700: pytest makes millions of objects that stay."""
gc.set_threshold(GC_THRESHOLD, *gc.get_threshold()[1:])

QUICK_COMPILATION = "1"
"""Numba's level of optimisation where slow tests are left out: a quarter less time than 3, the level of users, at which
all tests run where slow ones do. At level 0 code takes more memory than runs promise, and tests run longer."""

ROOT = Path(__file__).resolve().parents[1]
APP = ROOT / "tests" / "app"

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# pytest keeps the folders of tests, so that one can look at what failed. All other temporary files, also those of
# killed programs, lie in one folder that is removed at the end.
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
OWN = tempfile.mkdtemp(prefix="antidiag-")
atexit.register(shutil.rmtree, OWN, ignore_errors=True)
os.environ["TMPDIR"] = tempfile.tempdir = OWN
os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_STATE_HOME"] = os.environ["XDG_DATA_HOME"] = OWN


UNTESTED = pytest.StashKey[Untested]()


def pytest_configure(config: pytest.Config) -> None:
    runs_slow_tests = "not slow" not in config.option.markexpr
    if not runs_slow_tests:  # before anything imports Numba, also in programs that tests start
        os.environ.setdefault("NUMBA_OPT", QUICK_COMPILATION)
    if importlib.util.find_spec("hypothesis"):
        from tests import example_counts

        example_counts.set_share(runs_slow_tests)
    config.stash[UNTESTED] = Untested(config)
    config.pluginmanager.register(config.stash[UNTESTED], "untested")
    if not hasattr(config, "workerinput"):  # the process that collects all results
        config.pluginmanager.register(Failures(config), "failures")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Use one process more than processors: tests wait for a fifth of the time."""
    return 1 + (os.cpu_count() or 1)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip the tests of the window where Qt is not installed; those of the command line need none."""
    inside = APP in collection_path.parents
    if inside and not collection_path.name.startswith("test_cli") and not importlib.util.find_spec("PySide6"):
        config.stash[UNTESTED].leave_out("tests/app but the command line", "PySide6 is not installed")
        return True
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import the test files of this process's share first, so that processes rarely compile the same bytecode."""
    config = session.config
    own = getattr(config, "workerinput", None)
    if own is None or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    number, count = int(own["workerid"].removeprefix("gw")), own["workercount"]
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    for path in files[number * len(files) // count : (number + 1) * len(files) // count]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # reported when it is collected
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the test files: one of every family in turn, so that two processes rarely compile the same functions.

    The tests of the window come last: they are short, so that no process has a long file left at the end.
    """
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
    """Exclude the objects of the collected tests, which stay until the end, from garbage collection."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """Exclude all that is left from garbage collection, which takes seconds at the end."""
    gc.freeze()


def _group(item: pytest.Item, file: str) -> str:
    """Return the group of tests that one process runs.

    It is a file, or those tests of the conformance suite that are of one problem type and compile the same functions;
    on a GPU, whose kernels compile quickly, those of one method. All estimates on the CPU are one group, because they
    start processes from one server that has imported everything.
    """
    if item.path.name != "test_conformance.py" or not hasattr(item, "callspec"):
        return file
    method, backend = (item.callspec.params[name] for name in ("method", "backend"))
    measured = backend == "cpu" and "estimate" in item.function.__name__  # type: ignore[attr-defined]
    if measured:
        return f"{file} estimates"
    return f"{file} {method.problem_type.id if backend == 'cpu' else method.id}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test that needs a GPU with the reason why there is none."""
    if item.get_closest_marker("gpu"):
        found, reason = devices.discover_devices()
        if not found:
            pytest.fail(f"this test needs a GPU: {reason}", pytrace=False)


@pytest.fixture(scope="session")
def _new_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Return a function that makes empty folders, faster than pytest's numbered ones."""
    own, numbers = tmp_path_factory.mktemp("own"), count()

    def make() -> Path:
        folder = own / str(next(numbers))
        folder.mkdir()
        return folder

    return make


@pytest.fixture(autouse=True)
def runs_folder(_new_folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Redirect all files of the user to a new folder; return the folder of interrupted runs.

    Rates are shared by all tests of a process. This is one fixture because every test pays for each fixture.
    """
    folder = _new_folder()
    runs, rates = folder / "runs", folder.parent / "rates.json"
    for name, made in (
        ("antidiag.kernels.recovery.interrupted_runs.runs_folder", runs),
        ("antidiag.kernels.user_limits._limit_path", folder / "disk.json"),
        ("antidiag.kernels.machine.measured_rates._rates_path", rates),
        ("antidiag.kernels.machine.tuned_values._tuned_path", folder / "tuned.json"),
        ("antidiag.kernels.experiments.rooflines.roofline._store_path", folder / "rooflines.json"),
        ("antidiag.kernels.experiments.point_data.point_store.experiments_folder", folder / "experiments"),
    ):
        monkeypatch.setattr(name, lambda made=made: made)
    return runs


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder of real data for tests; its README names their sources."""
    return ROOT / "tests" / "data"


@pytest.fixture(scope="session")
def samples() -> Path:
    """Return the folder of the bundled sequences."""
    return ROOT / "resources" / "samples"
