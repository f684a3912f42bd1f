"""Which script and language a text is in, and whether it is broken."""
