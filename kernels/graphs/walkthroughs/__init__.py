"""Shortest paths step by step, for teaching."""
