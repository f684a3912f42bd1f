"""What tells two selections of samples apart: phrases and fields."""
