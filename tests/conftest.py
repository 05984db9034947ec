"""Settings of all tests: nothing of the user's is read or written, and no screen is needed."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path

import pytest

from kernels.cuda import devices
from tests.emulator.emulated import emulated

__all__ = ["emulated"]

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_STATE_HOME"] = os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(
    prefix="antidiag-tests-"
)

if importlib.util.find_spec("hypothesis"):
    from hypothesis import HealthCheck, settings

    settings.register_profile(
        "antidiag", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("antidiag")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without Qt, leave out the tests of the window; those of the command line need none."""
    inside = ROOT / "tests" / "app" in collection_path.parents
    if inside and not collection_path.name.startswith("test_cli") and not importlib.util.find_spec("PySide6"):
        return True
    return None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that needs a GPU says why it has none, instead of failing deep inside."""
    if item.get_closest_marker("gpu"):
        found, reason = devices.discover()
        if not found:
            pytest.fail(f"this test needs a GPU: {reason}", pytrace=False)


@pytest.fixture(autouse=True)
def _own_rates(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates measured by tests are not kept for the user's next estimate."""
    folder = tmp_path_factory.getbasetemp()
    monkeypatch.setattr("kernels.rates._path", lambda: folder / "rates.json")


@pytest.fixture(autouse=True)
def runs_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Interrupted runs of the user are neither seen nor removed; each test has a folder, and a limit, of its own."""
    folder = tmp_path_factory.mktemp("runs") / "runs"
    monkeypatch.setattr("kernels.resuming.folder", lambda: folder)
    monkeypatch.setattr("kernels.memory._limit_path", lambda: folder.with_name("disk.json"))
    return folder


@pytest.fixture(autouse=True)
def _nothing_tuned(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test starts without tuned values, rooflines and experiments, whatever the user or another test kept."""
    folder = tmp_path_factory.mktemp("laboratory")
    monkeypatch.setattr("kernels.tuned._path", lambda: folder / "tuned.json")
    monkeypatch.setattr("kernels.experiments.roofline._path", lambda: folder / "rooflines.json")
    monkeypatch.setattr("kernels.experiments.results.folder", lambda: folder / "experiments")


@pytest.fixture
def shared_data() -> Path:
    """The folder of real data that is too big for the project; the test skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("real data beside the project is absent")
    return SHARED_DATA


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the bundled sequences."""
    return ROOT / "resources" / "samples"
