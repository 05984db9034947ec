"""Searches beside ssearch36 and blastp on real proteins; skipped where the programs or the proteins are absent.

The programs are on the PATH, or below the folder that ANTIDIAG_PEERS names, as Debian's packages lay them.
"""

import gzip
import os
import random
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.io import hit_tables
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.pairwise.search import database_maker
from antidiag.kernels.pairwise.search.formats import iterate_hits
from antidiag.kernels.pairwise.search.problem import build_search

SHARED = [folder / "shared" / "data" / "homfam" for folder in Path(__file__).resolve().parents[4:6]]
PROTEINS = next((folder for folder in SHARED if folder.exists()), SHARED[0])
PEERS = Path(os.environ.get("ANTIDIAG_PEERS", "peers"))
FAMILIES = ("KAS", "ace", "az", "annexin", "TNF", "GEL", "cryst", "OTCace")
OF_FAMILY, QUERIES = 60, 12


def find_program(name):
    found = shutil.which(name) or next(iter(PEERS.glob(f"usr/bin/{name}")), None)
    if not found:
        pytest.skip(f"{name} is not installed")
    return str(found)


def call_program(*command):
    """Return the output of a program with its libraries, which may lie beside it."""
    folders = [str(folder) for folder in (*PEERS.glob("usr/lib/**/"), *PEERS.glob("lib/**/"))]
    places = {**os.environ, "LD_LIBRARY_PATH": ":".join(folders)}
    return subprocess.run(command, env=places, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def proteins(tmp_path_factory):
    """Files of some hundred real proteins of several families, and of queries among them."""
    folder, chosen = tmp_path_factory.mktemp("proteins"), random.Random(1)
    records = []
    for family in FAMILIES:
        path = next(PROTEINS.glob(f"{family}.fa*"), None) or pytest.skip("the families of HomFam are absent")
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
        for number, record in enumerate(chosen.sample(text.split(">")[1:], OF_FAMILY)):
            letters = "".join(record.split("\n")[1:]).replace("-", "").replace(".", "").upper()
            records.append(f">{family}_{number}\n{letters}\n")
    (folder / "proteins.fa").write_text("".join(records))
    (folder / "queries.fa").write_text("".join(chosen.sample(records, QUERIES)))
    return folder


def search(folder, sequences="proteins", **options):
    """Return the hits by names of query and subject."""
    database = database_maker.make_database([folder / f"{sequences}.fa"], folder / f"{sequences}.adb").database
    method = registry.find_method("smith-waterman-search")
    problem = build_search([*read_sequences(folder / "queries.fa"), database], options)
    result = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False)
    result.check(problem)
    return {(hit.query.name, hit.subject.name): hit for one in iterate_hits(problem, result.answer) for hit in one.hits}


def test_scores_are_those_of_ssearch(proteins):
    output = call_program(
        find_program("ssearch36"), "-q", "-s", "BL62", "-f", "-11", "-g", "-1", "-E", "1e-3", "-T", "1", "-d", "0",
        "-m", "9i", str(proteins / "queries.fa"), str(proteins / "proteins.fa"),
    )  # fmt: skip
    ours = search(proteins, best=0, max_evalue=1e6, alignments=False)
    query, found = "", {}
    for line in output.splitlines():
        if ">>>" in line and line.strip()[0].isdigit():
            query = line.split(">>>")[1].split()[0]
        words = line.split("\t")[0].split()
        if query and words and "_" in words[0] and "(" in line and line[0].isalpha():
            found[(query, words[0])] = int(line.split(")", 1)[1].split()[0])
    assert len(found) > 100
    assert {pair: ours[pair].score for pair in found} == found


def test_hits_and_evalues_are_those_of_blastp(proteins):
    blast, make = find_program("blastp"), find_program("makeblastdb")
    call_program(make, "-in", str(proteins / "proteins.fa"), "-dbtype", "prot", "-out", str(proteins / "blast"))
    output = call_program(
        blast, "-query", str(proteins / "queries.fa"), "-db", str(proteins / "blast"), "-seg", "no",
        "-comp_based_stats", "0", "-evalue", "0.01", "-max_hsps", "1", "-max_target_seqs", "5000", "-num_threads", "1",
        "-outfmt", "6 std score btop qseq sseq",
    )  # fmt: skip
    ours = search(proteins, best=0, max_evalue=0.01)
    theirs = [line.split("\t") for line in output.splitlines()]
    assert len(theirs) > 100
    names = [*hit_tables.STANDARD, "score", "btop", "qseq", "sseq"]
    less, ratios, same = 0, [], 0
    for line in theirs:
        said = dict(zip(names, line, strict=True))
        hit = ours[said["qseqid"], said["sseqid"]]  # what the heuristic finds, the exact search does
        assert hit.score >= int(said["score"])
        less += hit.score > int(said["score"])
        if hit.score == int(said["score"]):
            evalue = hit_tables.format_evalue(hit.evalue)
            ratios.append(1.0 if evalue == said["evalue"] else float(said["evalue"]) / hit.evalue)
            assert hit_tables.format_bits(hit.bits) == said["bitscore"].strip()
            columns = hit_tables.parse_columns("std btop qseq sseq")
            same += all(hit_tables.format_cell(one, hit) == said[one.id] for one in columns if one.id != "evalue")
    assert less <= 0.02 * len(theirs), f"{less} of {len(theirs)} alignments of blastp are not the best ones"
    np.testing.assert_allclose(ratios, 1, rtol=0.011)  # blastp prints three digits
    assert same > len(ratios) / 2, f"{same} of {len(ratios)}: where several alignments are best, each has its own"


def make_genomes(folder):
    """Write a random query, and sequences of which some hold a changed piece of it, on either strand."""
    random_numbers, bases = np.random.default_rng(2), np.frombuffer(b"ACGT", np.uint8)
    query, sequences = random_numbers.choice(bases, 700), []
    for number in range(120):
        sequence = random_numbers.choice(bases, random_numbers.integers(400, 2000))
        piece = query[random_numbers.integers(0, 400) :][: random_numbers.integers(60, 300)].copy()
        changed = random_numbers.random(piece.size) < random_numbers.choice([0.05, 0.15])
        piece[changed] = random_numbers.choice(bases, changed.sum())
        if number % 3 == 0:
            piece = np.delete(piece, slice(30, 33))
        if number % 2:
            piece = np.frombuffer(piece.tobytes().translate(bytes.maketrans(b"ACGT", b"TGCA"))[::-1], np.uint8)
        if number < 60:
            sequence[50 : 50 + piece.size] = piece
        sequences.append(f">d{number}\n{sequence.tobytes().decode()}\n")
    (folder / "queries.fa").write_text(f">q\n{query.tobytes().decode()}\n")
    (folder / "genomes.fa").write_text("".join(sequences))


def test_both_strands_and_evalues_are_those_of_blastn(tmp_path):
    blast, make = find_program("blastn"), find_program("makeblastdb")
    make_genomes(tmp_path)
    call_program(make, "-in", str(tmp_path / "genomes.fa"), "-dbtype", "nucl", "-out", str(tmp_path / "blast"))
    output = call_program(
        blast, "-task", "blastn", "-query", str(tmp_path / "queries.fa"), "-db", str(tmp_path / "blast"),
        "-dust", "no", "-reward", "2", "-penalty", "-3", "-gapopen", "5", "-gapextend", "2", "-evalue", "1e-6",
        "-max_hsps", "1", "-num_threads", "1", "-outfmt", "6 std score sstrand",
    )  # fmt: skip
    ours, same = search(tmp_path, "genomes", best=0, max_evalue=1e-6), 0
    names = [*hit_tables.STANDARD, "score", "sstrand"]
    theirs = [dict(zip(names, line.split("\t"), strict=True)) for line in output.splitlines()]
    assert len(theirs) > 50 and {said["sstrand"] for said in theirs} == {"plus", "minus"}
    for said in theirs:
        hit = ours[said["qseqid"], said["sseqid"]]
        assert hit.score >= int(said["score"])
        if hit.score == int(said["score"]):
            same += 1
            for name in ("evalue", "bitscore", "sstrand"):
                column = hit_tables.COLUMNS[name]
                assert hit_tables.format_cell(column, hit) == said[name].strip(), name
    assert same > 0.9 * len(theirs)
