"""Rows of the trellis on CPU and GPU, shared by all methods."""
