"""Sweeps: axes, inputs and tasks of a measurement."""
