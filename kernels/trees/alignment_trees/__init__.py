"""Trees of the rows of an alignment in one run: distances from packed letters, joins, and support of the splits."""
