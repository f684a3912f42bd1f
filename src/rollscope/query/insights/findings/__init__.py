"""Findings: which samples of a run are worth reading, since when, and what was seen in them."""
