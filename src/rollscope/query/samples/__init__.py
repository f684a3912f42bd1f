"""Rows and samples: select, sort, group, find and read one whole."""
