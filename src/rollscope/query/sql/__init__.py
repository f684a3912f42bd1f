"""SQL over the index, within limits of time and memory."""
