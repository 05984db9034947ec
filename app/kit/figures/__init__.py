"""Figures for files and the clipboard: frame, legend, size in print, encoding."""
