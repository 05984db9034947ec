"""Sums over all paths of a hidden Markov model: evaluation, posterior and learning."""
