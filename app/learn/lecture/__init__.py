"""Lectures: scenes shown one after another, in large type, with keys and a presenter's clicker; and written."""
