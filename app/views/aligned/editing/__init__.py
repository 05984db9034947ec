"""Selection, edit commands and the undo history."""
