"""Benchmarks of Antidiag and other programs on the same inputs.

``python -m bench`` prints the tables; ``make bench ARGS=--quick`` is the short form. Times are medians
of interleaved repeats after a warm-up; ratios compare runs of the same minutes on the same machine.
"""
