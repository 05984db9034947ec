"""Structs and constants that Python and device code share, declared once in Python.

They are parts of a CUDA source, before its files (`compile.source`), so that neither side can change without the other.
A `.cu` file that uses a struct names the Python module that declares it in its first comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

TYPES = {"int": "i4", "unsigned": "u4", "long long": "i8", "unsigned long long": "u8", "float": "f4", "double": "f8"}
"""NumPy's names of C's types; a pointer is an unsigned long long."""
COMMENT = re.compile(r"//.*")
DECLARATION = re.compile(r"(?P<type>[\w ]+?)(?P<fields>(?:\s*\*\s*|\s+)\w+(?:\s*,\s*\*?\s*\w+)*)")


@dataclass(frozen=True)
class DeviceStruct:
    """A struct of C; ``fields`` is C text, in which comments and several fields of a type are allowed.

    ``*STRIP(rows=array, m=5, ...)`` are the arguments of a kernel that takes one; ``STRIP.dtype`` is the type of an
    array of them, with pointers as numbers.
    """

    name: str
    fields: str

    @property
    def c_text(self) -> str:
        """The C text: the struct, and two macros for kernels that take its fields as separate parameters.

        ``STRIP_PARAMETERS(pair)`` are the parameters ``pair_rows`` and so on; ``STRIP_OF(pair)`` is a Strip of them. A
        struct as a parameter would compile to other machine code, which loads neighbouring fields together.
        """
        macro = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).upper()
        parameters = ", ".join(f"{kind} name##_{field}" for field, kind in self._declared_fields)
        fields = ", ".join(f"name##_{field}" for field, _ in self._declared_fields)
        return (
            f"struct {self.name} {{{self.fields}}};\n"
            f"#define {macro}_PARAMETERS(name) {parameters}\n#define {macro}_OF(name) {self.name}{{{fields}}}"
        )

    @cached_property
    def dtype(self) -> np.dtype:
        """NumPy's type of the struct."""
        return np.dtype([(field, _numpy_type(kind)) for field, kind in self._declared_fields], align=True)

    @property
    def word_count(self) -> int:
        """The size in 32-bit words."""
        return self.dtype.itemsize // 4

    def __call__(self, **values: Any) -> tuple[Any, ...]:
        """Return the fields in order as a kernel's arguments; a pointer may be an array, an address or None."""
        types = self._field_types
        if values.keys() != types.keys():
            raise TypeError(f"{self.name} has the fields {', '.join(types)}; {', '.join(values)} were given")
        return tuple(
            [_pointer_argument(values[field]) if of is None else of(values[field]) for field, of in types.items()]
        )

    def from_object(self, owner: Any, **others: Any) -> tuple[Any, ...]:
        """Return a kernel's arguments: ``others``, and for all other fields the attribute of that name of ``owner``."""
        return self(**{name: getattr(owner, name) for name in self._field_types if name not in others}, **others)

    @cached_property
    def _field_types(self) -> dict[str, type[np.generic] | None]:
        """The type of every field, None for pointers."""
        return {field: np.dtype(TYPES[kind]).type if kind in TYPES else None for field, kind in self._declared_fields}

    @cached_property
    def _declared_fields(self) -> tuple[tuple[str, str], ...]:
        """The name and C type of every field."""
        return tuple(_parse_fields(COMMENT.sub("", self.fields)))


@dataclass(frozen=True)
class DeviceConstants:
    """Constants of the device code: ``DeviceConstants.from_values(LOG_SLOTS=256)``.

    They are int, long long where they need more bits, or double.
    """

    values: tuple[tuple[str, float], ...]

    @classmethod
    def from_values(cls, **values: float) -> DeviceConstants:
        """Declare constants by keyword."""
        return cls(tuple(values.items()))

    @property
    def name(self) -> str:
        """The file name in compiler messages."""
        return "constants"

    @property
    def c_text(self) -> str:
        """The C text."""
        return "\n".join(f"constexpr {_constant_type(value)} {name} = {value};" for name, value in self.values)


def _constant_type(value: float) -> str:
    """Return C's type of a constant."""
    if isinstance(value, float):
        return "double"
    return "int" if abs(value) < 2**31 else "long long"


def _parse_fields(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and C type of every field."""
    for declaration in filter(None, map(str.strip, text.split(";"))):
        found = DECLARATION.fullmatch(declaration)
        if not found:
            raise ValueError(f"this is no declaration of fields: {declaration}")
        for field in found["fields"].split(","):
            kind = found["type"] + ("*" if "*" in field else "")
            if not kind.endswith("*") and kind not in TYPES:
                raise ValueError(f"the type {kind} is unknown; use {', '.join(TYPES)}, or a pointer")
            yield field.replace("*", "").strip(), kind


def _numpy_type(kind: str) -> str:
    return TYPES.get(kind, "u8")


def _pointer_argument(value: Any) -> Any:
    """Return the kernel argument for an array on the device, an address, or None."""
    return np.uint64(value or 0) if value is None or isinstance(value, int) else value
