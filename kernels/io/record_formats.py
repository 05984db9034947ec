"""How files of sequences begin."""

from __future__ import annotations

import re

FORMATS = (
    (re.compile(rb"LOCUS\s"), "genbank", "GenBank"),
    (re.compile(rb"ID   (?>.*?(Reviewed|Unreviewed|PRELIMINARY|STANDARD)[;,]).*AA\."), "swiss", "Swiss-Prot"),
    (re.compile(rb"ID   "), "embl", "EMBL"),
    (re.compile(rb"# STOCKHOLM"), "stockholm", "Stockholm"),
    (re.compile(rb"(CLUSTAL|MUSCLE|PROBCONS)\b"), "clustal", "Clustal"),
    (re.compile(rb"PileUp|!![AN]A_MULTIPLE"), "msf", "MSF"),
    (re.compile(rb"#NEXUS", re.IGNORECASE), "nexus", "NEXUS"),
    (re.compile(rb"##maf\b"), "maf", "MAF"),
    (re.compile(rb"@\S.*\n\S+\n\+"), "fastq", "FASTQ"),
    (re.compile(rb"\d+[ \t]+\d+[ \t]*\n"), "phylip-relaxed", "PHYLIP"),
)
"""How a file of each format begins, its name in Biopython, and its name for people. Of what Swiss-Prot says of an entry
the first is taken, and not given back: each of very many would be tried with all that follows."""
ALIGNED = ("nexus", "maf")
"""Formats of alignments that are read as such."""
