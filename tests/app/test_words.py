"""What the window says of methods and results is true and plain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QColor

from antidiag.app import texts, theme
from antidiag.app.kit.controls.forms import ParameterForm
from antidiag.app.kit.play import play_picture
from antidiag.app.views.summary.view import summary_sections
from antidiag.kernels import engine, registry
from antidiag.kernels.experiments.suites import promised_costs
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.walkthroughs import walkthrough

HEURISTICS = {
    "nj-pruned", "nj-basic", "nj-compact", "nj-serial", "upgma", "distance-ktuple", "distance-6mer", "parttree",
    "cuda-parttree", "parttree-serial", "medoid-tree", "msa-parttree", "parttree-add", "msa", "msa-refine", "msa-add",
    "nj-alignment", "place-alignment", "place-sequences",
    "msa-thesis", "msa-thesis-serial", "msa-clustalw", "hmm-baum-welch", "viterbi-probabilities",
}  # fmt: skip
"""Greedy joins, progressive alignments, approximations and local searches."""


def run(method_id: str) -> Any:
    method = registry.find_method(method_id)
    problem = promised_costs.make_problem(method, 0)
    return engine.execute(engine.plan_run(method, problem, backend="cpu"), keep_rate=False, keep_parts=False)


def test_only_an_optimum_of_a_stated_objective_is_called_exact() -> None:
    assert {method.id for method in registry.METHODS if not method.finds_optimum} == HEURISTICS
    said = dict(dict(summary_sections(run("upgma")))["Run"])
    assert said["Exact"] == "no: a heuristic"
    assert dict(dict(summary_sections(run("striped-score")))["Run"])["Exact"] == "yes"


@pytest.mark.parametrize(
    ("kind", "letters", "shown"),
    [(SequenceType.PROTEIN, b"MKVLA", "auto (BLOSUM50)"), (SequenceType.DNA, b"ACGT", "auto (match/mismatch)")],
)
def test_the_automatic_matrix_is_the_one_that_is_used(
    qtbot: Any, kind: SequenceType, letters: bytes, shown: str
) -> None:
    problem = registry.find_method("msa-parttree").problem_type
    form = ParameterForm(problem.options)
    qtbot.addWidget(form)
    form.set_automatic(problem.default_options([Sequence("one", letters, kind)]))
    assert form.editor("matrix").currentText() == shown
    form.set_automatic({})
    assert form.editor("matrix").currentText() == "auto (BLOSUM50)"


def test_a_default_seed_is_no_chip_and_a_chosen_one_is() -> None:
    result = run("msa")
    assert not any("seed" in label for label, _ in texts.result_heading(result)[1])
    method = registry.find_method("msa")
    problem = method.problem_type.make_problem(list(result.problem.data), {"refinement_seed": 7})
    other = engine.execute(engine.plan_run(method, problem, backend="cpu"), keep_rate=False, keep_parts=False)
    assert ("refinement seed", "7") in texts.result_heading(other)[1]


def test_families_have_names_and_inputs_are_said_in_words() -> None:
    assert {method.family for method in registry.METHODS} == set(texts.FAMILY_NAMES)
    said = {taken.describe_count() for method in registry.METHODS for taken in method.problem_type.inputs}
    assert "at most 1 tree" in said and not any(words.startswith("0 ") for words in said)


def test_scaled_probabilities_are_explained_by_their_recurrence() -> None:
    """A cell of 1.9 was called a probability, and the recurrence had no scaling."""
    made = walkthrough.load_walkthrough(registry.find_method("viterbi-probabilities"))
    play = made.make_animation({})
    table = play.tables[0]
    assert "c(k) is the power of 2" in table.formula and "c(k) x" in table.formula
    scaled = [cell for cell in np.ndindex(table.values.shape) if table.values[cell] > 1]
    for k, j, _ in scaled:
        formula = play.find_formula((0, k, j, 0))
        assert f"c({k + 1})" in formula.cases[0].text


def contrast(one: QColor, other: QColor) -> float:
    """The contrast ratio of two colours, as in WCAG 2."""

    def luminance(colour: QColor) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.getRgbF()[:3]]
        return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK])
def test_computed_and_given_cells_differ_on_a_projector(monkeypatch: pytest.MonkeyPatch, colours: theme.Theme) -> None:
    monkeypatch.setattr(theme, "active", lambda: colours)
    assert contrast(play_picture._computed_colour(), play_picture._given_colour()) >= 1.4
