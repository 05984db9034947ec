"""Canvases that views share: heat maps, letters of a sequence, and the base of painted views."""
