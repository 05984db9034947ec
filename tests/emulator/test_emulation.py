"""The emulated device comes and goes without a trace."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from antidiag.kernels import registry
from antidiag.kernels.cuda import devices
from tests.emulator import build, modules
from tests.emulator.emulated import emulation
from tests.emulator.emulation import emulated_cupy

pytestmark = pytest.mark.skipif(bool(build.why_not()), reason=build.why_not())

SOURCES = {
    "__init__": "",
    "direct": "import cupy\n",
    "through": "from somepackage.direct import cupy\n",
    "later": "def use():\n    import cupy\n    from somepackage import direct\n    return cupy, direct.cupy\n",
    "never": "import json\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package whose modules import CuPy in every way; without the emulator they find another one."""
    folder = tmp_path / "somepackage"
    folder.mkdir()
    for name, text in SOURCES.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "cupy", type(sys)("cupy"))
    yield "somepackage"
    for name in [name for name in sys.modules if name.partition(".")[0] == "somepackage"]:
        del sys.modules[name]


def test_who_imports_cupy_is_read_from_the_sources(package: str) -> None:
    assert modules.loading(package, "cupy") == {"somepackage.direct", "somepackage.through"}
    later = modules.files(package)["somepackage.later"]
    assert modules.of_package(modules.imports(later), "cupy")
    assert not modules.imports(later, when_loaded=True)


def test_modules_find_the_cupy_of_the_emulator_and_then_their_own_again(package: str) -> None:
    own = sys.modules["cupy"]
    loaded = {name: importlib.import_module(f"{package}.{name}") for name in SOURCES if name != "__init__"}
    assert loaded["later"].use() == (own, own)
    with emulated_cupy(package):
        found = sys.modules["cupy"]
        assert found is not own and loaded["later"].use() == (found, found)
        assert importlib.import_module(f"{package}.through").cupy is found
        assert importlib.import_module(f"{package}.never") is loaded["never"]
    assert loaded["later"].use() == (own, own)
    assert all(sys.modules[f"{package}.{name}"] is module for name, module in loaded.items())


def test_afterwards_everything_is_as_it_was() -> None:
    users = modules.loading("antidiag.kernels", "cupy")
    before = {name: sys.modules.get(name) for name in ("cupy", *users)}
    with emulation():
        for method in registry.METHODS:
            if "cuda" in method.backends:
                method.load_backend("cuda")
        assert all(sys.modules[name] is not before[name] for name in users if name in sys.modules)
    assert {name: sys.modules.get(name) for name in before} == before


def test_the_devices_are_those_that_were_there() -> None:
    before = devices.discover_devices()
    with emulation():
        assert devices.discover_devices() != before
    assert devices.discover_devices() == before
