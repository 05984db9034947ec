"""MAFFT's distances: the 6-mers that two sequences share."""
