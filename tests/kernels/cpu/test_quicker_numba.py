"""What makes Numba quicker leaves all else as it was."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numba import extending, types
from numba.core import compiler, event, ir
from numba.core.compiler import Flags
from numba.core.datamodel import default_manager
from numba.core.registry import cpu_target
from numba.core.runtime import _nrt_python, rtsys
from numba.core.targetconfig import ConfigStack
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate

from antidiag.kernels.cpu import quicker_numba
from antidiag.kernels.cpu.jit import compiled

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


def compile_anew(call: Callable[[], None] = watch) -> None:
    """Compile a function that is in no cache, because its closure is new, and that of another process another."""
    number = os.getpid()

    def watched():
        call()
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


def test_options_are_equal_where_all_of_them_are():
    nothing, told = Flags(), Flags()
    told.nrt = Flags.options["nrt"].default  # what it is anyway
    other = Flags(told)
    other.nrt = not told.nrt
    assert nothing == told and hash(nothing) == hash(told) == hash(Flags(other))
    assert other != told and other != nothing and other == Flags(other)
    assert nothing != "options"


def every_kind_of_statement(numbers, *more, start=0):
    total = {"a": [start], "b": (1, 2.5)}["a"][0]
    for place, number in enumerate(numbers):
        if not number or more:
            numbers[place] = total if number in more else -number
        numbers[1:] += abs(number)
        yield total, [number + 1 for number in numbers]
    del numbers[0]
    raise ValueError(total)


def variables(part: Any) -> list[ir.Var]:
    """As the compiler of Numba finds them."""
    if isinstance(part, ir.Var):
        return [part]
    if isinstance(part, ir.Inst):
        return variables(part._kws if isinstance(part, ir.Expr) else part.__dict__)
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else ()
    return [variable for one in inner for variable in variables(one)]


def test_the_variables_of_statements_are_all_found_in_their_order():
    blocks = compiler.run_frontend(every_kind_of_statement).blocks.values()
    statements = [statement for block in blocks for statement in block.body]
    assert {ir.Assign, ir.SetItem, ir.Branch, ir.DelItem, ir.Jump} <= set(map(type, statements))
    for statement in statements:
        parts = [statement, statement.value] if isinstance(getattr(statement, "value", None), ir.Expr) else [statement]
        for part in parts:
            assert part.list_vars() == variables(part)


def test_what_is_counted_is_found_wherever_it_is():
    pair, array = types.UniTuple(types.int64, 2), types.float64[::1]
    counted = {kind: quicker_numba._holds_counted(default_manager[kind]) for kind in (types.int64, pair, array)}
    assert counted == {types.int64: False, pair: False, array: True}
    inside = types.Tuple((types.int64, types.Tuple((pair, types.Optional(array)))))
    assert quicker_numba._holds_counted(default_manager[inside])
    assert quicker_numba._holds_counted(default_manager[types.List(types.int64)])


@pytest.fixture
def allocated() -> Iterator[Any]:
    """What tells how much memory compiled code has taken and given back."""
    _nrt_python.memsys_enable_stats()
    yield rtsys
    _nrt_python.memsys_disable_stats()


def test_memory_is_given_back_from_wherever_it_is(allocated):
    @compiled
    def nested(size):
        kept = [((np.zeros(size), 1), np.ones(size)) for _ in range(3)]
        (first, _), last = kept[-1]
        return (first + last, size), kept.pop()

    before = allocated.get_allocation_stats()
    (total, size), rest = nested(4)
    assert (total.tolist(), size, rest[1].tolist()) == ([1.0] * 4, 4, [1.0] * 4)
    del total, rest
    after = allocated.get_allocation_stats()
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free > 0


def test_what_is_registered_later_is_found_and_nothing_is_looked_through_twice(monkeypatch):
    context, looks = cpu_target.target_context, []
    context.refresh()
    load = type(context).load_additional_registries
    monkeypatch.setattr(type(context), "load_additional_registries", lambda own: (looks.append(own), load(own)))
    context.refresh()
    assert not looks

    def later() -> None:
        """Nobody knows it yet."""

    @extending.overload(later)
    def _later():
        SEEN.append(0)
        return lambda: None

    compile_anew(later)
    assert looks and SEEN == [0]


class Doubled(AbstractTemplate):
    """The type of a function, which notes how often it is asked for."""

    key = "doubled"
    asked: list[Any] = []

    def generic(self, args, kws):
        self.asked.append(args)
        return signature(types.UniTuple(args[0], 2), *args)


def test_the_type_of_a_call_is_asked_for_once():
    def typed(kind, **options):
        flags = Flags()
        for name, value in options.items():
            setattr(flags, name, value)
        with ConfigStack().enter(flags):
            return function.get_call_type(cpu_target.typing_context, (kind,), {})

    function = types.Function(Doubled)
    Doubled.asked.clear()
    for _ in range(3):
        assert typed(types.int64).return_type == types.UniTuple(types.int64, 2)
        assert typed(types.float32).return_type == types.UniTuple(types.float32, 2)
    assert Doubled.asked == [(types.int64,), (types.float32,)]
    typed(types.int64, forceinline=True)  # which may lead to other code
    assert Doubled.asked[2:] == [(types.int64,)]
    assert function.get_impl_key(typed(types.int64)) == Doubled.key


def test_who_listens_hears_what_the_compiler_does():
    waited = []
    with event.install_recorder("numba:compile") as functions, event.install_recorder("numba:llvm_lock") as locks:
        compile_anew()
    assert {"watched"} <= {told.data["dispatcher"].__name__ for _, told in functions.buffer}
    assert sum(told.is_start for _, told in locks.buffer) == sum(told.is_end for _, told in locks.buffer) > 0
    with event.install_timer("numba:run_pass", waited.append):
        compile_anew()
    assert waited[0] > 0


def test_what_nobody_hears_is_not_told(monkeypatch):
    told = []
    monkeypatch.setattr(event, "broadcast", told.append)
    compile_anew()
    assert not told
