"""Commands of other multiple alignment programs."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import Sequence as Letters


@dataclass(frozen=True)
class Program:
    """A command with the placeholders INPUT, OUTPUT and THREADS; without OUTPUT the program prints the alignment."""

    name: str
    command: tuple[str, ...]

    def time_alignment(self, sequences: Sequence[Letters], threads: int) -> tuple[AlignedSequences, float]:
        """Return the alignment and the seconds of the whole call; raise CalledProcessError if the program fails."""
        with tempfile.TemporaryDirectory() as folder:
            given, made = Path(folder) / "given.fasta", Path(folder) / "made.fasta"
            given.write_text("".join(f">{one.name}\n{one.letters.decode()}\n" for one in sequences))
            words = {"INPUT": str(given), "OUTPUT": str(made), "THREADS": str(threads)}
            command = [words.get(word, word) for word in self.command]
            begun = time.perf_counter()
            with made.open("wb") as output:
                printed = subprocess.DEVNULL if "OUTPUT" in self.command else output
                subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdout=printed)
            seconds = time.perf_counter() - begun
            return aligned_sequences.read_alignments(made)[0], seconds


LINSI = Program("MAFFT L-INS-i", ("mafft", "--localpair", "--maxiterate", "1000", "--thread", "THREADS", "INPUT"))
MAFFT = Program("MAFFT --auto", ("mafft", "--auto", "--thread", "THREADS", "INPUT"))
MUSCLE = Program("MUSCLE 5", ("muscle", "-align", "INPUT", "-output", "OUTPUT", "-threads", "THREADS"))
OMEGA = Program("Clustal Omega", ("clustalo", "-i", "INPUT", "-o", "OUTPUT", "--force", "--threads", "THREADS"))
PROBCONS = Program("ProbCons (one thread)", ("probcons", "INPUT"))
ALL = {"linsi": LINSI, "mafft": MAFFT, "muscle": MUSCLE, "omega": OMEGA, "probcons": PROBCONS}


def installed_programs(wanted: Sequence[Program], print_line: Callable[[str], None]) -> list[Program]:
    """Return the installed programs and report the missing ones."""
    there = [one for one in wanted if shutil.which(one.command[0])]
    for missing in sorted({one.command[0] for one in wanted} - {one.command[0] for one in there}):
        print_line(f"{missing} is not installed and is skipped")
    return there
