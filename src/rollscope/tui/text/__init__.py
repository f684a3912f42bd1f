"""Texts as a terminal shows them: documents made of a sample, their rows, and what is found in them."""
