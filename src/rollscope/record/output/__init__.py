"""How records get onto the disk: a queue, a thread, and files that are whole at any moment."""
