"""From CUDA C++ to C++: what no macro of cuda_on_cpu.h can do.

The text has been preprocessed, so that comments, macros and the branches of ``#if`` are gone; ``#`` lines that remain
say which file and line follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

TWINS = Path(__file__).with_name("device") / "ptx.h"
"""What the emulator has instead of functions that are written in PTX."""
FILE_LINE = re.compile(r'^# \d+ "([^"]*)".*$', re.MULTILINE)
PTX = re.compile(r"\basm\b")
FUNCTION = re.compile(
    r"^(?:template\s*<[^;{}]*>\s*)?(?:__device__|__forceinline__|static|inline)[^;{}()]*\b(\w+)\s*\([^;{}]*\)\s*\{",
    re.MULTILINE,
)
KERNEL = re.compile(
    r"__global__\s+(?:void\s+)?(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)\s*)?(?:void\s+)?(\w+)\s*\("
)
ALIGNMENT = re.compile(r"\b(?:__align__|alignas)\s*\((?P<bytes>(?:[^()]|\([^()]*\))*)\)\s*")
QUALIFIER = re.compile(r"\b(?:extern|static|__shared__)\s+")
SHARED = re.compile(
    rf"(?:(?:extern|static|volatile)\s+|{ALIGNMENT.pattern})*\b__shared__\s[^;]*;".replace("?P<bytes>", "?:")
)
DECLARATOR = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?P<dimensions>(?:\[[^\]]*\]\s*)*)$")


class TranslationError(Exception):
    """Something that the emulator does not know; the message says what to write instead."""


def to_cpp(text: str) -> str:
    """C++ of a preprocessed CUDA source, with a function to call every kernel."""
    text = without_ptx(text)
    names = KERNEL.findall(text)
    calls = "".join(f"EMULATED_KERNEL({name})\n" for name in dict.fromkeys(names))
    return f'{SHARED.sub(_shared, text)}\n# 1 "kernels"\n{calls}'


def functions(text: str) -> list[str]:
    """Names of the functions defined in a text."""
    return [match[1] for match, _ in _functions(text)]


def ptx_functions(text: str) -> list[str]:
    """Names of the functions written in PTX."""
    return [match[1] for match, body in _functions(text) if PTX.search(body)]


def without_ptx(text: str) -> str:
    """The text without the PTX functions of which the emulator has a twin."""
    kept, last, twins = [], 0, functions(TWINS.read_text())
    for match, body in _functions(text):
        if PTX.search(body) and match[1] in twins:
            lines = "\n" * (text.count("\n", match.start(), match.end()) + body.count("\n"))
            kept += text[last : match.start()], lines
            last = match.end() + len(body)
    rest = "".join([*kept, text[last:]])
    if found := PTX.search(rest):
        raise TranslationError(
            f"inline PTX in {_file_at(rest, found.start())}: the emulator runs PTX of functions only "
            f"that have a twin in tests/emulator/device/{TWINS.name}"
        )
    return rest


def _functions(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Every function, as a match up to its opening brace, and the rest of it."""
    for match in FUNCTION.finditer(text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield match, text[match.end() : end]


def _file_at(text: str, place: int) -> str:
    names = FILE_LINE.findall(text, 0, place)
    return names[-1] if names else "the source"


def _shared(match: re.Match[str]) -> str:
    """A ``__shared__`` declaration as references to, or for ``extern`` as a pointer to, memory of the block."""
    text = match[0]
    if match.string.count("{", 0, match.start()) == match.string.count("}", 0, match.start()):
        raise TranslationError(f"outside of functions: {text!r}; declare shared memory where it is used")
    alignment = ALIGNMENT.search(text)
    declaration = " ".join(QUALIFIER.sub("", ALIGNMENT.sub("", text)).rstrip(";").split())
    first, *others = _split(declaration)
    found = DECLARATOR.search(first)
    if not found or "=" in declaration:
        raise TranslationError(f"not understood: {text!r}; declare arrays or scalars without an initial value")
    kind, first = first[: found.start()].strip(), first[found.start() :]
    if not re.search(r"\bextern\b", text):
        least = alignment["bytes"] if alignment else "1"
        return " ".join(_variable(kind, one, least) for one in (first, *others))
    if others or not found["dimensions"]:
        raise TranslationError(f"not understood: {text!r}; write extern __shared__ TYPE NAME[];")
    rows = found["dimensions"].partition("]")[2].strip()
    pointer = f"{kind} (*){rows}" if rows else f"{kind}*"
    return f"auto* const {found['name']} = static_cast<{pointer}>(cuda_on_cpu::dynamic_shared());"


def _variable(kind: str, declarator: str, alignment: str) -> str:
    name = declarator.partition("[")[0].strip()
    shape = declarator[len(name) :]
    return (
        f"using type_of_{name} = {kind}{shape}; static cuda_on_cpu::SharedVariable place_of_{name}; "
        f"type_of_{name}& {name} = *static_cast<type_of_{name}*>(place_of_{name}.of_block(sizeof(type_of_{name}), "
        f"alignof(type_of_{name}) > {alignment} ? alignof(type_of_{name}) : {alignment}));"
    )


def _split(declaration: str) -> list[str]:
    """Parts between the commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in declaration:
        depth += {"<": 1, "(": 1, "[": 1, ">": -1, ")": -1, "]": -1}.get(letter, 0)
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
