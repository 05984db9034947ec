"""Walkthroughs of searches."""
