"""``python -m bench.nucleotides``: quality of alignments of nucleotides that evolved here, beside other programs.

Families of bench/evolution.py, whose alignment is known, in groups that are harder or easier; every program gets the
same sequences. Scores are SP and TC over all columns; programs are compared in pairs, family by family. Those that are
not installed are left out, and it is said. MAFFT runs as L-INS-i and by itself (--auto), all programs with their defaults.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.balibase import Measured, Scores, paired, table
from bench.evolution import Evolution, family
from kernels import engine, registry
from kernels.io import aligned, aligned_compare
from kernels.io.aligned import AlignedSequences
from kernels.model import Sequence as Letters

GROUPS: Mapping[str, Evolution] = {
    "near": Evolution(depth=0.3),
    "far": Evolution(depth=0.8),
    "gaps": Evolution(depth=0.4, indels=0.15),
    "short gaps": Evolution(depth=0.6, zipf=0, mean_length=2.0),
    "many": Evolution(taxa=40, length=300, depth=0.6),
}
"""Groups of families: 0.3 to 0.8 substitutions a site from the root to a leaf."""


@dataclass(frozen=True)
class Program:
    """Another aligner: its command, in which INPUT and OUTPUT stand for files; without OUTPUT it prints."""

    name: str
    command: tuple[str, ...]

    def align(self, sequences: Sequence[Letters], folder: Path, threads: int) -> AlignedSequences:
        """Its alignment; CalledProcessError where it fails."""
        given, made = folder / "given.fasta", folder / "made.fasta"
        given.write_text("".join(f">{one.name}\n{one.letters.decode()}\n" for one in sequences))
        words = {"INPUT": str(given), "OUTPUT": str(made), "THREADS": str(threads)}
        with made.open("wb") as output:
            printed = None if "OUTPUT" in self.command else output
            subprocess.run([words.get(word, word) for word in self.command], check=True, stderr=subprocess.DEVNULL,
                           stdout=printed or subprocess.DEVNULL)  # fmt: skip
        return aligned.read(made)[0]


PROGRAMS = (
    Program("MAFFT L-INS-i", ("mafft", "--localpair", "--maxiterate", "1000", "--thread", "THREADS", "INPUT")),
    Program("MAFFT --auto", ("mafft", "--auto", "--thread", "THREADS", "INPUT")),
    Program("MUSCLE 5", ("muscle", "-align", "INPUT", "-output", "OUTPUT", "-threads", "THREADS")),
    Program("Clustal Omega", ("clustalo", "-i", "INPUT", "-o", "OUTPUT", "--force", "--threads", "THREADS")),
)


def own(sequences: tuple[Letters, ...], method: str, backend: str, threads: int) -> AlignedSequences:
    """The alignment of a method of this program."""
    declared = registry.method(method)
    problem = declared.problem.make(sequences, {})
    planned = engine.plan(declared, problem, {"threads": threads} if backend == "cpu" else {}, backend)
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
    programs = [one for one in PROGRAMS if shutil.which(one.command[0])]
    for missing in sorted({one.command[0] for one in PROGRAMS} - {one.command[0] for one in programs}):
        tell(f"{missing} is not installed, and left out")
    mine: dict[str, Measured] = {}
    others: dict[str, dict[str, Measured]] = {program.name: {} for program in programs}
    for name, model in groups.items():
        for number in range(given.families):
            key = f"{name}/{number}"
            sequences, right = family(model, given.seed + 1000 * list(GROUPS).index(name) + number, key)
            begun = time.perf_counter()
            mine[key] = score(own(sequences, given.method, given.backend, given.threads), right,
                              time.perf_counter() - begun)  # fmt: skip
            for program in programs:
                with tempfile.TemporaryDirectory() as folder:
                    begun = time.perf_counter()
                    found = program.align(sequences, Path(folder), given.threads)
                    others[program.name][key] = score(found, right, time.perf_counter() - begun)
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
