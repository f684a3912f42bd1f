"""Where bytes come from: listing, sizes, range reads and windows of a run's files, and whether a file is still the same."""
