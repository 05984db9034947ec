"""Panels beside and below the rows: tree, comparison, posteriors and the summary of a result."""
