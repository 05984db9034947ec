"""NVRTC for tests: what it has compiled once is kept, for it takes seconds and gives the same again."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from antidiag.kernels.cuda import kernel_compiler as cuda_compile
from tests import file_lock


def compile_without_device(files: tuple[Path, ...], defines: Mapping[str, int], architecture: str = "sm_90") -> bytes:
    """Machine code, hardly optimised, of what `kernels.cuda.kernel_compiler` compiles.

    RuntimeError with the compiler's messages, which is not kept.
    """
    path = _folder() / f"nvrtc-{_key(files, defines, architecture)}.cubin"
    if path.exists():
        return path.read_bytes()
    with file_lock.hold_lock(path.with_suffix(".lock")):
        if not path.exists():
            code = cuda_compile.compile_without_device(files, defines, architecture, _hastily())
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as scratch:
                scratch.write(code)
            Path(scratch.name).rename(path)
    return path.read_bytes()


def _hastily() -> tuple[str, ...]:
    """Nobody runs this code; what is refused is refused as well without optimising, which is most of the time."""
    from cupy_backends.cuda.libs import nvrtc

    return ("--Ofast-compile=max",) if nvrtc.getVersion() >= (13, 0) else ()


def _folder() -> Path:
    folder = platformdirs.user_cache_path("antidiag") / "emulator"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _key(files: tuple[Path, ...], defines: Mapping[str, int], architecture: str) -> str:
    """Names all that the machine code depends on: the compiler, the text, and how it is compiled."""
    from cupy_backends.cuda.libs import nvrtc

    how = *nvrtc.getVersion(), *cuda_compile.compiler_options(defines), *_hastily(), architecture, files[-1].name
    parts = map(str, (*how, cuda_compile.join_source(*files)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
