"""What Python and device code must agree on, declared once: structs, and numbers.

Both are parts of a CUDA source, beside its files (`compile.source`), so that neither side can change without the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

TYPES = {"int": "i4", "unsigned": "u4", "long long": "i8", "unsigned long long": "u8", "float": "f4", "double": "f8"}
"""Types of C as NumPy has them; every pointer is as an unsigned long long."""
COMMENT = re.compile(r"//.*")
DECLARATION = re.compile(r"(?P<type>[\w ]+?)(?P<fields>(?:\s*\*\s*|\s+)\w+(?:\s*,\s*\*?\s*\w+)*)")


@dataclass(frozen=True)
class Struct:
    """A struct of C, whose ``fields`` are as in C, several of a type and comments included.

    ``*STRIP(rows=array, m=5, ...)`` are arguments for a kernel that takes one; ``STRIP.dtype`` is for arrays of them,
    with pointers as numbers.
    """

    name: str
    fields: str

    @property
    def text(self) -> str:
        """C: the struct, and macros for kernels that take its fields one by one, and make one of them.

        ``STRIP_PARAMETERS(pair)`` are the parameters ``pair_rows`` and so on, ``STRIP_OF(pair)`` is a Strip of them. A
        struct as a parameter would make other machine code: fields that are side by side are loaded together.
        """
        macro = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).upper()
        parameters = ", ".join(f"{kind} name##_{field}" for field, kind in self._declared)
        fields = ", ".join(f"name##_{field}" for field, _ in self._declared)
        return (
            f"struct {self.name} {{{self.fields}}};\n"
            f"#define {macro}_PARAMETERS(name) {parameters}\n#define {macro}_OF(name) {self.name}{{{fields}}}"
        )

    @cached_property
    def dtype(self) -> np.dtype:
        return np.dtype([(field, _type_of(kind)) for field, kind in self._declared], align=True)

    @property
    def words(self) -> int:
        """32-bit words of one."""
        return self.dtype.itemsize // 4

    def __call__(self, **values: Any) -> tuple[Any, ...]:
        """The fields in their order, as CuPy takes arguments: numbers; for pointers arrays, addresses, or None."""
        types = self._types
        if values.keys() != types.keys():
            raise TypeError(f"{self.name} has the fields {', '.join(types)}; {', '.join(values)} were given")
        return tuple([_pointer(values[field]) if of is None else of(values[field]) for field, of in types.items()])

    @cached_property
    def _types(self) -> dict[str, type[np.generic] | None]:
        """Type of every field, None for pointers."""
        return {field: np.dtype(TYPES[kind]).type if kind in TYPES else None for field, kind in self._declared}

    @cached_property
    def _declared(self) -> tuple[tuple[str, str], ...]:
        """Name and type of every field."""
        return tuple(_parsed(COMMENT.sub("", self.fields)))


@dataclass(frozen=True)
class Constants:
    """Numbers of the device code: ``Constants.of(LOG_SLOTS=256)``."""

    values: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, **values: int) -> Constants:
        return cls(tuple(values.items()))

    @property
    def name(self) -> str:
        return "constants"

    @property
    def text(self) -> str:
        return "\n".join(f"constexpr int {name} = {value};" for name, value in self.values)


def _parsed(text: str) -> Iterator[tuple[str, str]]:
    """Name and type of the fields of a struct."""
    for declaration in filter(None, map(str.strip, text.split(";"))):
        found = DECLARATION.fullmatch(declaration)
        if not found:
            raise ValueError(f"not understood: {declaration}")
        for field in found["fields"].split(","):
            kind = found["type"] + ("*" if "*" in field else "")
            if not kind.endswith("*") and kind not in TYPES:
                raise ValueError(f"the size of {kind} is not known; known are {', '.join(TYPES)}, and pointers")
            yield field.replace("*", "").strip(), kind


def _type_of(kind: str) -> str:
    return TYPES.get(kind, "u8")


def _pointer(value: Any) -> Any:
    """An argument for an array on the device, for an address, or for none."""
    return np.uint64(value or 0) if value is None or isinstance(value, int) else value
