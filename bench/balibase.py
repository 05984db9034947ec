"""``python -m bench.balibase FOLDER``: quality on reference alignments of BAliBASE, compared with other programs.

The folder has groups (RV11 ...) of sets: ``NAME.tfa`` unaligned and ``NAME.xml`` aligned with core blocks; beside them
``read_peers.tsv`` with columns aligner, set, seconds, sp_core and tc_core of other programs. Scores are SP and TC of
core blocks, means over sets; each peer is compared in pairs, over the sets that it has finished.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels import engine, registry
from antidiag.kernels.alignments import comparison
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.io import aligned_sequences, sequences
from bench import programs
from bench.options import parse_options

EQUAL = 6e-5
"""Largest difference of two scores that counts as a tie; ``read_peers.tsv`` has four decimals."""

Scores = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class SetScores:
    """SP and TC scores of core blocks, and seconds per phase without compilation."""

    sp: float
    tc: float
    seconds: Mapping[str, float]


def measure_set(
    folder: Path, name: str, method: str, backend: str, options: Mapping[str, Any], parameters: Mapping[str, Any]
) -> SetScores:
    """Align one set and score the alignment by its reference."""
    declared = registry.find_method(method)
    problem = declared.problem_type.make_problem(sequences.read_sequences(folder / f"{name}.tfa"), options)
    result = engine.execute(engine.plan_run(declared, problem, parameters, "cuda" if backend == "cuda" else "cpu"))
    result.check(problem)
    (reference,) = aligned_sequences.read_alignments(folder / f"{name}.xml")
    core = comparison.core_columns(reference)
    sp, tc = comparison.compare_to_reference(result.answer.alignment, reference).scores(core)
    return SetScores(sp, tc, {phase: ms / 1e3 for phase, ms in result.times_ms.items() if phase != "compilation"})


def run(folder: Path, name: str, program: programs.Program, threads: int) -> SetScores:
    """Align one set with another program and score it; the time is that of the whole call."""
    made, seconds = program.time_alignment(sequences.read_sequences(folder / f"{name}.tfa"), threads)
    (reference,) = aligned_sequences.read_alignments(folder / f"{name}.xml")
    sp, tc = comparison.compare_to_reference(made, reference).scores(comparison.core_columns(reference))
    return SetScores(sp, tc, {"all": seconds})


def read_peers(folder: Path) -> dict[str, Scores]:
    """Return the scores of other programs by set from ``read_peers.tsv``; none if there is no such file."""
    path, found = folder / "peers.tsv", dict[str, dict[str, tuple[float, float]]]()
    if path.exists():
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                found.setdefault(row["aligner"], {})[row["set"]] = float(row["sp_core"]), float(row["tc_core"])
    return dict(found)


def means_table(own: Mapping[str, SetScores], others: Mapping[str, Scores]) -> str:
    """Return a Markdown table of mean scores per group and of all sets, with a row per program."""
    groups = sorted({name.partition("/")[0] for name in own})
    heads = [*groups, f"all {len(own)}"]
    lines = [f"| | {' | '.join(heads)} |", "| --- " * (len(heads) + 1) + "|"]
    mine = {name: (one.sp, one.tc) for name, one in own.items()}
    for program, scores in (("this run", mine), *others.items()):
        cells = [
            _format_mean(
                [scores[name] for name in own if name.startswith(group) and name in scores],
                sum(name.startswith(group) for name in own),
            )
            for group in (*groups, "")
        ]
        lines.append(f"| {program} | {' | '.join(cells)} |")
    return "\n".join(lines)


def paired_table(own: Mapping[str, SetScores], others: Mapping[str, Scores]) -> str:
    """Return a table of paired comparisons with each program: mean differences, wins and losses, and a sign test."""
    lines = ["| against | sets | SP | TC | won, lost | sign test |", "| --- | --- | --- | --- | --- | --- |"]
    for program, scores in others.items():
        both = [name for name in own if name in scores]
        if both:
            differences = np.array([(own[name].sp - scores[name][0], own[name].tc - scores[name][1]) for name in both])
            won, lost = (int((sign * differences[:, 0] > EQUAL).sum()) for sign in (1, -1))
            sp, tc = differences.mean(axis=0)
            lines.append(
                f"| {program} | {len(both)} | {sp:+.4f} | {tc:+.4f} | {won}, {lost} | p = {_sign_test(won, lost):.2g} |"
            )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None, print_line: Callable[[str], None] = print) -> int:
    """Print the tables."""
    given = _parse_options(arguments)
    names = sorted(f"{path.parent.name}/{path.stem}" for path in given.folder.glob("*/*.tfa"))
    names = [name for name in names if not given.groups or name.partition("/")[0] in given.groups.split(",")]
    if not names:
        print_line(f"{given.folder}: no sets (GROUP/NAME.tfa) found for these groups")
        return 1
    parameters = {"threads": given.threads} if given.threads else {}
    wanted = [programs.ALL[name] for name in given.programs.split(",") if name]
    beside = {program: dict[str, SetScores]() for program in programs.installed_programs(wanted, print_line)}
    options = parse_options(registry.find_method(given.method), given.option)
    found, begun = {}, time.perf_counter()
    for name in names[:: given.every]:
        found[name] = one = measure_set(
            given.folder,
            name,
            given.method,
            given.backend,
            options,
            parameters,
        )
        for program, measured in beside.items():
            measured[name] = run(given.folder, name, program, given.threads or count_processors())
        if given.sets:
            print_line(f"{name}\t{one.sp:.4f}\t{one.tc:.4f}\t{sum(one.seconds.values()):.2f}")
    here = {
        f"{program.name}, here": {name: (one.sp, one.tc) for name, one in made.items()}
        for program, made in beside.items()
    }
    others = {**read_peers(given.folder), **here}
    print_line(f"{means_table(found, others)}\n\n{paired_table(found, others)}\n")
    stages = {
        stage: sum(one.seconds.get(stage, 0.0) for one in found.values())
        for stage in dict.fromkeys(stage for one in found.values() for stage in one.seconds)
    }
    print_line(", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in stages.items()))
    for program, made in beside.items():
        print_line(f"{program.name}: {sum(one.seconds['all'] for one in made.values()):.1f} s, whole calls")
    print_line(f"{len(found)} sets, {sum(stages.values()):.1f} s of phases, {time.perf_counter() - begun:.1f} s in all")
    return 0


def _format_mean(scores: Sequence[tuple[float, float]], sets: int) -> str:
    if not scores:
        return ""
    sp, tc = np.mean(scores, axis=0)
    return f"{sp:.3f} / {tc:.3f}" + (f" ({len(scores)})" if len(scores) < sets else "")


def _sign_test(won: int, lost: int) -> float:
    """Return the two-sided p value of a sign test."""
    sets = won + lost
    return min(2 * sum(comb(sets, k) for k in range(min(won, lost) + 1)) / 2**sets, 1.0)


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.balibase", description="Quality of a multiple alignment.")
    parser.add_argument("folder", type=Path, help="groups of sets of BAliBASE, and peers.tsv")
    parser.add_argument("--method", default="msa")
    parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--groups", default="", help="such as RV11,RV12; all where it is not given")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="every K-th set alone")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="such as effort=fast")
    parser.add_argument(
        "--programs", default="", metavar="NAMES", help=f"programs to run beside it, such as {','.join(programs.ALL)}"
    )
    parser.add_argument("--sets", action="store_true", help="also print each set")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
