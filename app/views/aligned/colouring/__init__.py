"""Colour schemes of cells and their inputs."""
