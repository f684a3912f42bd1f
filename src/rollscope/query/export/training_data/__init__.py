"""Samples as training data for other tools, and as trajectories in ATIF."""
