"""Distances of the rows of an alignment: columns in which two rows differ, and models of substitution."""
