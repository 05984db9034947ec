"""Measured points: what a run gave, and tables, speedups and counters made from it."""
