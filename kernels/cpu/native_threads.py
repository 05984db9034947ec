"""Threads of the system that run compiled code and never take Python's lock, for what lasts some milliseconds.

A thread of Python takes the lock before its first compiled call and after its last one: a dozen begin one by one, some
50 microseconds apart, end in the same way, and hold up the thread that queues work for a device. Here Python starts one
thread by a compiled call; that one starts the others, works as they do, and waits until they have ended.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from kernels.cpu import workers
from kernels.cpu.jit import called, compiled, system_function
from kernels.errors import ParameterError

AVAILABLE = sys.platform != "win32"
"""Whether the system has such threads; where it has none, those of Python do the same."""
ROOM = 4096
"""Bytes that a thread's argument takes at most."""
_START, _END = "antidiag_thread_start", "antidiag_thread_end"
_POINTER, _I32, _I64 = ir.IntType(8).as_pointer(), ir.IntType(32), ir.IntType(64)

if AVAILABLE:
    system_function(_START, ctypes.CDLL(None).pthread_create)
    system_function(_END, ctypes.CDLL(None).pthread_join)


@contextmanager
def beside(work: Callable[[Any], None], given: tuple[Any, ...], threads: int, stop: np.ndarray) -> Iterator[None]:
    """While the block runs, so many threads run ``work(given)``, a compiled function of arrays and numbers; it ends
    when all have returned. Where not all can be started, fewer do.

    ``work`` raises nothing, and returns soon after ``stop`` (see `workers.stop_word`) was set, as it is where the block
    raises. ParameterError where no thread can be started.
    """
    if not AVAILABLE:
        with workers.beside(lambda worker: work(given), threads, stop):
            yield
        return
    handles, rooms = np.zeros(threads, np.int64), np.zeros((2, ROOM), np.uint8)
    if error := _beginner(work)(given, handles, rooms):
        raise ParameterError(f"this system does not start a thread (error {error}); end other programs")
    try:
        yield
    except BaseException:
        stop[0] = 1
        raise
    finally:
        _end_first(handles)


def prepare(work: Callable[[Any], None], given: tuple[Any, ...]) -> None:
    """Have compiled what `beside` runs on arguments of these types; ``work`` does not begin."""
    if AVAILABLE:
        _beginner(work)(given, np.zeros(0, np.int64), np.zeros((2, ROOM), np.uint8))
        _end_first(np.zeros(0, np.int64))
    else:
        work.compile((numba.typeof(given),))  # type: ignore[attr-defined]


@cache
def _beginner(work: Callable[[Any], None]) -> Callable[..., int]:
    """``begin(given, handles, rooms)``, compiled: starts the first thread, where there is to be one; 0, or the system's
    number of the error.

    Made for one function, because compiled code that is kept does not know functions among its arguments again.
    """

    @called
    def lead(everything):
        given, handles, room = everything
        count = 1
        while count < handles.size and _start(work, given, room, handles, count) == 0:
            count += 1
        work(given)
        for other in range(1, count):
            _end(handles, other)

    @compiled
    def begin(given, handles, rooms):
        if handles.size == 0:
            return 0
        return _start(lead, (given, handles, rooms[1]), rooms[0], handles, 0)

    return begin


@compiled
def _end_first(handles):
    """Wait until the first thread has ended, and so all have."""
    if handles.size:
        _end(handles, 0)


@intrinsic
def _start(typing, function, given, room, handles, at):
    """Start ``function(given)`` on a thread whose handle becomes ``handles[at]``; 0, or the system's number of the
    error.

    ``given``, a tuple, lies in ``room`` while the thread is there. References to its arrays are not counted there: who
    called `beside` has them.
    """
    call = function.get_call_type(typing, (given,), {})
    if call.return_type != types.none:
        raise TypingError("what a thread runs returns nothing")

    def generate(context, builder, signature, arguments):
        _, value, room, handles, at = arguments
        _, kind, room_type, handles_type, _ = signature.args
        value = _borrowed(context, builder, kind, value)
        if context.get_abi_sizeof(value.type) > ROOM:
            raise TypingError(f"what a thread is given takes more than {ROOM} bytes")
        place = _data(context, builder, room_type, room)
        builder.store(value, builder.bitcast(place, value.type.as_pointer()))
        handle = builder.gep(_data(context, builder, handles_type, handles), [at])
        entry = _entry(context, builder, function.dispatcher.overloads[tuple(call.args)], kind, value.type)
        start = ir.FunctionType(_I32, [_I64.as_pointer(), _POINTER, entry.type, _POINTER])
        create = cgutils.get_or_insert_function(builder.module, start, _START)
        place = builder.bitcast(place, _POINTER)
        return builder.sext(builder.call(create, [handle, _POINTER(None), entry, place]), _I64)

    return types.int64(function, given, room, handles, types.intp), generate


def _entry(context: Any, builder: Any, made: Any, kind: Any, stored: Any) -> Any:
    """A function of C that calls a compiled one with what lies where it is told."""
    name = f"antidiag_thread_of_{made.fndesc.mangled_name}"
    entry = ir.Function(builder.module, ir.FunctionType(_POINTER, [_POINTER]), builder.module.get_unique_name(name))
    entry.linkage = "internal"
    inside = ir.IRBuilder(entry.append_basic_block())
    value = inside.load(inside.bitcast(entry.args[0], stored.as_pointer()))
    context.add_linking_libs((made.library,))
    callee = context.declare_function(builder.module, made.fndesc)
    context.call_conv.call_function(inside, callee, types.none, (kind,), [value])
    inside.ret(_POINTER(None))
    return entry


def _borrowed(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A value whose arrays are not counted as references."""
    if isinstance(kind, types.BaseTuple):
        for index, inner in enumerate(kind):
            member = _borrowed(context, builder, inner, builder.extract_value(value, index))
            value = builder.insert_value(value, member, index)
        return value
    if not isinstance(kind, types.Array):
        return value
    array = context.make_array(kind)(context, builder, value)
    array.meminfo, array.parent = (cgutils.get_null_value(one.type) for one in (array.meminfo, array.parent))
    return array._getvalue()


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return context.make_array(kind)(context, builder, array).data


@intrinsic
def _end(typing, handles, at):
    """Wait until a thread has ended."""

    def generate(context, builder, signature, arguments):
        handles, at = arguments
        place = builder.gep(_data(context, builder, signature.args[0], handles), [at])
        kind = ir.FunctionType(_I32, [_I64, _POINTER])
        join = cgutils.get_or_insert_function(builder.module, kind, _END)
        builder.call(join, [builder.load(place), _POINTER(None)])
        return context.get_dummy_value()

    return types.void(handles, types.intp), generate
