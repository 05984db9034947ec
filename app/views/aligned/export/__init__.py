"""Files, figures, tables and the clipboard."""
