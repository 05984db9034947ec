"""Sweeps as plain data beside their points: what they are called, and the sweep that such data describe."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments.axes import Axis
from antidiag.kernels.experiments.digest import digest
from antidiag.kernels.experiments.inputs import Generated, Inputs, Loaded
from antidiag.kernels.experiments.points import Point, from_json
from antidiag.kernels.experiments.results import SEARCH, Kept
from antidiag.kernels.experiments.sweep import Sweep, Task, contender
from antidiag.kernels.model import SequenceType
from antidiag.kernels.typed_fields import made

MOST_NAMES = 2
"""Methods that a title names."""


def data(sweep: Sweep) -> dict[str, Any]:
    """The sweep as plain data for JSON, to be kept beside its points; of loaded data their names and digests."""
    return {
        "title": sweep.title or title_of(sweep),
        "contenders": list(sweep.contenders),
        "input": _input_text(sweep),
        "inputs": _inputs_data(sweep.inputs),
        "axes": [asdict(axis) for axis in sweep.axes],
        "options": dict(sweep.options),
        "parameters": dict(sweep.parameters),
        "backends": list(sweep.backends),
        "devices": list(sweep.devices),
        "repeats": sweep.repeats,
        "warm_up": sweep.warm_up,
    }


def of_search(task: Task) -> dict[str, Any]:
    """The same of a search around a task."""
    return {**data(_around(task)), SEARCH: True}


def search_title(task: Task) -> str:
    """What a search around a task is called."""
    return _around(task).title


def search_id(task: Task) -> str:
    """A stable name of the searches around a task."""
    return f"tune-{_around(task).id}"


def sweep_of(record: Mapping[str, Any], there: Sequence[Any] = ()) -> Sweep:
    """The sweep that `data` made a record of; loaded data are looked for among those that are ``there``.

    InputError says why there is none: the record does not tell, or the data are not there; ParameterError where a
    method or an option is not known any more.
    """
    if "inputs" not in record:
        raise InputError("an earlier version measured it, and did not note its input")
    try:
        values = {
            "contenders": tuple(record["contenders"]),
            "inputs": _inputs_of(record["inputs"], there),
            "axes": tuple(map(_axis, record["axes"])),
            "options": record["options"],
            "parameters": record["parameters"],
            "backends": tuple(record["backends"]),
            "devices": tuple(record["devices"]),
            "repeats": record["repeats"],
            "warm_up": record["warm_up"],
            "title": record["title"],
        }
        return made(Sweep, values)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise InputError("its record cannot be read") from None


def title_of(sweep: Sweep) -> str:
    """What a sweep is called: its methods, its axes and its input."""
    return _title(map(_name, sweep.contenders), [axis.name for axis in sweep.axes], _input_text(sweep))


def title(kept: Kept) -> str:
    """The same of a file: what it says of the sweep, or where it says nothing, what its points have in common."""
    record, points = kept.sweep, kept.points
    if "contenders" not in record:
        inputs = dict.fromkeys(f"{point.title}, {point.size}".strip(", ") for point in points if point.title)
        return _title((point.name for point in points), _moving(points), _several(inputs, 1))
    about = str(record.get("input", ""))
    axes = [axis["name"] for axis in record.get("axes", ())]
    given = str(record.get("title") or _title(map(_name, record["contenders"]), axes))
    return f"{given}: {about}" if about and about not in given else given


def _title(names: Iterable[str], axes: Sequence[str], about: str = "") -> str:
    """'StripedScore, parasail and 3 more over s x length: mutated DNA, seed 1'."""
    found = _several(dict.fromkeys(names), MOST_NAMES) + (f" over {' x '.join(axes)}" if axes else "")
    return f"{found}: {about}" if about else found


def _several(texts: Collection[str], most: int) -> str:
    first = ", ".join(list(texts)[:most])
    return f"{first} and {len(texts) - most} more" if len(texts) > most else first


def _name(contender_id: str) -> str:
    """The name of a method or a peer; of one that is not known any more, its identifier."""
    try:
        return contender(contender_id).name
    except ParameterError:
        return contender_id


def _moving(points: Sequence[Point]) -> list[str]:
    """Coordinates that differ between points, but for who computes them."""
    names = dict.fromkeys(name for point in points for name in point.coordinates if name not in ("method", "backend"))
    return [name for name in names if len({repr(point.coordinates.get(name)) for point in points}) > 1]


def _input_text(sweep: Sweep) -> str:
    """The input for people, but for what varies."""
    return sweep.inputs.text(sweep.problem_type(), {axis.name for axis in sweep.axes})


def _around(task: Task) -> Sweep:
    """What a search keeps the same, as a sweep of one point."""
    name = f"Tune {_name(task.contender)}"
    found = Sweep((task.contender,), task.inputs, (), task.options, task.parameters, (task.backend,), (task.device,))
    return replace(found, title=f"{name}: {about}" if (about := _input_text(found)) else name)


def _inputs_data(inputs: Inputs) -> dict[str, Any]:
    if isinstance(inputs, Generated):
        return {"generated": asdict(replace(inputs, given=())), "given": _known(inputs.given)}
    return {"loaded": _known(inputs.data), "length": inputs.length, "count": inputs.count}


def _known(data: Iterable[Any]) -> list[dict[str, str]]:
    """By what data are found again."""
    return [{"name": str(getattr(datum, "name", "")), "digest": digest(datum)} for datum in data]


def _axis(known: Mapping[str, Any]) -> Axis:
    if not isinstance(known["values"], list):
        raise TypeError("the values of an axis are no list")
    return made(Axis, {**known, "values": tuple(map(from_json, known["values"]))})


def _inputs_of(known: Mapping[str, Any], there: Sequence[Any]) -> Inputs:
    if "generated" in known:
        values, given = known["generated"], tuple(_found(one, there) for one in known.get("given", ()))
        values = {**values, "type": SequenceType(values["type"]), "length": from_json(values["length"]), "given": given}
        return made(Generated, values)
    found = tuple(_found(one, there) for one in known["loaded"])
    return made(Loaded, {"data": found, "length": from_json(known["length"]), "count": known["count"]})


def _found(known: Mapping[str, Any], there: Sequence[Any]) -> Any:
    """The datum of a record among those that are there; only those of its name are looked at."""
    for datum in there:
        if str(getattr(datum, "name", "")) == known["name"] and digest(datum) == known["digest"]:
            return datum
    raise InputError(f"{known['name']} is not open as it was measured")
