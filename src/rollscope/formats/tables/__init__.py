"""What tables of completions share, as trainers log them: which column is what, and what their rewards add up to."""
