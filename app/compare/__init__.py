"""Compares results: how they were made, their times, and where their answers differ."""
