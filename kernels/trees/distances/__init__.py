"""Pairwise distances of sequences, or of the rows of an alignment."""
