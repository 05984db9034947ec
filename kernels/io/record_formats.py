"""The beginnings of sequence file formats."""

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
"""The beginning of each format, its name in Biopython, and its name for users. The atomic group of Swiss-Prot stops
at the first status word: backtracking over very many of them would take quadratic time."""
ALIGNED = ("nexus", "maf")
"""Formats that the readers of alignments read."""
