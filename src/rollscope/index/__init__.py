"""Columnar segments over a run's files: scalars and places, never text. Refreshed by appended bytes only."""
