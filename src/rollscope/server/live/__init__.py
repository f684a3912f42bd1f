"""What grew, told to every client as server-sent events."""
