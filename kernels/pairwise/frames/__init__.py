"""A protein against DNA or RNA in three frames, or six with both strands; frameshifts cost a penalty."""
