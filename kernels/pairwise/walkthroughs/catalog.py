"""Catalog of the pair methods' walkthroughs: what can be typed, and the parameters that cut the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from antidiag.kernels import scoring_options
from antidiag.kernels.pairwise import problem as problems
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.walkthroughs import baselines, pruning, strips
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import Animation
from antidiag.kernels.walkthroughs.typed_inputs import (
    choice_input,
    count_input,
    parse_sequence,
    score_inputs,
    sequence_input,
)
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

PEROT_INPUTS = (
    sequence_input("first", "First sequence", "GCATGCTACG"),
    sequence_input("second", "Second sequence", "GATTACATGCAACG"),
    choice_input("mode", "Mode", "Local: the best parts of both. Global: both from end to end.", ("local", "global")),
    *score_inputs(match=2, mismatch=-1, gap_open=2, gap_extend=1),
)
"""PerotRecurrence is shown for gap costs of one piece."""
TWO_PIECE_HELP = "With the gap model two-piece: a gap costs what the cheaper of both pieces says."
INPUTS = (
    *PEROT_INPUTS,
    replace(scoring_options.GAP_MODEL_OPTIONS[0], default=scoring_options.ONE_PIECE),
    Parameter("gap_open2", "float", "Gap open 2", TWO_PIECE_HELP, default=5, minimum=0),
    Parameter("gap_extend2", "float", "Gap extend 2", TWO_PIECE_HELP, default=0, minimum=0),
)


WORKERS = count_input(
    "workers", "Multiprocessors", "Multiprocessors that compute at the same time.", 2, "multiprocessors"
)
THREADS = count_input("threads", "Threads", "Threads that share an antidiagonal or a row.", 4, "threads", most=64)
STRIP = count_input("s", "Strip width s", "Columns of a strip.", 4, "columns", most=64)
BATCH = count_input("T", "Batch T", "Boundary cells that are passed on together.", 2, "rows", most=64)
PRUNING = choice_input(
    "pruning", "Pruning", "on: a block that no best alignment can pass is not computed.", ("off", "on")
)
BLOCK = count_input("s", "Block size s", "Rows and columns of a block.", 4, "cells", most=64)
CHUNK = count_input("h", "Chunk height h", "Rows of a chunk.", 4, "rows", most=64)


def build_problem(values: Mapping[str, Any]) -> PairProblem:
    """Return the typed pair; InputError names what is not a letter."""
    sequences = [parse_sequence(values[name], name) for name in ("first", "second")]
    names = ["mode", "match", "mismatch", "gap_open", "gap_extend"]
    if values.get("gap_model") == scoring_options.TWO_PIECES:
        names += ["gap_model", *scoring_options.SECOND_COSTS]
    options = {name: values[name] for name in names}
    return problems.build_pair(sequences, options)


def draw_inputs(choose: TrialChooser) -> dict[str, Any]:
    """Return two similar sequences of a few letters, and scores."""
    letters = choose.choose_one(("AC", "ACGT"))
    match, mismatch = choose.choose_one(((2, -1), (1, -1), (5, -4), (1, 0)))
    return {
        "first": "".join(choose.choose_one(letters) for _ in range(choose.draw_integer(1, 9))),
        "second": "".join(choose.choose_one(letters) for _ in range(choose.draw_integer(1, 11))),
        "mode": choose.choose_one(("local", "global")),
        "match": match,
        "mismatch": mismatch,
        "gap_open": choose.choose_one((0, 2, 5)),
        "gap_extend": choose.choose_one((1, 2)),
    }


def draw_inputs_of_any_gaps(choose: TrialChooser) -> dict[str, Any]:
    """Return what `draw_inputs` returns, with gap costs of one piece or of two."""
    values, gap_model = draw_inputs(choose), choose.choose_one(("affine", scoring_options.TWO_PIECES))
    if gap_model == scoring_options.TWO_PIECES:
        values |= {"gap_open2": values["gap_open"] + 2, "gap_extend2": values["gap_extend"] - 1}
    return {**values, "gap_model": gap_model}


def check_agreement(play: Animation, answer: PairAnswer) -> None:
    """Check the score, and the path where the method returns one."""
    assert play.answer.score == answer.score, f"the play ends in {play.answer.score}, the method in {answer.score}"
    best = max((play.cell_value(cell) for cell in play.ends), default=0)
    assert best == answer.score, f"the last cell is {best}, the score {answer.score}"
    if answer.alignment is not None:
        assert play.answer.alignment.operations.tolist() == answer.alignment.operations.tolist()


def _animate_score(problem: PairProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough of StripedScore, with or without pruning."""
    if values["pruning"] == "on":
        return pruning.animate_pruning(problem, values)
    return strips.animate_strips(strips.SCORE, problem, values)


def _make_walkthrough(play: Callable[..., Animation], *parameters: Parameter) -> Walkthrough:
    inputs, draw = INPUTS, draw_inputs_of_any_gaps
    if play is baselines.animate_perot:
        inputs, draw = PEROT_INPUTS, draw_inputs
    return Walkthrough(inputs, parameters, build_problem, play, draw, check_agreement, lambda made: made.cells)


ANTIDIAGONAL = _make_walkthrough(baselines.animate_antidiagonals, THREADS)
BLOCKED = _make_walkthrough(partial(baselines.animate_blocks, enhanced=False), BLOCK, WORKERS)
ENHANCED = _make_walkthrough(partial(baselines.animate_blocks, enhanced=True), BLOCK, WORKERS)
PEROT = _make_walkthrough(baselines.animate_perot, THREADS)
SCORE = _make_walkthrough(_animate_score, STRIP, BATCH, WORKERS, PRUNING)
STRIPED = _make_walkthrough(partial(strips.animate_strips, strips.STRIPED), STRIP, BATCH, WORKERS)
CHUNKED_1 = _make_walkthrough(partial(strips.animate_strips, strips.CHUNKED_1), STRIP, CHUNK, BATCH, WORKERS)
CHUNKED_2 = _make_walkthrough(partial(strips.animate_strips, strips.CHUNKED_2), STRIP, CHUNK, BATCH, WORKERS)
TILES = _make_walkthrough(partial(strips.animate_strips, strips.TILES), STRIP, BATCH, WORKERS)
