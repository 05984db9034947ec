"""Every play of every method: each cell once, nothing taken before it is there, right formulas, the right answer."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import registry, trials
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.plays import staging
from antidiag.kernels.plays.model import GIVEN, NEVER, Cell, Machine, Play, same
from antidiag.kernels.trials import Chance

PLAYED = [method for method in registry.METHODS if method.staging]
EXAMPLES = 5


def _values(method, seed):
    """Inputs and parameters by chance."""
    stage, choose = staging.of(method), Chance(seed)
    values = stage.draw(choose)
    for parameter in stage.parameters:
        if parameter.kind == "int":
            values[parameter.name] = choose.integer(int(parameter.minimum), min(int(parameter.maximum), 6))
    return values


@pytest.fixture(scope="module", params=PLAYED, ids=lambda method: method.id)
def plays(request):
    """A method, and plays of it: of the defaults, and of problems by chance."""
    stage = staging.of(request.param)
    drawn = [{}] + [_values(request.param, seed) for seed in range(EXAMPLES)]
    return request.param, [(values, stage.make(values)) for values in drawn]


def test_every_method_is_played_or_says_why_not():
    for method in registry.METHODS:
        assert bool(method.staging) != bool(method.unplayed), method.id


def test_ends_in_the_answer_of_the_method(plays):
    method, made = plays
    stage = staging.of(method)
    for values, play in made:
        stage.agrees(play, trials.of(method.problem).oracle(stage.problem(stage.values(values))))


def test_every_step_does_something_and_every_cell_is_of_a_step(plays):
    _, made = plays
    for values, play in made:
        assert len(play), f"no steps with {values}"
        for number, (step, cells) in enumerate(zip(play.steps, play.cells_of, strict=True)):
            assert cells or step.marked, f"step {number} computes nothing and shows nothing, with {values}"
            assert step.text.endswith("."), step.text
        for table in play.tables:
            steps = table.step_of[table.computed]
            assert steps.max(initial=-1) < len(play), f"{table.name} has cells after the last step"
            workers = table.worker_of[table.computed]
            assert workers.max(initial=-1) < len(play.workers), f"{table.name} is computed by nobody"
            assert not np.isnan(table.values[table.step_of < NEVER]).any(), f"{table.name} has no value somewhere"


def test_nothing_is_taken_before_it_is_there_and_formulas_give_the_values(plays):
    _, made = plays
    for values, play in made:
        for cells in play.cells_of:
            for cell in cells:
                formula = play.formula(cell)
                where = f"{formula.left} of {play.tables[cell[0]].name} with {values}"
                assert same(formula.value, play.value(cell)), where
                assert same(formula.combined(), formula.value), where
                assert formula.winners, where
                for case in formula.cases:
                    for source in case.sources:
                        assert _there(play, source, cell), f"{where} takes {source} too early"


def _there(play: Play, source: Cell, cell: Cell) -> bool:
    """Whether a cell can take another: of a step before, or from the same worker in its step, without going round."""
    if play.step(source) == GIVEN or play.step(source) < play.step(cell):
        return True
    return play.step(source) == play.step(cell) and play.worker(source) == play.worker(cell) and source != cell


def test_what_lies_in_memory_and_what_crosses_is_known(plays):
    _, made = plays
    for values, play in made:
        for number, step in enumerate(play.steps):
            for held in step.held:
                assert held.bytes >= 0
                assert all(play.step(cell) <= number for cell in held.cells), f"{held.what}, step {number}, {values}"
            for crossing in step.crossings:
                assert crossing.bytes > 0, crossing
                assert all(play.step(cell) <= number for cell in crossing.cells), f"{crossing.what}, {number}, {values}"
                assert max(crossing.source, crossing.target) < len(play.workers)
            assert all(play.step(cell) <= number for cell in step.marked), f"step {number} marks what is not there"


def test_counts_add_up(plays):
    _, made = plays
    for _, play in made:
        assert sum(map(len, play.cells_of)) == sum(int(table.computed.sum()) for table in play.tables)
        assert (play.busy <= len(play.workers)).all()
        assert (play.rounds >= (play.main_cells > 0)).all()
        times = play.times_ns(Machine())
        assert (np.diff(times) > 0).all() and times[0] > 0


def test_the_parameters_change_the_order_and_never_the_answer(plays):
    method, made = plays
    stage = staging.of(method)
    for values, play in made[1:3]:
        inputs = {parameter.name: values[parameter.name] for parameter in stage.inputs if parameter.name in values}
        other = stage.make(inputs)
        assert other.told == play.told


def test_what_cannot_be_played_is_refused(plays):
    method, _ = plays
    stage = staging.of(method)
    with pytest.raises(ParameterError, match="unknown parameter"):
        stage.make({"nonsense": 1})
    for parameter in stage.inputs:
        if parameter.kind == "text":
            with pytest.raises((InputError, ParameterError)):
                stage.make({parameter.name: "?!"})
