"""The tasks that measure a table of a paper here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.experiments.papers.paper_tables import PaperTable, PublishedNumber
from antidiag.kernels.experiments.papers.quantities import computing_quantity
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.sweeps import sweep_axes
from antidiag.kernels.experiments.sweeps.sweep import Contender, MeasurementTask, known_contenders
from antidiag.kernels.experiments.sweeps.sweep_inputs import Length
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import Parameter


def table_tasks(
    table: PaperTable, quick: bool = False, backend: BackendChoice = "auto", device: int = 0, repeats: int = 3
) -> tuple[MeasurementTask, ...]:
    """Return the tasks that measure a table: one for every run of a method or peer."""
    runs = [run for number in table.published for run in number.single_runs if known_contender(run.contender)]
    places = {run.run_place: run for run in [*runs, *(baseline_run(table, run) for run in runs if table.baseline)]}
    found = []
    for number in places.values():
        taking = known_contender(number.contender)
        if taking is not None:
            found.append(make_task(table, number, taking, quick, backend, device, repeats))
    return tuple(sorted(found, key=lambda task: str(task.coordinates.get("length", ""))))


def baseline_run(table: PaperTable, run: PublishedNumber) -> PublishedNumber:
    """Return the run that a speed-up is over; a serial program has no transfers."""
    sizes = {name: value for name, value in run.coordinates.items() if name in ("length", "count")}
    quantity = computing_quantity(run.quantity)
    return replace(run, contender=table.baseline, coordinates=sizes, quantity=quantity)


def make_task(
    table: PaperTable,
    number: PublishedNumber,
    taking: Contender,
    quick: bool,
    backend: BackendChoice = "auto",
    device: int = 0,
    repeats: int = 3,
) -> MeasurementTask:
    """Return the task that repeats a published run, with the nearest values that the method takes.

    A peer solves the problem of the methods beside it, and has no parameters.
    """
    method = _method_beside(table, taking)
    own = set() if isinstance(taking, Peer) else method.parameters.names()
    inputs, given = table.inputs, {name: value for name, value in table.parameters.items() if name in own}
    coordinates: dict[str, Any] = {"method": taking.id}
    options = dict(table.options)
    for name, words in number.coordinates.items():
        if not words:
            continue
        role, declared = sweep_axes.find_axis(name, [method])
        scale = table.scale if quick and name in (table.scaled, *table.along) else 1.0
        if name == "length":
            inputs = replace(inputs, length=_scale_lengths(words, scale))
            coordinates[name] = inputs.length
        else:
            coordinates[name] = _nearest_value(declared, words, scale)
            if role == "input":
                inputs = replace(inputs, **{name: coordinates[name]})
            else:
                (given if role == "parameter" else options)[name] = coordinates[name]
    return MeasurementTask(
        contender=taking.id,
        problem_type=method.problem_type.id,
        inputs=inputs,
        coordinates=coordinates,
        options=options,
        parameters=given,
        backend=backend,
        device=device,
        repeats=repeats,
    )


def _scale_lengths(words: str, scale: float) -> Length:
    lengths = tuple(max(1, round(int(part) * scale)) for part in words.split("x"))
    return lengths if len(lengths) > 1 else lengths[0]


def _nearest_value(parameter: Parameter, words: str, scale: float = 1.0) -> Any:
    """Return the valid value nearest to a published one, or to a part of it."""
    if parameter.kind not in ("int", "float"):
        return parameter.parse(words)
    number = float(words) * scale
    low = parameter.minimum if parameter.minimum is not None else number
    high = parameter.maximum if parameter.maximum is not None else number
    number = min(max(number, low), high)
    if parameter.kind == "float":
        return number
    start = int(parameter.minimum or 0)
    return int(start + round((number - start) / parameter.finest_step) * parameter.finest_step)


def known_contender(contender_id: str) -> Contender | None:
    """Return the method or peer with this identifier; None for a program that cannot be run here."""
    return next((one for one in known_contenders() if one.id == contender_id), None)


def _method_beside(table: PaperTable, taking: Contender) -> Method:
    """Return a method itself, or the first one in the table of a peer."""
    if isinstance(taking, Method):
        return taking
    return next(method for number in table.published for method in registry.METHODS if method.id == number.contender)
