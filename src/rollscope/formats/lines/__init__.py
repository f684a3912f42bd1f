"""What formats of lines share: scanning, lenient reading, previews, the names of step files."""
