"""6-mers of very many sequences: their encoding, and the words and distances that sequences share."""
