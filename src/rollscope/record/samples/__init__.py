"""What is recorded of a sample, and how a training loop's values become it."""
