"""What the keys of the viewer do, by the sections of its help; which key does what is in `tui/keys.py`."""
