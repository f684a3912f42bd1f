"""What a person is doing: which samples, in which order, read in the background; how they like to read."""
