"""``python -m bench.nucleotides``: quality of alignments of nucleotides that evolved here, beside other programs.

Families of bench/evolution.py, whose alignment is known, in groups that are harder or easier; every program gets the
same sequences. Scores are SP and TC over all columns; programs (bench/programs.py) are compared in pairs, family by
family. Those that are not installed are left out, and it is said.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from antidiag.kernels import engine, registry
from antidiag.kernels.io import aligned_compare
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.model import Sequence as Letters
from bench import programs
from bench.balibase import Measured, Scores, paired, table
from bench.evolution import Evolution, family

GROUPS: Mapping[str, Evolution] = {
    "near": Evolution(depth=0.3),
    "far": Evolution(depth=0.8),
    "gaps": Evolution(depth=0.4, indels=0.15),
    "short gaps": Evolution(depth=0.6, zipf=0, mean_length=2.0),
    "many": Evolution(taxa=40, length=300, depth=0.6),
}
"""Groups of families: 0.3 to 0.8 substitutions a site from the root to a leaf."""


PROGRAMS = (programs.LINSI, programs.MAFFT, programs.MUSCLE, programs.OMEGA)


def own(sequences: tuple[Letters, ...], method: str, backend: str, threads: int) -> AlignedSequences:
    """The alignment of a method of this program."""
    declared = registry.method(method)
    problem = declared.problem.make(sequences, {})
    planned = engine.plan(
        declared, problem, {"threads": threads} if backend == "cpu" else {}, "cuda" if backend == "cuda" else "cpu"
    )
    return engine.execute(planned, keep_rate=False, keep=False).answer.alignment


def score(found: AlignedSequences, right: AlignedSequences, seconds: float) -> Measured:
    """SP and TC over all columns."""
    sp, tc = aligned_compare.compare(found, right).scores()
    return Measured(sp, tc, {"all": seconds})


def main(arguments: Sequence[str] | None = None, tell: Callable[[str], None] = print) -> int:
    """Print the tables."""
    given = _options(arguments)
    groups = {name: model for name, model in GROUPS.items() if not given.groups or name in given.groups.split(",")}
    if not groups:
        tell(f"no such groups; there are {', '.join(GROUPS)}")
        return 1
    beside = programs.installed(PROGRAMS, tell)
    mine: dict[str, Measured] = {}
    others: dict[str, dict[str, Measured]] = {program.name: {} for program in beside}
    for name, model in groups.items():
        for number in range(given.families):
            key = f"{name}/{number}"
            sequences, right = family(model, given.seed + 1000 * list(GROUPS).index(name) + number, key)
            begun = time.perf_counter()
            mine[key] = score(own(sequences, given.method, given.backend, given.threads), right,
                              time.perf_counter() - begun)  # fmt: skip
            for program in beside:
                found, seconds = program.timed(sequences, given.threads)
                others[program.name][key] = score(found, right, seconds)
    scores: dict[str, Scores] = {
        name: {key: (one.sp, one.tc) for key, one in made.items()} for name, made in others.items()
    }
    tell(f"{table(mine, scores)}\n\n{paired(mine, scores)}\n")
    for name, made in {given.method: mine, **others}.items():
        tell(f"{name}: {sum(one.seconds['all'] for one in made.values()):.1f} s in all on {given.threads} threads")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
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
