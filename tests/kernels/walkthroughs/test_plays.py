"""Every play of every method: each cell once, nothing taken before it is there, right formulas, the right answer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from antidiag.kernels import registry, trials
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.trials import RandomChooser
from antidiag.kernels.walkthroughs import walkthrough
from antidiag.kernels.walkthroughs.animation import GIVEN_STEP, NEVER_STEP, Animation, Cell, ModelMachine, are_equal

PLAYED = [method for method in registry.METHODS if method.teaching.walkthrough_name]
EXAMPLES = 5


def _values(method, seed):
    """Inputs and parameters by chance."""
    stage, choose = walkthrough.load_walkthrough(method), RandomChooser(seed)
    values = stage.draw_inputs(choose)
    for parameter in stage.parameters:
        if parameter.kind == "int":
            values[parameter.name] = choose.draw_integer(int(parameter.minimum), min(int(parameter.maximum), 6))
        elif parameter.kind == "choice":
            values[parameter.name] = choose.choose_one(parameter.choices)
    return values


@pytest.fixture(scope="module", params=PLAYED, ids=lambda method: method.id)
def plays(request):
    """A method, and plays of it: of the defaults, and of problems by chance."""
    stage = walkthrough.load_walkthrough(request.param)
    drawn = [{}] + [_values(request.param, seed) for seed in range(EXAMPLES)]
    return request.param, [(values, stage.make_animation(values)) for values in drawn]


def test_every_method_is_played_or_says_why_not():
    for method in registry.METHODS:
        assert bool(method.teaching.walkthrough_name) != bool(method.teaching.no_walkthrough_reason), method.id


def test_ends_in_the_answer_of_the_method(plays):
    method, made = plays
    stage = walkthrough.load_walkthrough(method)
    for values, play in made:
        stage.assert_agrees(
            play,
            trials.load_trials(method.problem_type).solve_by_textbook(
                stage.build_problem(stage.resolve_values(values))
            ),
        )


def test_every_step_does_something_and_every_cell_is_of_a_step(plays):
    _, made = plays
    for values, play in made:
        assert len(play), f"no steps with {values}"
        for number, (step, cells) in enumerate(zip(play.steps, play.step_cells, strict=True)):
            assert cells or step.marked, f"step {number} computes nothing and shows nothing, with {values}"
            assert step.text.endswith("."), step.text
        for table in play.tables:
            steps = table.step_of[table.computed_cells]
            assert steps.max(initial=-1) < len(play), f"{table.name} has cells after the last step"
            workers = table.worker_of[table.computed_cells]
            assert workers.max(initial=-1) < len(play.workers), f"{table.name} is computed by nobody"
            assert not np.isnan(table.values[table.step_of < NEVER_STEP]).any(), f"{table.name} has no value somewhere"


COMBINE = {"max": max, "min": min, "sum": math.fsum, "product": math.prod, "value": math.prod}
"""What the rule of a formula makes of the values of its cases."""


def test_nothing_is_taken_before_it_is_there_and_formulas_give_the_values(plays):
    _, made = plays
    for values, play in made:
        for cells in play.step_cells:
            for cell in cells:
                formula = play.find_formula(cell)
                where = f"{formula.left} of {play.tables[cell[0]].name} with {values}"
                assert are_equal(formula.value, play.cell_value(cell)), where
                assert are_equal(COMBINE[formula.rule](case.value for case in formula.cases), formula.value), where
                assert formula.winning_cases, where
                for case in formula.cases:
                    for source in case.sources:
                        assert _there(play, source, cell), f"{where} takes {source} too early"


def _there(play: Animation, source: Cell, cell: Cell) -> bool:
    """Whether a cell can take another: of a step before, or from the same worker in its step, without going round."""
    if play.cell_step(source) == GIVEN_STEP or play.cell_step(source) < play.cell_step(cell):
        return True
    return (
        play.cell_step(source) == play.cell_step(cell)
        and play.cell_worker(source) == play.cell_worker(cell)
        and source != cell
    )


def test_what_lies_in_memory_and_what_crosses_is_known(plays):
    _, made = plays
    for values, play in made:
        for number, step in enumerate(play.steps):
            for held in step.held:
                assert held.bytes >= 0
                assert all(play.cell_step(cell) <= number for cell in held.cells), (
                    f"{held.what}, step {number}, {values}"
                )
            for crossing in step.crossings:
                assert crossing.bytes > 0, crossing
                assert all(play.cell_step(cell) <= number for cell in crossing.cells), (
                    f"{crossing.what}, {number}, {values}"
                )
                assert max(crossing.source, crossing.target) < len(play.workers)
            assert all(play.cell_step(cell) <= number for cell in step.marked), f"step {number} marks what is not there"


def test_counts_add_up(plays):
    _, made = plays
    for _, play in made:
        assert sum(map(len, play.step_cells)) == sum(int(table.computed_cells.sum()) for table in play.tables)
        assert (play.busy_workers <= len(play.workers)).all()
        assert (play.busiest_cells >= (play.main_cells > 0)).all()
        times = play.times_ns(ModelMachine())
        assert (np.diff(times) > 0).all() and times[0] > 0


def test_the_parameters_change_the_order_and_never_the_answer(plays):
    method, made = plays
    stage = walkthrough.load_walkthrough(method)
    for values, play in made[1:3]:
        inputs = {parameter.name: values[parameter.name] for parameter in stage.inputs if parameter.name in values}
        other = stage.make_animation(inputs)
        assert other.answer_text == play.answer_text


def test_what_cannot_be_played_is_refused(plays):
    method, _ = plays
    stage = walkthrough.load_walkthrough(method)
    with pytest.raises(ParameterError, match="unknown parameter"):
        stage.make_animation({"nonsense": 1})
    for parameter in stage.inputs:
        if parameter.kind == "text":
            with pytest.raises((InputError, ParameterError)):
                stage.make_animation({parameter.name: "?!"})
