"""JSON records and titles of sweeps and parameter searches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments.point_data.digest import digest_value
from antidiag.kernels.experiments.point_data.point_store import SEARCH_KEY, StoredPoints
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, coordinate_from_json
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, Sweep, find_contender
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Loaded, SweepInputs
from antidiag.kernels.model import SequenceType
from antidiag.kernels.typed_fields import make_checked

MOST_NAMES = 2
"""Largest number of methods that a title names."""


def sweep_to_json(sweep: Sweep) -> dict[str, Any]:
    """Return a sweep as JSON data, with names and digests instead of loaded data."""
    return {
        "title": sweep.title or make_sweep_title(sweep),
        "contenders": list(sweep.contenders),
        "input": _input_text(sweep),
        "inputs": _inputs_to_json(sweep.inputs),
        "axes": [asdict(axis) for axis in sweep.axes],
        "options": dict(sweep.options),
        "parameters": dict(sweep.parameters),
        "backends": list(sweep.backends),
        "devices": list(sweep.devices),
        "repeats": sweep.repeats,
        "warm_up": sweep.warm_up,
    }


def search_to_json(task: MeasurementTask) -> dict[str, Any]:
    """Return a parameter search around a task as JSON data."""
    return {**sweep_to_json(_search_sweep(task)), SEARCH_KEY: True}


def search_title(task: MeasurementTask) -> str:
    """Return the title of a parameter search around a task."""
    return _search_sweep(task).title


def search_id(task: MeasurementTask) -> str:
    """Return the stable identifier of parameter searches around a task."""
    return f"tune-{_search_sweep(task).id}"


def sweep_from_json(record: Mapping[str, Any], open_data: Sequence[Any] = ()) -> Sweep:
    """Return the sweep of a JSON record; loaded data are searched among the open data ``there``.

    Raises InputError if the record is incomplete or the data are not open, ParameterError if a method or an option is
    unknown.
    """
    if "inputs" not in record:
        raise InputError("an earlier version measured it without storing its input")
    try:
        values = {
            "contenders": tuple(record["contenders"]),
            "inputs": _inputs_from_json(record["inputs"], open_data),
            "axes": tuple(map(_axis_from_json, record["axes"])),
            "options": record["options"],
            "parameters": record["parameters"],
            "backends": tuple(record["backends"]),
            "devices": tuple(record["devices"]),
            "repeats": record["repeats"],
            "warm_up": record["warm_up"],
            "title": record["title"],
        }
        return make_checked(Sweep, values)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise InputError("its record cannot be read") from None


def make_sweep_title(sweep: Sweep) -> str:
    """Return the title of a sweep: its methods, axes and input."""
    return _join_title(map(_contender_name, sweep.contenders), [axis.name for axis in sweep.axes], _input_text(sweep))


def stored_title(kept: StoredPoints) -> str:
    """Return the title of stored points: from the record of the sweep, else from what the points have in common."""
    record, points = kept.sweep, kept.points
    if "contenders" not in record:
        inputs = dict.fromkeys(f"{point.title}, {point.size}".strip(", ") for point in points if point.title)
        return _join_title((point.name for point in points), _varying_coordinates(points), _list_some(inputs, 1))
    about = str(record.get("input", ""))
    axes = [axis["name"] for axis in record.get("axes", ())]
    given = str(record.get("title") or _join_title(map(_contender_name, record["contenders"]), axes))
    return f"{given}: {about}" if about and about not in given else given


def _join_title(names: Iterable[str], axes: Sequence[str], about: str = "") -> str:
    """Return a title such as 'StripedScore, parasail and 3 more over s x length: mutated DNA, seed 1'."""
    found = _list_some(dict.fromkeys(names), MOST_NAMES) + (f" over {' x '.join(axes)}" if axes else "")
    return f"{found}: {about}" if about else found


def _list_some(texts: Collection[str], most: int) -> str:
    first = ", ".join(list(texts)[:most])
    return f"{first} and {len(texts) - most} more" if len(texts) > most else first


def _contender_name(contender_id: str) -> str:
    """Return the name of a method or peer; the identifier if it is unknown."""
    try:
        return find_contender(contender_id).name
    except ParameterError:
        return contender_id


def _varying_coordinates(points: Sequence[MeasuredPoint]) -> list[str]:
    """Return the names of coordinates that differ between points, apart from method and backend."""
    names = dict.fromkeys(name for point in points for name in point.coordinates if name not in ("method", "backend"))
    return [name for name in names if len({repr(point.coordinates.get(name)) for point in points}) > 1]


def _input_text(sweep: Sweep) -> str:
    """Return the input in words, without the quantities that are axes."""
    return sweep.inputs.describe_data(sweep.find_problem_type(), {axis.name for axis in sweep.axes})


def _search_sweep(task: MeasurementTask) -> Sweep:
    """Return the fixed settings of a parameter search as a sweep with one point."""
    name = f"Tune {_contender_name(task.contender)}"
    found = Sweep((task.contender,), task.inputs, (), task.options, task.parameters, (task.backend,), (task.device,))
    return replace(found, title=f"{name}: {about}" if (about := _input_text(found)) else name)


def _inputs_to_json(inputs: SweepInputs) -> dict[str, Any]:
    if isinstance(inputs, Generated):
        return {"generated": asdict(replace(inputs, given=())), "given": _identify_data(inputs.given)}
    return {"loaded": _identify_data(inputs.data), "length": inputs.length, "count": inputs.count}


def _identify_data(data: Iterable[Any]) -> list[dict[str, str]]:
    """Return names and digests, by which data are found again."""
    return [{"name": str(getattr(datum, "name", "")), "digest": digest_value(datum)} for datum in data]


def _axis_from_json(known: Mapping[str, Any]) -> SweepAxis:
    if not isinstance(known["values"], list):
        raise TypeError("the values of an axis are no list")
    return make_checked(SweepAxis, {**known, "values": tuple(map(coordinate_from_json, known["values"]))})


def _inputs_from_json(known: Mapping[str, Any], there: Sequence[Any]) -> SweepInputs:
    if "generated" in known:
        values, given = known["generated"], tuple(_find_datum(one, there) for one in known.get("given", ()))
        values = {
            **values,
            "type": SequenceType(values["type"]),
            "length": coordinate_from_json(values["length"]),
            "given": given,
        }
        return make_checked(Generated, values)
    found = tuple(_find_datum(one, there) for one in known["loaded"])
    return make_checked(
        Loaded, {"data": found, "length": coordinate_from_json(known["length"]), "count": known["count"]}
    )


def _find_datum(known: Mapping[str, Any], there: Sequence[Any]) -> Any:
    """Return the open datum with the name and digest of a record; raise InputError if there is none."""
    for datum in there:
        if str(getattr(datum, "name", "")) == known["name"] and digest_value(datum) == known["digest"]:
            return datum
    raise InputError(f"{known['name']} is not open, or it was changed since the measurement")
