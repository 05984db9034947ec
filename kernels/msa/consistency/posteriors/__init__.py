"""Pair models, posteriors of all pairs of sequences, and their consistency transformation."""
