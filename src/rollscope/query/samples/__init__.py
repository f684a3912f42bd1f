"""Rows and samples: select, sort, find and read one whole."""
