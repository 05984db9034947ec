"""Other programs that align many sequences, as commands: MAFFT as L-INS-i and by itself, the others with defaults."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from antidiag.kernels.io import aligned
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.model import Sequence as Letters


@dataclass(frozen=True)
class Program:
    """A command, in which INPUT, OUTPUT and THREADS stand for files and a number; without OUTPUT it prints."""

    name: str
    command: tuple[str, ...]

    def timed(self, sequences: Sequence[Letters], threads: int) -> tuple[AlignedSequences, float]:
        """Its alignment, and the seconds of the whole call; CalledProcessError where it fails."""
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
            return aligned.read(made)[0], seconds


LINSI = Program("MAFFT L-INS-i", ("mafft", "--localpair", "--maxiterate", "1000", "--thread", "THREADS", "INPUT"))
MAFFT = Program("MAFFT --auto", ("mafft", "--auto", "--thread", "THREADS", "INPUT"))
MUSCLE = Program("MUSCLE 5", ("muscle", "-align", "INPUT", "-output", "OUTPUT", "-threads", "THREADS"))
OMEGA = Program("Clustal Omega", ("clustalo", "-i", "INPUT", "-o", "OUTPUT", "--force", "--threads", "THREADS"))
PROBCONS = Program("ProbCons (one thread)", ("probcons", "INPUT"))
ALL = {"linsi": LINSI, "mafft": MAFFT, "muscle": MUSCLE, "omega": OMEGA, "probcons": PROBCONS}


def installed(wanted: Sequence[Program], tell: Callable[[str], None]) -> list[Program]:
    """Those that are there; the others are told."""
    there = [one for one in wanted if shutil.which(one.command[0])]
    for missing in sorted({one.command[0] for one in wanted} - {one.command[0] for one in there}):
        tell(f"{missing} is not installed, and left out")
    return there
