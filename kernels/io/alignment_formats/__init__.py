"""Alignment file formats, one module each. Readers return `RawAlignment`; nothing here knows the data type of
alignments."""
