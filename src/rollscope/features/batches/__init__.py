"""What many texts are looked at for at once, before the features ask for it: words, and marks of patterns."""
