"""Curves over steps: what was logged and what is derived from the samples."""
