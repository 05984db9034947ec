"""Runs played again from their measured step logs: one, or several on one clock."""
