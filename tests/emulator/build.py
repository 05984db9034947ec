"""From the text of a CUDA module to a shared library, by g++; libraries are kept in the user's cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import platformdirs

from tests.emulator.translate import to_cpp

DEVICE = Path(__file__).with_name("device")
RUNTIME = ("scheduler", "meeting", "fibre", "device_memory", "signals")
COMPILER = os.environ.get("CXX", "g++")
LANGUAGE = ("-std=c++17", "-O1", "-fPIC", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fsigned-char", "-fno-gnu-unique")
TRAPS = ("-fsanitize=alignment,shift-exponent", "-fsanitize-undefined-trap-on-error")
"""What the device does not do either, or does differently: such an operation ends the launch with a report."""

PREEMPTED = ("-fsanitize-coverage=trace-pc",)
"""Threads give way in every loop, so that one that waits for a volatile variable does not wait for ever."""
PRECOMPILED = "everything.h"
IGNORED_OPTIONS = ("--use_fast_math", "-use_fast_math", "-lineinfo", "--generate-line-info", "-arch", "--gpu-architecture")


OFFSET = re.compile(r"\{([0-9a-f]+)\}")


class CompileError(Exception):
    """What g++ says of a source."""


@cache
def why_not() -> str:
    """Why nothing can be emulated here; empty where it can."""
    if os.name != "posix":
        return "the emulator runs on POSIX systems only"
    return "" if shutil.which(COMPILER) else f"the emulator needs a C++17 compiler, and {COMPILER} is not there"


def kernels(code: str, options: Sequence[str], more: Sequence[str] = ()) -> Path:
    """The library of a CUDA source compiled with NVRTC's options (and ``more`` of g++'s)."""
    text = preprocessed(code, options)
    extra = PREEMPTED if re.search(r"\bvolatile\b", re.sub(r"\basm\s+volatile\b", "", text)) else ()
    headers = precompiled((*extra, *more))
    flags = (*LANGUAGE, *TRAPS, *extra, *more, "-w", f"-I{headers}", "-include", PRECOMPILED)

    def build(target: Path) -> None:
        _compile((*flags, "-shared", "-Wl,-Bsymbolic", "-x", "c++", "-", "-o", str(target)), to_cpp(text))

    return _cached("kernels", (*flags, text, _text_of_device()), ".so", build)


def preprocessed(code: str, options: Sequence[str]) -> str:
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

    def build(target: Path) -> None:
        _compile(("-std=c++17", "-O2", "-U_FORTIFY_SOURCE", "-fPIC", "-shared", *sources, "-o", str(target), "-ldl"), "")

    return _cached("runtime", (_text_of_device(),), ".so", build)


@cache
def precompiled(extra: tuple[str, ...]) -> Path:
    """The folder with the headers in compiled form."""
    flags = (*LANGUAGE, *TRAPS, *extra, "-w")

    def build(target: Path) -> None:
        target.mkdir()
        (target / PRECOMPILED).write_text(f'#include "{DEVICE / PRECOMPILED}"\n')
        _compile((*flags, "-x", "c++-header", str(target / PRECOMPILED), "-o", str(target / f"{PRECOMPILED}.gch")), "")

    return _cached("headers", (*flags, str(DEVICE), _text_of_device()), "", build)


def with_places(code: str, options: Sequence[str], report: str) -> str:
    """A report in which ``{1a2b}``, an offset in the library of a source, has become file and line."""
    offsets = sorted(set(OFFSET.findall(report)))
    if not offsets or not shutil.which("addr2line"):
        return report
    # Compiled again, for the same instructions at the same offsets and a table of lines.
    command = ("addr2line", "-i", "-e", str(kernels(code, options, ("-g1", "-gdwarf-4"))), *(f"0x{offset}" for offset in offsets))
    found = [subprocess.run((*command[:4], offset), capture_output=True, text=True).stdout for offset in command[4:]]
    places = {offset: _innermost_own(lines.split("\n")) for offset, lines in zip(offsets, found, strict=True)}
    return OFFSET.sub(lambda match: places[match[1]], report)


def _innermost_own(lines: list[str]) -> str:
    """The place in the kernels' files, of a place and those that it was inlined into."""
    own = [line for line in lines if line and str(DEVICE) not in line]
    return "at " + re.sub(r" \(discriminator \d+\)", "", Path((own or lines)[0]).name)


def _compile(arguments: Sequence[str], text: str) -> str:
    run = subprocess.run([COMPILER, *arguments], input=text, capture_output=True, text=True)
    if run.returncode:
        raise CompileError(run.stderr)
    return run.stdout


def _cached(kind: str, key: Sequence[str], suffix: str, build: Callable[[Path], None]) -> Path:
    """The file or folder of a key; whoever builds it first puts it there in one step."""
    digest = hashlib.sha256("\0".join((_compiler_version(), *key)).encode()).hexdigest()[:32]
    folder = platformdirs.user_cache_path("antidiag") / "emulator"
    path = folder / f"{kind}-{digest}{suffix}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            made = Path(scratch) / f"made{suffix}"
            build(made)
            with contextlib.suppress(OSError):  # a folder that somebody else has put there meanwhile
                made.rename(path)
    return path


@cache
def _compiler_version() -> str:
    return subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True).stdout


@cache
def _text_of_device() -> str:
    return "\0".join(path.read_text() for path in sorted(DEVICE.iterdir()))
