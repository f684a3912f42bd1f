"""`python -m bench`: every speed claim as a ratio against a reference measured in the same run."""
