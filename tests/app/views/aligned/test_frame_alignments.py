"""A protein against bases in the viewer: codons and frameshifts are tracks below the columns."""

from __future__ import annotations

from typing import Any

from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels import engine, registry
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.frames.trials import make_frame_problem

PROTEIN = "MKTAYIAKQRQISFVK"
GENE = "ATGAAAACTGCTTATATTGCTAAACAACGTCAAATTTCTTTTGTTAAA"


def align(bases: str) -> Result:
    """Return the alignment of the protein with these bases on the CPU."""
    problem = make_frame_problem(PROTEIN, bases, frameshift=5)
    return engine.execute(engine.plan_run(registry.find_method("frame-alignment"), problem, {}, "cpu"))


def test_codons_and_frameshifts_are_shown(view: AlignmentViewer, qtbot: Any) -> None:
    view.show_result(align(f"{GENE[:24]}C{GENE[24:]}"))
    qtbot.waitUntil(lambda: view.sharp)
    rows = [row.tobytes().decode() for row in view.alignment.letters]
    assert rows == [PROTEIN, PROTEIN]
    shown = view.canvas.shown_tracks
    lines = {name: tracks.track_characters(name, view.picture, 0, 16) for name in shown if name.startswith("note:")}
    assert lines["note:frameshift"] == " " * 8 + "\\" + " " * 7
    codons = ["".join(bases) for bases in zip(*(lines[f"note:base_{k}"] for k in (1, 2, 3)), strict=True)]
    assert "".join(codons) == GENE


def test_a_result_without_an_alignment_says_so(view: AlignmentViewer, qtbot: Any) -> None:
    view.show_result(align("NN"))
    assert view.alignment is None
    assert view.pair_summary.explanation.text()
