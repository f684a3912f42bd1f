"""The second pass: features of the samples' texts, stored as segments beside those of the index."""
