"""What findings mean: marks on rows in lists, and the characters of an open sample."""
