"""Search in the text of samples."""
