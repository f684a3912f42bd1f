"""What one does in the sample that is read: find, go by turn or token, copy."""
