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
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.jit import called, compiled, system_function
from antidiag.kernels.errors import ParameterError

AVAILABLE = sys.platform != "win32"
"""Whether the system has such threads; where it has none, those of Python do the same."""
ROOM = 4096
"""Bytes that a thread's argument takes at most."""
_START, _END = "antidiag_thread_start", "antidiag_thread_end"
_POINTER, _I32, _I64 = ir.IntType(8).as_pointer(), ir.IntType(32), ir.IntType(64)

if AVAILABLE:
    system_function(_START, ctypes.CDLL(None).pthread_create)
    system_function(_END, ctypes.CDLL(None).pthread_join)


class Task(NamedTuple):
    """What threads do, and a compiled function that starts the first of them (see `task`)."""

    run: Callable[[Any], None]
    begin: Callable[[Any, Any, Any], int]


def task(run: Callable[[Any], None]) -> Task:
    """What threads are to do: ``run(given)``, compiled, of a tuple of arrays and numbers, raises and returns nothing.

    It is made once, beside ``run``. Were ``run`` an argument of compiled code, Numba would look for that code at every
    call, and as a value in it, it would keep the code from the disk.
    """
    start = _starting(run)

    @called
    def lead(everything):
        """What the first thread does."""
        given, handles, room = everything
        count = 1
        while count < handles.size and start(given, room, handles, count) == 0:
            count += 1
        run(given)
        for other in range(1, count):
            _end(handles, other)

    start_first = _starting(lead)

    @compiled
    def begin(given, handles, rooms):
        """Start the first thread, where there is to be one; 0, or the system's number of the error."""
        if handles.size == 0:
            return 0
        return start_first((given, handles, rooms[1]), rooms[0], handles, 0)

    return Task(run, begin)


@contextmanager
def beside(task: Task, given: tuple[Any, ...], threads: int, stop: np.ndarray) -> Iterator[None]:
    """While the block runs, so many threads run a task on what is given; it ends when all have returned. Where not all
    can be started, fewer do.

    The task returns soon after ``stop`` (see `workers.stop_word`) was set, as it is where the block raises.
    ParameterError where no thread can be started.
    """
    if not AVAILABLE:
        with workers.beside(lambda worker: task.run(given), threads, stop):
            yield
        return
    handles, rooms = np.zeros(threads, np.int64), np.zeros((2, ROOM), np.uint8)
    if error := task.begin(given, handles, rooms):
        raise ParameterError(f"this system does not start a thread (error {error}); end other programs")
    try:
        yield
    except BaseException:
        stop[0] = 1
        raise
    finally:
        _end_first(handles)


def prepare(task: Task, given: tuple[Any, ...]) -> None:
    """Have compiled what `beside` runs on arguments of these types; the task does not begin."""
    if AVAILABLE:
        task.begin(given, np.zeros(0, np.int64), np.zeros((2, ROOM), np.uint8))
        _end_first(np.zeros(0, np.int64))
    else:
        task.run.compile((numba.typeof(given),))  # type: ignore[attr-defined]


@compiled
def _end_first(handles):
    """Wait until the first thread has ended, and so all have."""
    if handles.size:
        _end(handles, 0)


def _starting(function: Any) -> Any:
    """For compiled code: ``start(given, room, handles, at)`` starts ``function(given)`` on a thread, puts its handle at
    ``handles[at]``, and returns 0, or the system's number of the error.

    ``given``, a tuple, lies in ``room`` while the thread is there. References to its arrays are not counted there: who
    called `beside` has them.
    """

    @intrinsic
    def start(typing, given, room, handles, at):
        call = types.Dispatcher(function).get_call_type(typing, (given,), {})
        if call.return_type != types.none:
            raise TypingError("what a thread runs returns nothing")

        def generate(context, builder, signature, arguments):
            value, room, handles, at = arguments
            kind, room_type, handles_type, _ = signature.args
            value = _borrowed(context, builder, kind, value)
            if context.get_abi_sizeof(value.type) > ROOM:
                raise TypingError(f"what a thread is given takes more than {ROOM} bytes")
            place = _data(context, builder, room_type, room)
            builder.store(value, builder.bitcast(place, value.type.as_pointer()))
            handle = builder.gep(_data(context, builder, handles_type, handles), [at])
            entry = _entry(context, builder, function.overloads[tuple(call.args)], kind, value.type)
            kind_of_start = ir.FunctionType(_I32, [_I64.as_pointer(), _POINTER, entry.type, _POINTER])
            create = cgutils.get_or_insert_function(builder.module, kind_of_start, _START)
            place = builder.bitcast(place, _POINTER)
            return builder.sext(builder.call(create, [handle, _POINTER(None), entry, place]), _I64)

        return types.int64(given, room, handles, types.intp), generate

    return start


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
