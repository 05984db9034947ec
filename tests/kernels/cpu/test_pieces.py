"""Functions that only compiled functions call: part of the code of these, and nothing that Python could run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.compiler import Flags

from antidiag.kernels.cpu.jit import called, compiled, inlined
from antidiag.kernels.cpu.pieces import Piece


@pytest.mark.parametrize("inside", [called, inlined])
def test_what_compiled_functions_call_is_part_of_them_and_python_is_refused(
    inside: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))  # nothing is compiled yet

    @inside
    def double(number):
        return 2 * number

    @inside
    def four_times(number):
        return double(double(number))

    @compiled
    def more(number):
        return four_times(number) + 1

    assert (more(3), more(0.5)) == (13, 3.0)
    for piece in (double, four_times):
        assert [type(made.library) for made in piece.overloads.values()] == [Piece, Piece]
        with pytest.raises(TypeError, match=f"{piece.__name__} is called by compiled functions alone"):
            piece(3)
    assert not any(isinstance(made.library, Piece) for made in more.overloads.values())


def test_a_slice_of_another_shape_is_refused_without_pythons_strings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))  # nothing is compiled yet

    @compiled
    def begin(target, source):
        target[:3] = source

    numbers = np.zeros(5)
    begin(numbers, np.arange(1.0, 4.0))
    assert numbers.tolist() == [1, 2, 3, 0, 0]
    with pytest.raises(ValueError, match="cannot assign an array to a slice of another shape"):
        begin(numbers, np.ones(4))
    [code] = begin.inspect_llvm().values()
    assert "unicode" not in code


def test_options_of_the_compiler_are_what_numba_says_they_are() -> None:
    flags = Flags()
    flags.nrt, flags.inline = True, "always"
    assert flags.values() == {name: getattr(flags, name) for name in Flags.options}
    assert flags == Flags(flags)
    assert flags != Flags()
