"""How cost grows with files and rows, on one machine."""
