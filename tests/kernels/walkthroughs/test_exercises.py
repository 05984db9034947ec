"""Exercises by seed: what is asked can be found, hints lead there, and the right option is right."""

import pytest

from antidiag.kernels import registry
from antidiag.kernels.registry import find_method
from antidiag.kernels.walkthroughs import exercises, walkthrough

PLAYED = [one for one in registry.METHODS if one.teaching.walkthrough_name]


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("one", PLAYED, ids=lambda one: one.id)
def test_an_exercise_asks_for_values_that_follow_from_others(one, seed):
    made = exercises.make_exercise(walkthrough.load_walkthrough(one), seed)
    assert len(set(made.blanks)) == len(made.blanks)
    for cell in made.blanks:
        value = made.play.format_cell(cell)
        assert exercises.check_value(made.play, cell, value) is True, value
        assert exercises.check_value(made.play, cell, "99999") is False
        assert exercises.check_value(made.play, cell, "-") is None
        assert exercises.make_hints(made.play, cell)
    if made.before:  # what the values take is there before the step, and can be seen
        assert {made.play.cell_step(cell) for cell in made.blanks} == {made.step + 1}
    else:
        assert made.step == len(made.play) - 1
    for asked in made.predictions:
        assert len(set(asked.options)) == len(asked.options) > 1
        if asked.kind == "count":
            assert asked.options[asked.right] == f"{len(made.play.step_cells[asked.step + 1]):,}"
        elif asked.kind == "start":
            name = asked.question.split("does ")[1].removesuffix(" start?")
            steps = [made.play.cell_step(cell) for cells in made.play.step_cells for cell in cells
                     if made.play.workers[made.play.cell_worker(cell)] == name]  # fmt: skip
            assert asked.options[asked.right] == f"{min(steps) + 1:,}"
        elif asked.kind == "path":
            table, i, j, k = made.play.path[made.play.path.index(asked.cell) - 1]
            told = asked.options[asked.right]
            assert told.startswith(f"{made.play.tables[table].name}({i}, {j}") and (
                f", {k})" in told or not k or made.play.tables[table].versions
            )
        else:
            formula = made.play.find_formula(asked.cell)
            assert formula.winning_cases == (asked.right,) and made.play.cell_step(asked.cell) == asked.step + 1


def test_the_next_strip_and_the_way_of_the_path_are_asked_for():
    stage, kinds = walkthrough.load_walkthrough(find_method("striped-score")), set()
    for seed in range(1, 9):
        kinds |= {asked.kind for asked in exercises.make_exercise(stage, seed).predictions}
    assert kinds == {"case", "count", "path", "start"}


def test_the_same_seed_gives_the_same_and_another_another():
    stage = walkthrough.load_walkthrough(find_method("striped-score"))
    one, again, other = (exercises.make_exercise(stage, seed) for seed in (5, 5, 6))
    assert (one.values, one.blanks, one.predictions) == (again.values, again.blanks, again.predictions)
    assert one.values != other.values
    assert len(one.blanks) == exercises.BLANKS and one.predictions


def test_hints_go_from_the_vague_to_the_plain():
    made = exercises.make_exercise(walkthrough.load_walkthrough(find_method("striped-score")), 3)
    found = exercises.make_hints(made.play, made.blanks[-1])
    assert found[0].startswith("H(i, j)") and "look at" in found[1] and found[-1].startswith("The case that wins")
