"""Runs that grow: what is fresh enough, waiting for what is not, and telling what came."""
