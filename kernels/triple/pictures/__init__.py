"""Slices through the cube of three sequences, for views."""
