"""Segments: the rows of the index as immutable Arrow files, made, read, repaired and put together."""
