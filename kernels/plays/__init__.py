"""Plays: methods on small problems, step by step, for those who learn and teach them; see `kernels.plays.model`."""
