"""The alignment viewer: draws, colours, searches, edits and exports alignments of any number of rows."""
