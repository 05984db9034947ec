"""The panel of the method: what was set by hand belongs to one kind of data."""

from __future__ import annotations

from typing import Any

import numpy as np

from antidiag.app.panels.method import MethodPanel, letter_kind
from antidiag.kernels import registry
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.newick import parse_newick
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.search.database import make_memory_database

PROTEIN = Sequence("p", b"MEEPQSDPSV", SequenceType.PROTEIN)
DNA = Sequence("d", b"ACGTACGT", SequenceType.DNA)


def test_options_and_parameters_of_one_kind_do_not_follow_to_another(qtbot: Any) -> None:
    panel = MethodPanel([registry.find_method("striped-alignment"), registry.find_method("chunked-alignment-1")])
    qtbot.addWidget(panel)
    panel.set_data([PROTEIN, PROTEIN])
    panel.set_values(registry.find_method("striped-alignment"), {"gap_open": 7}, {"s": 64})
    for data, gap, width in (([DNA, DNA], None, None), ([PROTEIN, PROTEIN], 7, 64)):
        panel.set_data(data)
        assert panel.options.values().get("gap_open") == gap and panel.parameters.values().get("s") == width
    panel.set_data([DNA, DNA])
    panel.choose(registry.find_method("chunked-alignment-1"))
    panel.choose(registry.find_method("striped-alignment"))
    assert panel.parameters.values().get("s") is None


def test_alignments_have_a_kind_too() -> None:
    rows = AlignedSequences(("a", "b"), np.full((2, 3), ord("A"), np.uint8), SequenceType.PROTEIN, "x")
    assert letter_kind([rows]) == "protein" and letter_kind([DNA]) == "nucleotides"
    assert letter_kind([]) == ""


def test_a_database_has_a_kind_also_behind_many_queries() -> None:
    proteins = make_memory_database([PROTEIN], "proteins")
    assert letter_kind([DNA, proteins]) == "protein"
    assert letter_kind([make_memory_database([DNA], "genomes")]) == "nucleotides"
    assert letter_kind([DNA] * 20_001 + [proteins]) == "protein"


def test_what_is_recalled_is_set_in_the_forms_that_are_there(qtbot: Any) -> None:
    methods = [registry.find_method(name) for name in ("striped-alignment", "chunked-alignment-1", "upgma")]
    panel = MethodPanel(methods)
    qtbot.addWidget(panel)
    panel.set_values(methods[0], {"gap_open": 7}, {"s": 64})
    saved = panel.saved_settings()
    panel.reset()
    gap, width = panel.options.editor("gap_open"), panel.parameters.editor("s")
    panel.restore_settings(saved)
    assert panel.options.editor("gap_open") is gap and gap.value() == 7
    assert panel.parameters.editor("s") is width and width.value() == 64
    panel.restore_settings({**saved, "method": "chunked-alignment-1"})
    assert panel.options.editor("gap_open") is gap and gap.value() == 7
    assert panel.parameters.parameter_names() == tuple(one.name for one in methods[1].parameters.declared())
    assert panel.parameters.values().get("s") is None
    panel.restore_settings({"method": "upgma", "values": {}})
    assert panel.options.parameter_names() == tuple(option.name for option in methods[2].problem_type.options)
    panel.restore_settings(saved)
    assert panel.options.values()["gap_open"] == 7 and panel.parameters.values()["s"] == 64


def test_options_of_a_guide_tree_are_hidden_while_a_tree_is_given(qtbot: Any) -> None:
    panel = MethodPanel([registry.find_method("msa-parttree")])
    qtbot.addWidget(panel)
    (tree,) = parse_newick("(a,b);")
    for data, hidden in (([PROTEIN, PROTEIN], False), ([PROTEIN, PROTEIN, tree], True), ([PROTEIN, PROTEIN], False)):
        panel.set_data(data)
        assert panel.options.editor("guide").isHidden() == hidden == panel.options.editor("passes").isHidden()
        assert not panel.options.editor("gap_open").isHidden()


def test_switches_of_free_ends_are_shown_with_the_mode_custom_alone(qtbot: Any) -> None:
    panel = MethodPanel([registry.find_method("striped-alignment")])
    qtbot.addWidget(panel)
    panel.set_data([DNA, DNA])
    assert panel.options.editor("free_second_start").isHidden()
    panel.set_values(registry.find_method("striped-alignment"), {"mode": "custom"}, {})
    assert not panel.options.editor("free_second_start").isHidden()


def test_the_second_piece_of_gap_costs_is_shown_and_counts_with_the_gap_model_two_piece_alone(qtbot: Any) -> None:
    method = registry.find_method("striped-alignment")
    panel = MethodPanel([method])
    qtbot.addWidget(panel)
    panel.set_data([DNA, DNA])
    assert panel.options.editor("gap_open2").isHidden()
    panel.set_values(method, {"gap_model": "two-piece", "gap_open": 4, "gap_extend": 2, "gap_open2": 30}, {})
    assert not panel.options.editor("gap_open2").isHidden()
    assert panel.chosen_options()["gap_open2"] == 30
    assert "the smaller of 4 + 2 k and 30 + 1 k: 6 for one letter, 24 for ten, 130 for a hundred" in panel.gap.text()
    panel.options.editor("gap_model").set_value("affine")
    panel.options.editor("gap_model").edited.emit()
    assert panel.options.editor("gap_open2").isHidden()
    assert "gap_open2" not in panel.chosen_options()
    method.problem_type.make_problem([DNA, DNA], panel.chosen_options())


def test_a_preset_shows_its_values_and_strands_are_offered_for_nucleotides_alone(qtbot: Any) -> None:
    method = registry.find_method("striped-alignment")
    panel = MethodPanel([method])
    qtbot.addWidget(panel)
    panel.set_data([DNA, DNA])
    panel.set_values(method, {"preset": "ssearch"}, {})
    assert "12 + 4 k" in panel.gap.text() and not panel.options.editor("strand").isHidden()
    panel.set_values(method, {"preset": "ednafull"}, {})
    assert "9.5 + 0.5 k" in panel.gap.text() and panel.options.editor("match").isHidden()
    panel.set_values(method, {"preset": "ednafull", "gap_open": 3}, {})
    assert "3 + 0.5 k" in panel.gap.text()
    panel.set_data([PROTEIN, PROTEIN])
    assert panel.options.editor("strand").isHidden() and "10 + 1 k" in panel.gap.text()


def test_a_search_offers_strands_for_nucleotides_alone(qtbot: Any) -> None:
    panel = MethodPanel([registry.find_method("smith-waterman-search")])
    qtbot.addWidget(panel)
    proteins, genomes = make_memory_database([PROTEIN], "proteins"), make_memory_database([DNA], "genomes")
    for data, hidden in (
        ([PROTEIN, PROTEIN], True),
        ([DNA, DNA], False),
        ([PROTEIN, proteins], True),
        ([DNA, genomes], False),
        ([DNA, proteins], True),
    ):
        panel.set_data(data)
        assert panel.options.editor("strand").isHidden() is hidden
