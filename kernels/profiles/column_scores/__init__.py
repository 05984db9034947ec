"""Scores of profile columns as whole numbers, for one pair of profiles or a batch."""
