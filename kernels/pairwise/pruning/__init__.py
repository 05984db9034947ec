"""Exact pruning: blocks of a matrix through which no best alignment can pass are not computed."""
