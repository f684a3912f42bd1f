"""What each step amounts to, computed once when its rows arrive, so that charts never touch sample tables."""
