"""How the methods of two sequences are played: what can be typed, and what cuts the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from antidiag.kernels.pairwise import problem as problems
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.plays import orders, strips
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import letters_of, score_inputs, sequence_input
from antidiag.kernels.plays.model import Play
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.trials import Choose

INPUTS = (
    sequence_input("first", "First sequence", "GCATGCTACG"),
    sequence_input("second", "Second sequence", "GATTACATGCAACG"),
    Parameter("mode", "choice", "Mode", "The best parts of both, or both from end to end.", default="local",
              choices=("local", "global")),
    *score_inputs(match=2, mismatch=-1, gap_open=2, gap_extend=1),
)  # fmt: skip


def _count(name: str, label: str, help: str, default: int, most: int, unit: str) -> Parameter:
    return Parameter(name, "int", label, help, default=default, minimum=1, maximum=most, unit=unit)


WORKERS = _count("workers", "Multiprocessors", "Those that compute at the same time.", 2, 16, "multiprocessors")
THREADS = _count("threads", "Threads", "Those that share an antidiagonal, or a row.", 4, 64, "threads")
STRIP = _count("s", "Strip width s", "Columns of a strip.", 4, 64, "columns")
BATCH = _count("T", "Batch T", "Boundary cells that are handed over together.", 2, 64, "rows")
BLOCK = _count("s", "Block size s", "Rows and columns of a block.", 4, 64, "cells")
CHUNK = _count("h", "Chunk height h", "Rows of a chunk.", 4, 64, "rows")


def problem(values: Mapping[str, Any]) -> PairProblem:
    """The pair that was typed; InputError names what no letter is."""
    sequences = [letters_of(values[name], name) for name in ("first", "second")]
    options = {name: values[name] for name in ("mode", "match", "mismatch", "gap_open", "gap_extend")}
    return problems.build(sequences, options)


def draw(choose: Choose) -> dict[str, Any]:
    """Two sequences of a few letters that are alike here and there, and scores."""
    letters = choose.of(("AC", "ACGT"))
    match, mismatch = choose.of(((2, -1), (1, -1), (5, -4), (1, 0)))
    return {
        "first": "".join(choose.of(letters) for _ in range(choose.integer(1, 9))),
        "second": "".join(choose.of(letters) for _ in range(choose.integer(1, 11))),
        "mode": choose.of(("local", "global")), "match": match, "mismatch": mismatch,
        "gap_open": choose.of((0, 2, 5)), "gap_extend": choose.of((1, 2)),
    }  # fmt: skip


def agrees(play: Play, answer: PairAnswer) -> None:
    """The score, and the path where the method returns one."""
    assert play.answer.score == answer.score, f"the play ends in {play.answer.score}, the method in {answer.score}"
    best = max((play.value(cell) for cell in play.ends), default=0)
    assert best == answer.score, f"the last cell is {best}, the score {answer.score}"
    if answer.alignment is not None:
        assert play.answer.alignment.operations.tolist() == answer.alignment.operations.tolist()


def _staging(play: Callable[..., Play], *parameters: Parameter) -> Staging:
    return Staging(INPUTS, parameters, problem, play, draw, agrees, lambda made: made.cells)


ANTIDIAGONAL = _staging(orders.antidiagonal, THREADS)
BLOCKED = _staging(partial(orders.blocks, enhanced=False), BLOCK, WORKERS)
ENHANCED = _staging(partial(orders.blocks, enhanced=True), BLOCK, WORKERS)
PEROT = _staging(orders.perot, THREADS)
SCORE = _staging(partial(strips.play, strips.SCORE), STRIP, BATCH, WORKERS)
STRIPED = _staging(partial(strips.play, strips.STRIPED), STRIP, BATCH, WORKERS)
CHUNKED_1 = _staging(partial(strips.play, strips.CHUNKED_1), STRIP, CHUNK, BATCH, WORKERS)
CHUNKED_2 = _staging(partial(strips.play, strips.CHUNKED_2), STRIP, CHUNK, BATCH, WORKERS)
TILES = _staging(partial(strips.play, strips.TILES), STRIP, BATCH, WORKERS)
