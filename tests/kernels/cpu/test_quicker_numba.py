"""What makes Numba quicker leaves all else as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from numba import extending

from kernels.cpu import quicker_numba
from kernels.cpu.jit import compiled

SEEN: list[int] = []


def watch() -> None:
    """Compiled code that calls it has the number of objects between two collections noted while it is compiled."""


@extending.overload(watch)
def _watched():
    SEEN.append(gc.get_threshold()[0])
    return lambda: None


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    SEEN.clear()
    before, enabled = gc.get_threshold(), gc.isenabled()
    yield
    gc.set_threshold(*before)
    (gc.enable if enabled else gc.disable)()


def compile_anew() -> None:
    """Compile a function that is in no cache, because its closure is new."""
    number = len(SEEN)

    def watched():
        watch()
        return number

    function = compiled(watched)
    function._cache.flush()
    function()


def test_garbage_is_collected_more_seldom_while_numba_compiles():
    gc.enable()
    gc.set_threshold(500, 7, 9)
    compile_anew()
    assert set(SEEN) == {quicker_numba.SELDOM}
    assert gc.get_threshold() == (500, 7, 9)


@pytest.mark.parametrize(("enabled", "threshold"), [(False, 500), (True, 0), (True, 2 * quicker_numba.SELDOM)])
def test_who_collects_otherwise_is_left_alone(enabled, threshold):
    (gc.enable if enabled else gc.disable)()
    gc.set_threshold(threshold)
    with quicker_numba.collecting_less():
        assert gc.get_threshold()[0] == threshold
    assert gc.get_threshold()[0] == threshold


def test_collecting_goes_on_as_before_after_an_error():
    gc.set_threshold(500)
    with pytest.raises(ValueError, match="of a compiler"), quicker_numba.collecting_less():
        raise ValueError("of a compiler")
    assert gc.get_threshold()[0] == 500
