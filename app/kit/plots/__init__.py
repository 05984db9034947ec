"""Plots with fast axes."""
