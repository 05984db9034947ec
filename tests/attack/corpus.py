"""Real files of every kind that the program reads, small ones, from which damaged ones are made."""

from __future__ import annotations

import gzip
import io
from functools import cache
from pathlib import Path

import numpy as np
from Bio import AlignIO, SeqIO

from antidiag.kernels.io import aligned_sequences, tree_files
from antidiag.kernels.profiles import profile_files as profiles
from antidiag.kernels.profiles.profile import profile_from_alignment
from antidiag.kernels.scoring import named_matrix

ROOT = Path(__file__).resolve().parents[2]
REAL = (
    "resources/samples/*.csv", "resources/samples/*.phy", "resources/samples/*globin*.fasta",
    "resources/samples/yeast*.fasta", "resources/models/*.json", "tests/data/families/BB11002.msf",
    "tests/data/matrices/*", "tests/data/triples/triple_113*", "resources/lectures/parttree.json",
    "tests/fixtures/saved-0/sessions/*", "tests/fixtures/saved-0/experiments/*", "tests/fixtures/saved-0/*.json",
)  # fmt: skip
WRITTEN = ROOT / "tests/data/alignments"
"""Alignments as other programs write them; of one without its letters, by `samtools calmd -e`, nothing can be read."""
RUN = ROOT / "tests/fixtures/saved-0/runs"
CASES = (".nwk", ".dist", ".gml", ".edgelist", ".hmm")
"""Suffixes of small cases that are attacked; those of tables and NEXUS files are named in `readers.OF_NAME`."""
ALIGNMENT = ROOT / "tests/data/families/BB11002.msf"
MEGA_DISTANCES = (
    b"#mega\n!Title: three;\n!Format DataType=Distance DataFormat=LowerLeft NTaxa=3;\n[1] #one\n[2] #two\n[3] #three\n"
    b"[  1  2  3 ]\n[1]     [0.1] [0.1]\n[2] 1.5     [0.1]\n[3] 2 2.5\n"
)
ALIGNMENTS = {"clustal": ".aln", "stockholm": ".sto", "phylip-relaxed": ".phylip", "nexus": ".nexus", "fasta": ".afa"}
RECORDS = {"genbank": ".gb", "embl": ".embl", "fasta": ".fa", "fastq": ".fastq", "swiss": ".dat"}


@cache
def corpus() -> dict[str, bytes]:
    """Contents by name; the suffix is that of the format."""
    found = {path.name: path.read_bytes() for pattern in REAL for path in sorted(ROOT.glob(pattern))}
    found |= {path.relative_to(RUN).name: path.read_bytes() for path in sorted(RUN.rglob("*")) if path.is_file()}
    found |= {f"by-{path.name}": path.read_bytes() for path in sorted(WRITTEN.iterdir()) if "-e." not in path.name}
    found |= _alignments() | _pairs() | _records() | _graphs() | _others(found) | _profiles() | _tables()
    found |= {
        path.name: path.read_bytes() for path in sorted((ROOT / "tests/cases").glob("*/*")) if path.suffix in CASES
    }
    found |= _trees_with_values()
    found["globins.fasta.gz"] = gzip.compress(found["globins.fasta"], mtime=0)
    found["five.csv.gz"] = gzip.compress(found["five-vertices.csv"], mtime=0)
    return found


def _alignments() -> dict[str, bytes]:
    rows = AlignIO.read(ALIGNMENT, "msf")
    for row in rows:
        row.annotations["molecule_type"] = "protein"
    return {f"BB11002{suffix}": _written(AlignIO, [rows], name) for name, suffix in ALIGNMENTS.items()}


def _pairs() -> dict[str, bytes]:
    """Two rows in the formats of pairs that have their letters."""
    first, second = "ACGATACGTAACGATACGTA", "ACGTTACG--ACGTTACGTA"
    axt = f"# two rows\n0 t 6 25 q 9 26 + 900\n{first}\n{second}\n\n"
    head = "#" * 40 + "\n# Program: needle\n# Align_format: srspair\n" + "#" * 40 + "\n\n" + "#=" + "=" * 30
    stated = "\n#\n# Aligned_sequences: 2\n# 1: t\n# 2: q\n# Matrix: EDNAFULL\n#\n# Length: 20\n# Score: 60.0\n#\n"
    rows = f"t     6 {first}     25\n        {'|' * 8}\nq     9 {second}     26\n"
    return {"two.axt": axt.encode(), "two.needle": f"{head}{stated}{'#=' + '=' * 30}\n\n{rows}\n\n#---\n".encode()}


def _records() -> dict[str, bytes]:
    """Annotated records of a real sequence; Swiss-Prot, which Biopython does not write, in its smallest form."""
    (record,) = SeqIO.parse(ROOT / "resources/samples/yeast-trna-phe.fasta", "fasta")
    record.seq = record.seq.replace("U", "T")
    record.annotations |= {"molecule_type": "DNA", "organism": "Saccharomyces cerevisiae"}
    record.letter_annotations["phred_quality"] = [30] * len(record)
    record.id = record.name = "trna"
    found = {f"trna{suffix}": _written(SeqIO, record, name) for name, suffix in RECORDS.items() if name != "swiss"}
    protein = next(iter(SeqIO.parse(ROOT / "resources/samples/globins.fasta", "fasta"))).seq
    lines = [
        f"     {' '.join(str(protein[at : at + 60][k : k + 10]) for k in range(0, 60, 10))}" for at in (0, 60, 120)
    ]
    swiss = [f"ID   HBA_HUMAN               Reviewed;         {len(protein)} AA.", "AC   P69905;",
             "DT   21-JUL-1986, integrated into UniProtKB/Swiss-Prot.", "DE   RecName: Full=Hemoglobin subunit alpha;",
             "OS   Homo sapiens (Human).", "OC   Eukaryota; Metazoa.", "OX   NCBI_TaxID=9606;",
             f"SQ   SEQUENCE   {len(protein)} AA;  15258 MW;  15E13666573BBBAE CRC64;", *lines, "//", ""]  # fmt: skip
    return {**found, "hba.dat": "\n".join(swiss).encode()}


def _graphs() -> dict[str, bytes]:
    """The graph of the samples in the other formats, and a dense symmetric matrix."""
    banner = "%%MatrixMarket matrix"
    edges = [
        (1, 2, "3"),
        (1, 3, "8"),
        (1, 5, "-4"),
        (2, 4, "1"),
        (2, 5, "7"),
        (3, 2, "4.5"),
        (4, 1, "2"),
        (5, 4, "6e0"),
    ]
    nodes = "".join(f'<node id="v{k}"/>' for k in range(1, 6))
    arcs = "".join(f'<edge source="v{u}" target="v{v}"><data key="w">{w}</data></edge>' for u, v, w in edges)
    graphml = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        '<key id="w" for="edge" attr.name="weight" attr.type="double"><default>1</default></key>\n'
        f'<graph id="g" edgedefault="directed">\n{nodes}\n{arcs}\n</graph></graphml>\n'
    )
    sparse = "\n".join(f"{u} {v} {w}" for u, v, w in edges)
    return {
        "five.graphml": graphml.encode(),
        "five.mtx": f"{banner} coordinate real general\n% a comment\n5 5 8\n{sparse}\n".encode(),
        "dense.mtx": f"{banner} array real symmetric\n3 3\n0\n1.5\n2\n0\n2.5\n0\n".encode(),
        "pattern.mtx": f"{banner} coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n".encode(),
        "five.tsv": b"source\ttarget\tweight\n# one\na\tb\t3\nb\tc\t4\nc\ta\t-1\n",
    }


def _others(found: dict[str, bytes]) -> dict[str, bytes]:
    """Arrays, trees of NEXUS, and a substitution matrix."""
    array = io.BytesIO()
    np.save(array, np.array([[0, 1, 2.5], [1, 0, 2], [2.5, 2, 0]]))
    newick = found["decenttree_example.quicktree.nwk"].decode().strip()
    translated = "TRANSLATE 1 one, 2 'two words';\n  TREE u = (1:1,2:2)x;"
    nexus = f"#NEXUS\nBEGIN TREES;\n  {translated}\n  TREE t = [&R] {newick}\nEND;\n"
    matrix = named_matrix("BLOSUM62")
    rows = [f"{letter} " + " ".join(f"{value:g}" for value in row)
            for letter, row in zip(matrix.letters, matrix.values, strict=True)]  # fmt: skip
    return {
        "three.npy": array.getvalue(),
        "three.names": b"one\ntwo\nthree\n",
        "trees.nex": nexus.encode(),
        "blosum.mat": "\n".join(["# a comment", " ".join(matrix.letters), *rows, ""]).encode(),
    }


def _trees_with_values() -> dict[str, bytes]:
    """A tree with values of its nodes in every format that is written, and distances and graphs of other programs."""
    (tree,) = tree_files.parse_trees('((a[&S="x, y",h={1,2}]:1,b[a note]:2)95[&B=95]:0.5,c:1e-3)r;', name="values")
    found = {f"values{suffix}": "".join(lines([tree])).encode() for suffix, lines in tree_files.XML_WRITERS.items()}
    return found | {
        "values.nhx": "".join(tree_files.newick_file_lines([tree])).encode(),
        "table-distances.tsv": (ROOT / "tests/cases/dist/d11_snpdists.tsv").read_bytes(),
        "nexus-distances.nex": (ROOT / "tests/cases/dist/d24_nexus_dist.nex").read_bytes(),
        "mega-distances.meg": MEGA_DISTANCES,
        "three.net": b'% one\n*Vertices 3\n1 "A b" 0.1\n*Arcs\n1 2 2.5\n*Edges\n2 3\n*Arcslist\n3 1 2\n',
    }


def _profiles() -> dict[str, bytes]:
    """A profile as this program writes it."""
    profile = profile_from_alignment(aligned_sequences.read_alignments(ALIGNMENT)[0])
    return {f"profile{suffix}": "".join(lines(profile)).encode() for suffix, lines in profiles.WRITERS.items()}


def _tables() -> dict[str, bytes]:
    """What is said of rows, colours of letters, a matrix to be multiplied, and a reference alignment of BAliBASE."""
    names = [row.id for row in AlignIO.read(ALIGNMENT, "msf")]
    said = "\n".join(["name,of,value", *[f'{name},"group, {at}",{at}.5' for at, name in enumerate(names)], ""])
    rows = "".join(f"<sequence><seq-name>{name}</seq-name><seq-data>AC-{at}GT</seq-data></sequence>"
                   for name, at in zip(("one", "two"), ("A", "-"), strict=True))  # fmt: skip
    scores = "<column-score><colsco-data>0 1 1 0 2 0</colsco-data></column-score>"
    macsim = f"<aln-name>/x/BB1.xml</aln-name>{rows}{scores}"
    xml = f"<?xml version='1.0'?>\n<!DOCTYPE macsim>\n<macsim><alignment>{macsim}</alignment></macsim>\n"
    return {
        "said.table": said.encode(),
        "own.colours": b"// a scheme\nAVILM #77aadd\nKR = orange\nDE: 77AADD\n",
        "three.matrix.csv": b"# a comment\n1,2,3.5\n-4,5,inf\n",
        "core.xml": xml.encode(),
        "hhm.ffdata": b"#one\n>a\nAC-c\n>b\nACG\n\0#two\n>c\nAC\n\0",
    }


def _written(module: object, data: object, name: str) -> bytes:
    handle = io.StringIO()
    module.write(data, handle, name)  # type: ignore[attr-defined]
    return handle.getvalue().encode()
