"""Which library a source has: what was compiled is found without being translated, and no change of anything goes
unseen."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.emulator import build, translate

pytestmark = pytest.mark.skipif(bool(build.why_not()), reason=build.why_not())

CODE = 'extern "C" __global__ void fill(int* cells) { cells[threadIdx.x] = NUMBER; }'
OPTIONS = ("-DNUMBER=1",)
READ_ONCE = ("_text_of_device", "_text_of_translation", "precompiled")
"""What a process reads, or builds, once."""


class Compiler:
    """Stands for g++ where it would compile: ``made`` are the names of what it did, "text" is translated anew."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self._compile = build._compile

    def __call__(self, arguments: Sequence[str], text: str) -> str:
        if "-E" in arguments:
            self.made.append("text")
            return self._compile(arguments, text)
        target = Path(arguments[-1])
        self.made.append("headers" if target.suffix == ".gch" else "library")
        target.write_text(f"{arguments[:-1]}\n{text}")
        return ""


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Compiler:
    """The compiler of a process that begins with nothing kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = Compiler()
    monkeypatch.setattr(build, "_compile", found)
    return found


@pytest.fixture
def library(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """``library(code, options, more)`` in a process that has just begun; ``compiler.made`` is of this call."""
    originals = {name: getattr(build, name).__wrapped__ for name in READ_ONCE}

    def find(code: str = CODE, options: Sequence[str] = OPTIONS, more: Sequence[str] = ()) -> Path:
        for name, original in originals.items():
            monkeypatch.setattr(build, name, cache(original))
        compiler.made.clear()
        path = build.kernels(code, options, more)
        assert path.exists()
        return path

    return find


def test_what_is_unchanged_is_found_without_being_translated(compiler: Compiler, library: Callable[..., Path]) -> None:
    first = library()
    assert compiler.made == ["text", "headers", "library"]
    assert library() == first
    assert compiler.made == []


@pytest.mark.parametrize(
    "changed",
    [
        {"code": CODE.replace("= NUMBER", "= 1 + NUMBER")},
        {"options": ("-DNUMBER=2",)},
        {"more": ("-O2",)},
        {"more": build.LINES},
    ],
    ids=["source", "constant", "flag", "lines"],
)
def test_another_source_constant_or_flag_has_another_library(compiler, library, changed) -> None:
    first = library()
    other = library(**changed)
    assert other != first
    assert other.read_text() != first.read_text()
    assert "library" in compiler.made
    assert library() == first
    assert compiler.made == []


def test_options_that_give_the_same_text_have_one_library(compiler: Compiler, library: Callable[..., Path]) -> None:
    first = library()
    assert library(options=(*OPTIONS, "-DNOT_USED=1")) == first
    assert compiler.made == ["text"]


def test_an_option_is_no_flag(compiler: Compiler, library: Callable[..., Path]) -> None:
    """The same words, as NVRTC's options or as g++'s flags, are not taken for each other."""
    number = "#ifndef NUMBER\n#define NUMBER 2\n#endif\n" + CODE
    assert library(number, OPTIONS, ()) != library(number, (), OPTIONS)


def test_a_file_that_the_source_includes_is_looked_at_each_time(
    compiler: Compiler, library: Callable[..., Path], tmp_path: Path
) -> None:
    included = tmp_path / "number.cuh"
    code, options = f'#include "number.cuh"\n{CODE}', (f"-I{tmp_path}",)
    included.write_text("#define NUMBER 1\n")
    first = library(code, options)
    included.write_text("#define NUMBER 2\n")
    other = library(code, options)
    assert other != first
    assert compiler.made == ["text", "library"]
    included.write_text("#define NUMBER 1\n")
    assert library(code, options) == first
    assert compiler.made == ["text"]


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A copy of the emulator's headers that may be changed."""
    copy = tmp_path / "device"
    shutil.copytree(build.DEVICE, copy)
    monkeypatch.setattr(build, "DEVICE", copy)
    return copy


@pytest.mark.parametrize("name", sorted(path.name for path in build.DEVICE.glob("*.h")))
def test_a_changed_header_of_the_emulator_leads_to_new_libraries(compiler, library, device: Path, name: str) -> None:
    first = library()
    header, text = device / name, (device / name).read_text()
    header.write_text(f"{text}\n// changed\n")
    assert library() != first
    assert compiler.made == ["text", "headers", "library"]
    header.write_text(text)
    assert library() == first
    assert compiler.made == []


def test_a_changed_translation_is_asked_again(compiler, library, monkeypatch, tmp_path) -> None:
    """What it makes of the source decides; here the same."""
    first = library()
    changed = tmp_path / "translate.py"
    changed.write_text(Path(translate.__file__).read_text() + "\n# changed\n")
    monkeypatch.setattr(translate, "__file__", str(changed))
    assert library() == first
    assert compiler.made == ["text"]
    monkeypatch.setattr(build, "to_cpp", lambda text: f"{text}\n// otherwise")
    changed.write_text(changed.read_text() + "# again\n")
    assert library() != first
    assert compiler.made == ["text", "library"]


def test_another_compiler_has_other_libraries(compiler, library, monkeypatch) -> None:
    first = library()
    monkeypatch.setattr(build, "_compiler_version", lambda: "g++ of another version")
    assert library() != first
    assert compiler.made == ["text", "headers", "library"]


def test_a_library_that_is_gone_is_built_again(compiler: Compiler, library: Callable[..., Path]) -> None:
    first = library()
    first.unlink()
    assert library() == first
    assert compiler.made == ["text", "library"]
