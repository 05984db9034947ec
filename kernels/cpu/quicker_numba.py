"""Places of Numba where it takes far longer to compile than the code needs."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from weakref import WeakKeyDictionary

from numba.core import event, ir
from numba.core.base import BaseContext
from numba.core.runtime.context import NRTContext
from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import BaseContext as BaseTypingContext
from numba.extending import overload
from numba.np import arrayobj

from antidiag.kernels.courtesy import give_way

SELDOM = 200_000
"""Objects that are made between two collections while Numba compiles; Python has some hundreds."""


def install() -> None:
    """Numba compiles so from now on; what it compiles computes the same."""
    arrayobj.raise_with_shape_context = _raise_shapes
    TargetConfig.__hash__, TargetConfig.__eq__, TargetConfig.values = _hash, _are_equal, _values
    ir.Inst._rec_list_vars = _variables
    NRTContext.get_meminfos = _counted
    event.start_event, event.end_event = _unheard(event.start_event), _unheard(event.end_event)
    event.install_timer = _untimed(event.install_timer)
    BaseFunction.get_call_type = _remembering(BaseFunction.get_call_type)  # type: ignore[method-assign]
    for context in (BaseContext, BaseTypingContext):
        context.refresh = _when_there_is_more(context.refresh)


def _raise_shapes(source_shape, target_shape):
    """What compiled code calls where a slice is assigned from an array of another shape."""


@overload(_raise_shapes)
def _raise_without_shapes(source_shape, target_shape):
    """Numba's own writes the shapes down: every function with such a slice had the code of Python's strings in it,
    which took seconds of a program's first compilation, and as long as the rest of many a function."""

    def refuse(source_shape, target_shape):
        raise ValueError("cannot assign an array to a slice of another shape")

    return refuse


def _hash(config: TargetConfig) -> int:
    """Of the options of a compilation, which are part of the key of each overload that is looked up, hundreds a
    function: as Numba's, of their names, without sorting these anew. As it is asked for all the time, this is where a
    compilation gives way to a window."""
    give_way()
    kind = type(config)
    if kind not in _HASHES:
        _HASHES[kind] = hash(tuple(sorted(kind.options)))
    return _HASHES[kind]


_HASHES: dict[Any, int] = {}


def _are_equal(config: TargetConfig, other: Any) -> Any:
    """As Numba's, which compares all options; of most it is not said what they are."""
    if type(config) is not type(other):
        return config.values() == other.values() if isinstance(other, TargetConfig) else NotImplemented
    own, others = config._values, other._values
    if own == others:
        return True
    options = config.options
    return all(own.get(n, options[n].default) == others.get(n, options[n].default) for n in own.keys() | others.keys())


def _values(config: TargetConfig) -> dict[str, Any]:
    """As Numba's, which asks for each option by its name in the class."""
    values = config._values
    return {name: values.get(name, option.default) for name, option in config.options.items()}


def _variables(instruction: ir.Inst, part: Any) -> list[ir.Var]:
    """The variables in a part of an instruction. Numba's own asks all that there is, places in the source among it, for
    its classes one after another, for each of several passes."""
    if isinstance(part, dict):
        part = part.values()
    elif not isinstance(part, list | tuple):
        return _variables_of_one(part)
    found: list[ir.Var] = []
    for inner in part:
        kind = type(inner)
        if kind is ir.Var:
            found.append(inner)
        elif kind not in _HOLD_NONE:
            found += instruction._rec_list_vars(inner)
    return found


_PLAIN = (str, int, bool, type(None), type(ir.UNDEFINED), type(len))
_HOLD_NONE = frozenset((ir.Loc, ir.Const, ir.Global, ir.FreeVar, ir.Arg, *_PLAIN))
"""Kinds of most of what instructions are made of besides variables."""


def _variables_of_one(part: Any) -> list[ir.Var]:
    if isinstance(part, ir.Var):
        return [part]
    return part.list_vars() if isinstance(part, ir.Inst) else []


def _counted(runtime: NRTContext, builder: Any, kind: Any, value: Any) -> list[tuple[Any, Any]]:
    """What is counted in a value: for an array its memory. Numba's own takes all else out of the value as well, ten
    instructions for an array, at each place where its references are counted, to find nothing in it."""
    model = runtime._context.data_model_manager[kind]
    found = [(kind, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
    for inner, get in model.traverse(builder):
        if _holds_counted(runtime._context.data_model_manager[inner]):
            found += runtime.get_meminfos(builder, inner, get(value))
    return found


def _holds_counted(model: Any) -> bool:
    """Whether there is anything to be counted in values of a type; found once for each."""
    try:
        return model._antidiag_counted
    except AttributeError:
        model._antidiag_counted = model.contains_nrt_meminfo()
        return model._antidiag_counted


def _when_there_is_more(refresh: Callable[[Any], None]) -> Callable[[Any], None]:
    """Looking for what was registered since the last look, which a compilation does for every function and operator it
    does not know at once: only where the registries have become longer."""

    def look(context: Any) -> None:
        if getattr(context, "_antidiag_registered", None) != _registered(context):
            refresh(context)
            context._antidiag_registered = _registered(context)

    return look


def _registered(context: Any) -> int:
    """How many things are in all registries that a context looks into."""
    loaders = context._registries.items()
    own = sum(len(getattr(registry, name)) for registry, loader in loaders for name in loader.registry_items)
    return own + (_registered(context.typing_context) if hasattr(context, "typing_context") else 0)


def _unheard(tell: Callable[..., None]) -> Callable[..., None]:
    """What happens is told only where somebody listens; each call of LLVM is something that happens."""

    def tell_listeners(kind: str, *arguments: Any, **named: Any) -> None:
        if event._registered.get(kind):
            tell(kind, *arguments, **named)

    return tell_listeners


def _untimed(install_timer: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    """Nobody asks how long the locks of the compiler and of LLVM were held while a function was compiled."""

    def install(kind: str, callback: Any) -> Any:
        return nullcontext() if kind in ("numba:compiler_lock", "numba:llvm_lock") else install_timer(kind, callback)

    return install


_CALLS: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()
"""Calls whose types are known, by what is called."""


def _remembering(get_call_type: Callable[..., Any]) -> Callable[..., Any]:
    """The type of a call of a function of Numba, as + is one, is found once. Numba tries all definitions one after
    another, those of Python's strings and sets among them, at every place where numbers are added."""

    def look_up(function: Any, context: Any, args: Any, kws: Any) -> Any:
        known = _CALLS.setdefault(function, {})
        key = context, tuple(args), tuple(kws.items()), ConfigStack.top_or_none()
        if key not in known:
            found = get_call_type(function, context, args, kws)
            known[key] = found, function._impl_keys[found.args]
        found, implementation = known[key]
        function._impl_keys[found.args] = implementation
        return found

    return look_up


@contextmanager
def collecting_less() -> Iterator[None]:
    """Garbage is collected more seldom while Numba compiles: it makes so many objects, and keeps so many of them, that
    to look for those that refer to each other took a twentieth of its time, and a sixth in a program that holds much.

    Under Numba's lock of its compiler, so that what was set before is set again. Whoever has switched Python's own
    collecting off, as the window has, goes by these numbers himself: they stay."""
    before = gc.get_threshold()
    if gc.isenabled() and 0 < before[0] < SELDOM:
        gc.set_threshold(SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
