"""What is worth reading and what changed: comparisons of texts, groups, selections and runs."""
