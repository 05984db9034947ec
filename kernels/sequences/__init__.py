"""Many sequences as arrays: names, letters and offsets in columns instead of one object a record."""
