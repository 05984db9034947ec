"""From the text of a CUDA module to a shared library, by g++; libraries are kept in the user's cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import platformdirs

from tests import file_lock
from tests.emulator import translate
from tests.emulator.translate import to_cpp

DEVICE = Path(__file__).with_name("device")
RUNTIME = ("scheduler", "waiting", "meeting", "report", "fibre", "device_memory", "signals")
COMPILER = "g++"
LANGUAGE = (
    *("-std=c++17", "-O1", "-fPIC", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fsigned-char"),
    "-fno-gnu-unique",
)
TRAPS = ("-fsanitize=alignment,shift-exponent", "-fsanitize-undefined-trap-on-error")
"""What the device does not do either, or does differently: such an operation ends the launch with a report."""

PREEMPTED = ("-fsanitize-coverage=trace-pc",)
"""Threads give way in every loop, so that one that waits for a volatile variable does not wait for ever."""
LINKED = ("-shared", "-Wl,-Bsymbolic", "-fno-use-linker-plugin", "-nostdlib", "-lm", "-lgcc")
"""Without the library of C++, of which kernels use nothing, and which takes the linker longer than all they do use."""
PRECOMPILED = "everything.h"
IGNORED_OPTIONS = ("--use_fast_math", "-use_fast_math", "-lineinfo", "-arch", "--gpu-architecture")
HEADERS = "emulator:"
LINES = ("-g1", "-gdwarf-4", f"-ffile-prefix-map={DEVICE}/={HEADERS}")
"""The table of lines names the emulator's headers so, wherever the project lies."""

OFFSET = re.compile(r"\{([0-9a-f]+)\}")


class CompileError(Exception):
    """What g++ says of a source."""


@cache
def why_not() -> str:
    """Why nothing can be emulated here; empty where it can."""
    if sys.platform != "linux":
        return "the emulator runs on Linux only"
    return "" if shutil.which(COMPILER) else f"the emulator needs a C++17 compiler, and {COMPILER} is not there"


def kernels(code: str, options: Sequence[str], more: Sequence[str] = ()) -> Path:
    """The library of a CUDA source compiled with NVRTC's options (and ``more`` of g++'s).

    Sources and options that give the same text have one. Which it is, is kept as well, for to find the text takes
    longer than to load the library.
    """
    if any(option.startswith("-I") for option in options):  # the text is in other files, too
        return _built(code, options, more)

    def name(target: Path) -> None:
        target.write_text(_built(code, options, more).name)

    kept = _cached("library", (code, *options, "", *more, _text_of_translation(), _text_of_device()), ".txt", name)
    library = kept.with_name(kept.read_text())
    return library if library.exists() else _built(code, options, more)


def _built(code: str, options: Sequence[str], more: Sequence[str]) -> Path:
    text = to_cpp(preprocessed(code, options))
    flags = (*LANGUAGE, *TRAPS, *(PREEMPTED if re.search(r"\bvolatile\b", text) else ()), *more)
    headers = (f"-I{precompiled(flags)}", "-include", PRECOMPILED)

    def build(target: Path) -> None:
        _compile((*flags, *headers, "-x", "c++", "-", *LINKED, "-o", str(target)), text)

    return _cached("kernels", (*flags, *LINKED, text, _text_of_device()), ".so", build)


def preprocessed(code: str, options: Sequence[str]) -> str:
    """The source without comments, macros and branches of ``#if``; CompileError for an option that is not known."""
    defines = [option for option in options if option.startswith(("-D", "-U", "-I", "-std=", "--std="))]
    unknown = [option for option in options if option not in defines and not option.startswith(IGNORED_OPTIONS)]
    if unknown:
        raise CompileError(f"options unknown to the emulator: {' '.join(unknown)}")
    command = ("-E", "-D__CUDA_ARCH__=900", *(option.replace("--std", "-std") for option in defines), "-x", "c++", "-")
    return _compile(command, code)


@cache
def runtime() -> Path:
    """The library of the scheduler and of device memory."""
    sources = [str(DEVICE / f"{name}.cpp") for name in RUNTIME]
    flags = ("-std=c++17", "-O2", "-flto", "-fPIC", "-U_FORTIFY_SOURCE", "-shared", *sources, "-ldl")

    def build(target: Path) -> None:
        _compile((*flags, "-o", str(target)), "")

    return _cached("runtime", (*flags, _text_of_device("*")), ".so", build)


@cache
def precompiled(flags: tuple[str, ...]) -> Path:
    """The folder with the headers in compiled form."""

    def build(target: Path) -> None:
        target.mkdir()
        header = target / PRECOMPILED
        header.write_text(f'#include "{DEVICE / PRECOMPILED}"\n')
        _compile((*flags, "-x", "c++-header", str(header), "-o", f"{header}.gch"), "")

    return _cached("headers", (*flags, str(DEVICE), _text_of_device()), "", build)


def with_places(code: str, options: Sequence[str], report: str) -> str:
    """A report in which ``{1a2b}``, an offset in the library of a source, has become file and line.

    For that the library is compiled again, to the same instructions, with a table of lines.
    """
    if not OFFSET.search(report):
        return report
    if not shutil.which("addr2line"):
        return OFFSET.sub("somewhere (install binutils to know where)", report)
    library = kernels(code, options, LINES)
    return OFFSET.sub(lambda match: f"at {_line(library, match[1])}", report)


def _line(library: Path, offset: str) -> str:
    """FILE:LINE in the kernel, also where the instruction comes from the emulator's headers."""
    command = ("addr2line", "-i", "-e", str(library), f"0x{offset}")
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    own = next((place for place in found if HEADERS not in place), found[0])
    return Path(own.removeprefix(HEADERS).partition(" (")[0]).name


def _compile(arguments: Sequence[str], text: str) -> str:
    run = subprocess.run([COMPILER, *arguments], input=text, capture_output=True, text=True)
    if run.returncode:
        raise CompileError(run.stderr)
    return run.stdout


def _cached(kind: str, key: Sequence[str], suffix: str, build: Callable[[Path], None]) -> Path:
    """The file or folder of a key; whoever builds it puts it there in one step, and others wait for that."""
    digest = hashlib.sha256("\0".join((_compiler_version(), *key)).encode()).hexdigest()[:32]
    folder = platformdirs.user_cache_path("antidiag") / "emulator"
    path = folder / f"{kind}-{digest}{suffix}"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with file_lock.hold_lock(path.with_suffix(".lock")), tempfile.TemporaryDirectory(dir=folder) as scratch:
        if not path.exists():
            made = Path(scratch) / f"made{suffix}"
            build(made)
            with contextlib.suppress(OSError):  # a folder that somebody else, who had no lock, has put there
                made.rename(path)
    return path


@cache
def _compiler_version() -> str:
    return subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True).stdout


@cache
def _text_of_device(pattern: str = "*.h") -> str:
    """What a kernel is compiled with; the runtime is another library."""
    return "\0".join(path.read_text() for path in sorted(DEVICE.glob(pattern)))


@cache
def _text_of_translation() -> str:
    return "\0".join(path.read_text() for path in (Path(__file__), Path(translate.__file__)))
