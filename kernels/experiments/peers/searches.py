"""Peers for searches in a database: parasail in this process, ssearch36 and blastp on the PATH; each on one thread.

All get the same queries and sequences and give the number of hits; blastp is a heuristic, which misses distant
relatives. ssearch36 and blastp read the database from a file that is written before the clock starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from antidiag.kernels.experiments.peers.pairs import package_version
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.peers.programs import program_version, run_program
from antidiag.kernels.model import Sequence
from antidiag.kernels.pairwise.search import SEARCH
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.text import format_count

HITS = frozenset({"hits"})
ONE_THREAD = "start of the program, reading both files, computing, writing hits; one thread"
BLAST_MATRICES = ("BLOSUM45", "BLOSUM50", "BLOSUM62", "BLOSUM80", "BLOSUM90", "PAM30", "PAM70", "PAM250")
SSEARCH_MATRICES = {"BLOSUM62": "BL62", "BLOSUM50": "BL50", "BLOSUM80": "BL80", "PAM250": "P250"}


def _parasail_refusal(problem: SearchProblem) -> str:
    if problem.scoring.matrix.name not in BLAST_MATRICES or problem.scoring.scale != 1:
        return "parasail is offered for its own protein matrices"
    return "" if problem.scoring.gap_open else "striped scores of parasail are wrong where opening a gap is free"


def _prepare_parasail(problem: SearchProblem) -> Callable[[], int]:
    """Return a call that scores every query with every sequence by striped profiles of 8 bits, then 16."""
    import parasail

    scoring, matrix = problem.scoring, getattr(parasail, problem.scoring.matrix.name.lower())
    opening, extend = scoring.open + scoring.extend, scoring.extend
    queries = [query.letters.decode() for query in problem.queries]
    sequences = [sequence.letters.decode() for sequence in _sequences_of(problem)]

    def call() -> int:
        found = 0
        for query in queries:
            profile = parasail.profile_create_sat(query, matrix)
            for sequence in sequences:
                found += parasail.sw_striped_profile_sat(profile, sequence, opening, extend).score > 0
        return found

    return call


def _sequences_of(problem: SearchProblem) -> list[Sequence]:
    return list(problem.database.sequences)


def _program_refusal(matrices: Iterable[str], problem: SearchProblem) -> str:
    if problem.database.is_prepared:
        return "the database is prepared; give its FASTA file"
    known = problem.scoring.matrix.name in matrices and problem.scoring.scale == 1
    return "" if known else f"it is offered for {', '.join(matrices)} with whole gap costs"


def _write_fasta(path: Path, label: str, sequences: Iterable[Sequence]) -> None:
    with open(path, "w", encoding="ascii") as file:
        for number, sequence in enumerate(sequences):
            file.write(f">{label}{number}\n{sequence.letters.decode()}\n")


def _write_files(problem: SearchProblem) -> TemporaryDirectory[str]:
    folder = TemporaryDirectory(prefix="antidiag-peer-")
    _write_fasta(Path(folder.name) / "queries.fa", "q", problem.queries)
    _write_fasta(Path(folder.name) / "database.fa", "s", _sequences_of(problem))
    return folder


def _prepare_ssearch(problem: SearchProblem) -> Callable[[], int]:
    folder, scoring = _write_files(problem), problem.scoring
    most = str(problem.most_hits)
    command = [
        *("ssearch36", "-q", "-s", SSEARCH_MATRICES[scoring.matrix.name], "-f", f"-{scoring.open}"),
        *("-g", f"-{scoring.extend}", "-E", f"{problem.max_evalue:g}", "-b", most, "-d", most, "-T", "1", "-m", "8"),
        *("queries.fa", "database.fa"),
    ]
    return lambda: len(run_program(command, folder).splitlines())


def _prepare_blastp(problem: SearchProblem) -> Callable[[], int]:
    folder, scoring = _write_files(problem), problem.scoring
    run_program(["makeblastdb", "-in", "database.fa", "-dbtype", "prot", "-out", "database"], folder)
    command = [
        *("blastp", "-query", "queries.fa", "-db", "database", "-seg", "no", "-comp_based_stats", "0"),
        *("-matrix", scoring.matrix.name, "-gapopen", str(scoring.open), "-gapextend", str(scoring.extend)),
        *("-evalue", f"{problem.max_evalue:g}", "-max_target_seqs", str(max(problem.most_hits, 5))),
        *("-num_threads", "1", "-outfmt", "6"),
    ]
    return lambda: len(run_program(command, folder).splitlines())


def _blastp_version() -> str | None:
    """Return the version of blastp where makeblastdb is there too."""
    return program_version(("makeblastdb", "-version")) and program_version(("blastp", "-version"))


_search_peer = partial(
    Peer, problems=(SEARCH,), returns=HITS, counts=ONE_THREAD, answer=lambda hits: format_count(hits, "hit")
)
PEERS = (
    _search_peer(
        id="parasail-search",
        name="parasail sw_striped_profile_sat",
        counts="a profile of each query, then one call a sequence; scores alone; one thread",
        install="pip install parasail",
        version=partial(package_version, "parasail"),
        refusal=_parasail_refusal,
        prepare=_prepare_parasail,
        answer=lambda scores: format_count(scores, "score"),
        nominal_gcups=8.0,
    ),
    _search_peer(
        id="ssearch36",
        name="ssearch36 (FASTA)",
        install="apt install fasta3",
        version=partial(program_version, ("ssearch36", "-h")),
        refusal=partial(_program_refusal, SSEARCH_MATRICES),
        prepare=_prepare_ssearch,
        nominal_gcups=5.0,
    ),
    _search_peer(
        id="blastp",
        name="blastp (BLAST+), a heuristic",
        install="apt install ncbi-blast+",
        version=_blastp_version,
        refusal=partial(_program_refusal, BLAST_MATRICES),
        prepare=_prepare_blastp,
        nominal_gcups=100.0,
        is_exact=False,
    ),
)
