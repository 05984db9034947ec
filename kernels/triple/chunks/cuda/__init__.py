"""Chunked methods for three sequences on the GPU."""
