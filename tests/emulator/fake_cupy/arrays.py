"""CuPy's ndarray on device memory of the emulator. NumPy does the arithmetic; NumPy cannot be given such an array."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.emulator.fake_cupy.device_memory import MemoryPointer, alloc

IN_PLACE = ("iadd", "isub", "imul", "ifloordiv", "itruediv", "iand", "ior", "ixor", "ilshift", "irshift")
BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"),
    *("eq", "ne", "lt", "le", "gt", "ge"),
)
REFLECTED = ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor")
UNARY = ("neg", "abs", "invert", "pos")
REDUCTIONS = (
    "sum",
    "max",
    "min",
    "argmax",
    "argmin",
    "any",
    "all",
    "mean",
    "prod",
    "cumsum",
    "nonzero",
    "argsort",
    "take",
)


class ndarray:  # noqa: N801 - CuPy's name
    """An array on the device. ``values`` is the emulator's own view of it."""

    __array_priority__ = 100

    def __init__(
        self, shape: Any, dtype: Any = float, memptr: MemoryPointer | None = None, strides: Any = None, order: str = "C"
    ) -> None:
        dtype = checked(dtype)
        count = int(np.prod(shape, dtype=np.int64))
        pointer = memptr or alloc(count * dtype.itemsize)
        if count * dtype.itemsize > pointer.size:
            raise ValueError(f"an array of {count * dtype.itemsize} bytes in memory of {pointer.size}")
        host = pointer.host[: count * dtype.itemsize].view(dtype)
        self.values = (
            host.reshape(shape, order=order) if strides is None else np.ndarray(shape, dtype, host, 0, strides)
        )
        self._memory = pointer

    @classmethod
    def view_of(cls, values: np.ndarray, memory: MemoryPointer) -> ndarray:
        found = cls.__new__(cls)
        found.values, found._memory = values, memory
        return found

    @property
    def data(self) -> MemoryPointer:
        memory = self._memory.mem
        if memory is None:
            return self._memory
        offset = self.values.__array_interface__["data"][0] - memory.ptr
        return MemoryPointer(memory, offset, memory.size - offset)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self.values = self.values.reshape(shape)

    def __getattr__(self, name: str) -> Any:
        if name in ("dtype", "nbytes", "size", "ndim", "itemsize", "strides", "flags"):
            return getattr(self.values, name)
        if name in REDUCTIONS:
            return lambda *arguments, **named: wrapped(getattr(self.values, name)(*bare(arguments), **named))
        raise AttributeError(f"the emulator's cupy.ndarray has no {name!r}")

    def __array_ufunc__(self, *arguments: Any, **named: Any) -> Any:
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")

    def __array__(self, *arguments: Any, **named: Any) -> np.ndarray:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return (self[index] for index in range(len(self)))

    def __int__(self) -> int:
        return int(self.values)

    def __float__(self) -> float:
        return float(self.values)

    def __bool__(self) -> bool:
        return bool(self.values)

    def __index__(self) -> int:
        return operator.index(self.values)

    def __getitem__(self, key: Any) -> ndarray:
        return self._share(self.values[bare(key)] if _advanced(key) else self.values[(*_tuple(key), ...)])

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, np.ndarray) and value.ndim:
            raise ValueError("non-scalar numpy.ndarray cannot be used for setitem")
        self.values[bare(key)] = bare(value)

    def _share(self, values: np.ndarray) -> ndarray:
        """A view of the same memory where ``values`` is one, else a new array."""
        if values.size == 0 or np.may_share_memory(values, self.values):
            return ndarray.view_of(values, self._memory)
        return array(values)

    def get(
        self, stream: Any = None, order: str = "C", out: np.ndarray | None = None, blocking: bool = True
    ) -> np.ndarray:
        if out is None:
            return self.values.copy(order=order)
        if out.shape != self.shape or out.dtype != self.values.dtype:
            raise ValueError(f"get into {out.dtype} {out.shape} from {self.values.dtype} {self.shape}")
        out[...] = self.values
        return out

    def set(self, source: np.ndarray, stream: Any = None) -> None:
        if not isinstance(source, np.ndarray):
            raise TypeError("Only numpy.ndarray can be set to cupy.ndarray")
        if source.dtype != self.values.dtype:
            raise TypeError(f"{source.dtype} array cannot be set to {self.values.dtype} array")
        if source.shape != self.shape:
            raise ValueError(f"Shape mismatch. Old shape: {self.shape}, new shape: {source.shape}")
        self.values[...] = source

    def fill(self, value: Any) -> None:
        self.values.fill(bare(value))

    def item(self, *place: Any) -> Any:
        return self.values.item(*place)

    def tolist(self) -> list[Any]:
        return self.values.tolist()

    def copy(self, order: str = "C") -> ndarray:
        return array(self, order=order)

    def astype(self, dtype: Any, copy: bool = True) -> ndarray:
        dtype = checked(dtype)
        return self if not copy and dtype == self.values.dtype else array(self.values.astype(dtype))

    def view(self, dtype: Any = None) -> ndarray:
        return self._share(self.values if dtype is None else self.values.view(checked(dtype)))

    def reshape(self, *shape: Any) -> ndarray:
        return self._share(self.values.reshape(*shape))

    def ravel(self) -> ndarray:
        return self._share(self.values.ravel())

    def transpose(self, *axes: Any) -> ndarray:
        return self._share(self.values.transpose(*axes))

    T = property(transpose)

    def __repr__(self) -> str:
        return f"emulated {self.values!r}"


def _in_place(name: str) -> Callable[[ndarray, Any], ndarray]:
    def change(self: ndarray, other: Any) -> ndarray:
        self.values[...] = getattr(operator, name[1:] if name not in ("iand", "ior") else f"{name[1:]}_")(
            self.values, operand(other)
        )
        return self

    return change


def _binary(name: str) -> Callable[[ndarray, Any], Any]:
    def compute(self: ndarray, other: Any) -> Any:
        return wrapped(getattr(self.values, f"__{name}__")(operand(other)))

    return compute


for _name in IN_PLACE:
    setattr(ndarray, f"__{_name}__", _in_place(_name))
for _name in (*BINARY, *(f"r{name}" for name in REFLECTED)):
    setattr(ndarray, f"__{_name}__", _binary(_name))
for _name in UNARY:
    setattr(ndarray, f"__{_name}__", lambda self, _name=_name: wrapped(getattr(self.values, f"__{_name}__")()))
ndarray.__hash__ = None  # type: ignore[assignment]


def checked(dtype: Any) -> np.dtype:
    """A dtype that CuPy has: numbers and truth values, no records."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "biufc":
        raise ValueError(f"Unsupported dtype {dtype}")
    return dtype


def bare(value: Any) -> Any:
    """NumPy's arrays in place of those of the device."""
    if isinstance(value, ndarray):
        return value.values
    if isinstance(value, (tuple, list)):
        return type(value)(bare(part) for part in value)
    return value


def operand(value: Any) -> Any:
    """As ``bare``; CuPy computes with arrays of its own and with scalars."""
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    return bare(value)


def wrapped(value: Any) -> Any:
    """A result of NumPy's on the device; CuPy gives arrays where NumPy gives scalars."""
    if isinstance(value, tuple):
        return tuple(wrapped(part) for part in value)
    return array(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value


def _tuple(key: Any) -> tuple[Any, ...]:
    key = key if isinstance(key, tuple) else (key,)
    return tuple(part for part in key if part is not Ellipsis) if key and key[-1] is Ellipsis else key


def _advanced(key: Any) -> bool:
    key = key if isinstance(key, tuple) else (key,)
    return any(isinstance(part, (ndarray, np.ndarray, list)) or part is Ellipsis for part in key)


def empty(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    """Memory that holds 0xCB in every byte."""
    return ndarray(shape, dtype, order=order)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C") -> ndarray:
    made = ndarray(shape, dtype or np.asarray(bare(fill_value)).dtype, order=order)
    made.fill(fill_value)
    return made


def zeros(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    return full(shape, 0, dtype, order)


def ones(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    return full(shape, 1, dtype, order)


def empty_like(a: ndarray, dtype: Any = None) -> ndarray:
    return empty(a.shape, dtype or a.dtype)


def zeros_like(a: ndarray, dtype: Any = None) -> ndarray:
    return zeros(a.shape, dtype or a.dtype)


def ones_like(a: ndarray, dtype: Any = None) -> ndarray:
    return ones(a.shape, dtype or a.dtype)


def full_like(a: ndarray, fill_value: Any, dtype: Any = None) -> ndarray:
    return full(a.shape, fill_value, dtype or a.dtype)


def array(obj: Any, dtype: Any = None, copy: bool = True, order: str = "K") -> ndarray:
    host = np.asarray(bare(obj), None if dtype is None else checked(dtype))
    fortran = order == "F" or (order in "KA" and host.flags.f_contiguous and not host.flags.c_contiguous)
    made = ndarray(host.shape, host.dtype, order="F" if fortran else "C")
    made.values[...] = host
    return made


def asarray(a: Any, dtype: Any = None, order: str = "K") -> ndarray:
    same = isinstance(a, ndarray) and (dtype is None or np.dtype(dtype) == a.dtype)
    return a if same else array(a, dtype, order=order)


def ascontiguousarray(a: Any, dtype: Any = None) -> ndarray:
    found = asarray(a, dtype)
    return found if found.flags.c_contiguous else array(found, order="C")


def asnumpy(a: Any, stream: Any = None, order: str = "C", out: np.ndarray | None = None) -> np.ndarray:
    return a.get(out=out, order=order) if isinstance(a, ndarray) else np.asarray(a, order=order)


def arange(*arguments: Any, dtype: Any = None) -> ndarray:
    return array(np.arange(*arguments, dtype=dtype))


def by_numpy(name: str) -> Callable[..., Any]:
    """NumPy's function of this name on arrays of the device."""
    function = getattr(np, name)
    return lambda *arguments, **named: wrapped(
        function(*bare(arguments), **{key: bare(value) for key, value in named.items()})
    )
