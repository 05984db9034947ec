"""``python -m bench.nucleotides``: quality on simulated families of nucleotides, compared with other programs.

Families of bench/evolution.py, whose alignment is known, in groups that are harder or easier; every program gets the
same sequences. Scores are SP and TC over all columns; programs (bench/programs.py) are compared in pairs, family by
family. Programs that are not installed are skipped with a message.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from antidiag.kernels import engine, registry
from antidiag.kernels.alignments import comparison
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import Sequence as Letters
from bench import programs
from bench.balibase import Scores, SetScores, means_table, paired_table
from bench.evolution import Evolution, evolve_family

GROUPS: Mapping[str, Evolution] = {
    "near": Evolution(depth=0.3),
    "far": Evolution(depth=0.8),
    "gaps": Evolution(depth=0.4, indels=0.15),
    "short gaps": Evolution(depth=0.6, zipf=0, mean_length=2.0),
    "many": Evolution(taxa=40, length=300, depth=0.6),
}
"""Groups of families: 0.3 to 0.8 substitutions a site from the root to a leaf."""


PROGRAMS = (programs.LINSI, programs.MAFFT, programs.MUSCLE, programs.OMEGA)


def align_sequences(sequences: tuple[Letters, ...], method: str, backend: str, threads: int) -> AlignedSequences:
    """Align with a method of this program."""
    declared = registry.find_method(method)
    problem = declared.problem_type.make_problem(sequences, {})
    planned = engine.plan_run(
        declared, problem, {"threads": threads} if backend == "cpu" else {}, "cuda" if backend == "cuda" else "cpu"
    )
    return engine.execute(planned, keep_rate=False, keep_parts=False).answer.alignment


def score_alignment(found: AlignedSequences, right: AlignedSequences, seconds: float) -> SetScores:
    """Return SP and TC scores over all columns."""
    sp, tc = comparison.compare_to_reference(found, right).scores()
    return SetScores(sp, tc, {"all": seconds})


def main(arguments: Sequence[str] | None = None, print_line: Callable[[str], None] = print) -> int:
    """Print the tables."""
    given = _parse_options(arguments)
    groups = {name: model for name, model in GROUPS.items() if not given.groups or name in given.groups.split(",")}
    if not groups:
        print_line(f"unknown groups; known groups: {', '.join(GROUPS)}")
        return 1
    beside = programs.installed_programs(PROGRAMS, print_line)
    mine: dict[str, SetScores] = {}
    others: dict[str, dict[str, SetScores]] = {program.name: {} for program in beside}
    for name, model in groups.items():
        for number in range(given.families):
            key = f"{name}/{number}"
            sequences, right = evolve_family(model, given.seed + 1000 * list(GROUPS).index(name) + number, key)
            begun = time.perf_counter()
            mine[key] = score_alignment(
                align_sequences(sequences, given.method, given.backend, given.threads),
                right,
                time.perf_counter() - begun,
            )
            for program in beside:
                found, seconds = program.time_alignment(sequences, given.threads)
                others[program.name][key] = score_alignment(found, right, seconds)
    scores: dict[str, Scores] = {
        name: {key: (one.sp, one.tc) for key, one in made.items()} for name, made in others.items()
    }
    print_line(f"{means_table(mine, scores)}\n\n{paired_table(mine, scores)}\n")
    for name, made in {given.method: mine, **others}.items():
        print_line(
            f"{name}: {sum(one.seconds['all'] for one in made.values()):.1f} s in all on {given.threads} threads"
        )
    return 0


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.nucleotides", description="Quality on simulated families.")
    parser.add_argument("--method", default="msa")
    parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--groups", default="", help=f"some of {', '.join(GROUPS)}; all where it is not given")
    parser.add_argument("--families", type=int, default=6, metavar="N", help="of each group")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
