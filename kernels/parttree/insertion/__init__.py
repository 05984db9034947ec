"""Insertion of sequences into a large alignment whose rows stay as they are."""
