"""Distances of aligned pairs: identical letters on the best alignment of every pair of sequences."""
