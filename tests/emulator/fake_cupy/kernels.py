"""RawModule: CUDA sources compiled by g++ and launched on the emulator."""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.emulator import build
from tests.emulator.fake_cupy import streams
from tests.emulator.fake_cupy.arrays import ndarray
from tests.emulator.fake_cupy.device_memory import MemoryPointer, damaged, library
from tests.emulator.translate import TranslationError

MULTIPROCESSORS = 4
MOST_THREADS = 1024
SHARED_BYTES = 48 << 10
SHARED_BYTES_OPTIN = 227 << 10
CONSTANT_BYTES = 64 << 10
REPORT_BYTES = 1 << 16


class CompileException(Exception):
    """What the compiler says, as CuPy's exception of this name does for NVRTC."""


class LaunchError(RuntimeError):
    """A launch that the device would refuse, or that ended in an error; says where."""


@dataclass
class Settings:
    """How kernels are run.

    ``seed``: 0, or the order of threads and blocks is random; ``resident``: blocks at a time, or 0, and the device's
    occupancy decides; ``seconds`` of the CPU after which a launch is taken for endless.
    """

    seed: int = field(default_factory=lambda: int(os.environ.get("ANTIDIAG_EMULATOR_SEED", "0")))
    resident: int = 0
    seconds: float = 100.0


settings = Settings()


class _Parameter(ctypes.Structure):
    _fields_ = [("size", ctypes.c_int), ("kind", ctypes.c_char)]


class _Launch(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("call", ctypes.c_void_p),
        ("arguments", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("dynamic_shared", ctypes.c_ulonglong),
        ("resident", ctypes.c_uint),
        ("multiprocessors", ctypes.c_uint),
        ("seed", ctypes.c_ulonglong),
        ("seconds", ctypes.c_double),
    ]


class RawModule:
    """A CUDA source; compiled when first asked for a kernel."""

    def __init__(
        self,
        *,
        code: str,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Any = None,
        jitify: bool = False,
    ) -> None:
        if name_expressions:
            raise LaunchError('the emulator knows extern "C" kernels, no name_expressions')
        self.code, self.options = code, tuple(options)
        self._library: ctypes.CDLL | None = None

    def compile(self, log_stream: Any = None) -> None:
        if self._library is None:
            library()
            try:
                self._library = ctypes.CDLL(str(build.kernels(self.code, self.options)))
            except (build.CompileError, TranslationError) as error:
                raise CompileException(str(error)) from error

    def get_function(self, name: str) -> RawKernel:
        self.compile()
        return RawKernel._of(self, name)

    def get_global(self, name: str) -> MemoryPointer:
        """Where a variable of the module lies, in constant memory or beside it."""
        self.compile()
        try:
            place = ctypes.addressof(ctypes.c_char.in_dll(self._library, name))  # type: ignore[arg-type]
        except ValueError:
            raise LaunchError(f"there is no variable {name}") from None
        return MemoryPointer(_Variable(place), 0, CONSTANT_BYTES)  # type: ignore[arg-type]

    def function(self, name: str) -> Any:
        """The C function that runs a kernel for one thread."""
        try:
            return getattr(self._library, f"call_{name}")
        except AttributeError:
            raise LaunchError(f'there is no kernel extern "C" __global__ void {name}') from None

    def parameters(self, name: str) -> list[tuple[int, str]]:
        describe = getattr(self._library, f"parameters_of_{name}")
        describe.restype = ctypes.POINTER(_Parameter)
        described, found = describe(), []
        while described[len(found)].size:
            found.append((described[len(found)].size, described[len(found)].kind.decode()))
        return found


class _Variable:
    """Memory of a variable, which has a name and no size; at most all of constant memory."""

    def __init__(self, ptr: int) -> None:
        self.ptr, self.size = ptr, CONSTANT_BYTES
        self.bytes = (ctypes.c_ubyte * CONSTANT_BYTES).from_address(ptr)


class RawKernel:
    """A kernel; call it with (grid, block, arguments, shared_mem=bytes)."""

    def __init__(self, code: str, name: str, options: Sequence[str] = (), **more: Any) -> None:
        self._bind(RawModule(code=code, options=options), name)

    @classmethod
    def _of(cls, module: RawModule, name: str) -> RawKernel:
        kernel = cls.__new__(cls)
        kernel._bind(module, name)
        return kernel

    def _bind(self, module: RawModule, name: str) -> None:
        module.compile()
        self.module, self.name = module, name
        self._call = ctypes.cast(module.function(name), ctypes.c_void_p).value
        self._parameters = module.parameters(name)
        self.max_dynamic_shared_size_bytes = 0
        self.preferred_shared_memory_carveout = -1
        self.attributes = {
            "max_threads_per_block": MOST_THREADS,
            "num_regs": 32,
            "local_size_bytes": 0,
            "shared_size_bytes": 0,
            "const_size_bytes": 0,
        }

    @property
    def kernel(self) -> RawKernel:
        return self

    @property
    def ptr(self) -> int:
        assert self._call is not None
        return self._call

    def compile(self, log_stream: Any = None) -> None:
        pass

    def __call__(self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], *, shared_mem: int = 0) -> None:
        marshalled = Arguments(self, args)
        self._check_sizes(grid, block, shared_mem)
        streams.submit(lambda: self._launch(grid, block, marshalled, shared_mem))

    def _check_sizes(self, grid: Sequence[int], block: Sequence[int], shared: int) -> None:
        if not 0 < math.prod(block) <= MOST_THREADS or min(grid) < 1 or max((*grid[1:], 0)) > 65535:
            raise LaunchError(
                f"kernel {self.name}: no device takes a grid of {tuple(grid)} blocks of {tuple(block)} threads"
            )
        limit = max(SHARED_BYTES, min(self.max_dynamic_shared_size_bytes, SHARED_BYTES_OPTIN))
        if shared > limit:
            raise LaunchError(
                f"kernel {self.name}: {shared:,} bytes of dynamic shared memory, and {limit:,} are allowed; "
                f"max_dynamic_shared_size_bytes allows up to {SHARED_BYTES_OPTIN:,}"
            )

    def _launch(self, grid: Sequence[int], block: Sequence[int], arguments: Arguments, shared: int) -> None:
        threads = math.prod(block)
        resident = settings.resident or MULTIPROCESSORS * resident_blocks(threads, shared)
        request = _Launch(
            name=self.name.encode(),
            call=self._call,
            arguments=ctypes.addressof(arguments.pointers),
            grid=(ctypes.c_uint * 3)(*_three(grid)),
            block=(ctypes.c_uint * 3)(*_three(block)),
            dynamic_shared=int(shared),
            resident=resident,
            multiprocessors=MULTIPROCESSORS,
            seed=settings.seed,
            seconds=settings.seconds,
        )
        report = ctypes.create_string_buffer(REPORT_BYTES)
        if library().emulator_launch(ctypes.byref(request), report, REPORT_BYTES):
            text = report.value.decode(errors="replace")
            raise LaunchError(build.with_places(self.module.code, self.module.options, text))
        if damaged:
            raise LaunchError(f"before the end of kernel {self.name}: {damaged.pop()}")


class Arguments:
    """The arguments of a launch in memory; LaunchError where they do not fit the kernel's parameters.

    The driver copies as many bytes as the parameter has and asks nothing: a Python int for an ``int`` works by the
    order of bytes, for a ``float`` it does not.
    """

    def __init__(self, kernel: RawKernel, given: Sequence[Any]) -> None:
        wanted = kernel._parameters
        if len(given) != len(wanted):
            raise LaunchError(f"kernel {kernel.name} takes {len(wanted)} arguments, {len(given)} were given")
        self._buffers = []
        self.pointers = (ctypes.c_void_p * max(1, len(given)))()
        for index, (value, (size, kind)) in enumerate(zip(given, wanted, strict=True)):
            bits, found = _bits(value)
            if len(bits) != size or not (found == kind or (found == "i" and kind == "p")):
                raise LaunchError(
                    f"kernel {kernel.name}, argument {index}: a parameter of {size} bytes ({KINDS[kind]}) was given "
                    f"{type(value).__name__} of {len(bits)} bytes ({KINDS[found]})"
                )
            buffer = ctypes.create_string_buffer(bits, size)
            self._buffers.append(buffer)
            self.pointers[index] = ctypes.addressof(buffer)


KINDS = {"p": "pointer", "i": "integer", "f": "floating point", "s": "structure"}


def _bits(value: Any) -> tuple[bytes, str]:
    """The bytes of an argument and what it is."""
    match value:
        case ndarray():
            return value.data.ptr.to_bytes(8, "little"), "p"
        case MemoryPointer():
            return value.ptr.to_bytes(8, "little"), "p"
        case streams.TextureObject():
            return value.ptr.to_bytes(8, "little"), "i"
        case None:
            return bytes(8), "p"
        case bool() | int() | float() | np.generic() | np.ndarray():
            scalar = np.asarray(value)
            return scalar.tobytes(), {"f": "f", "V": "s"}.get(scalar.dtype.kind, "i") if scalar.ndim == 0 else "s"
    raise TypeError(f"Unsupported type {type(value)}")


def _three(sizes: Sequence[int]) -> tuple[int, ...]:
    return (*(int(size) for size in sizes), 1, 1)[:3]


def resident_blocks(threads: int, shared: int) -> int:
    """Blocks that a multiprocessor holds at a time."""
    return max(0, min(8, 2048 // (-(-threads // 32) * 32), (228 << 10) // (shared + 1024)))
