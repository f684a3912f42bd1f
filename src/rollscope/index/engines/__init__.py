"""Who does the work of scanning and searching: processes of this machine."""
