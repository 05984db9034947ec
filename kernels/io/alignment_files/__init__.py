"""Files of alignments, a format a module. Readers give `rows.Raw`; nothing here knows what an alignment is as data."""
