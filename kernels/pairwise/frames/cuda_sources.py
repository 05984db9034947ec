"""Sources of the device code of frame alignment, and the structs and constants it shares with Python."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.pairwise.frames.genetic_codes import NO_CODON

FRAME_PAIR = DeviceStruct(
    "FramePair",
    """                  // a protein, the codons of all strands, and the costs (frame_sweep.cu)
    const unsigned char* rows;       // codes of the amino acids, m
    const unsigned char* places;     // strands x (n + 1): the codon that ends at each place
    const int* table;                // scores, codes x (NO_CODON + 1)
    int m, opening, extend, shift;
    long long n;
""",
)
FRAME_SEGMENT = DeviceStruct(
    "FrameSegment",
    """               // bases first + 1 .. last of a strand
    int strand, unused;
    long long first, last;
""",
)
ROWS = 4
"""Amino acids of a lane; a step reads their scores in one load."""
SWEEP = (
    FRAME_PAIR,
    FRAME_SEGMENT,
    EVENT,
    DeviceConstants.from_values(R=ROWS, CODONS=NO_CODON + 1),
    Path(__file__).with_name("frame_sweep.cu"),
)
