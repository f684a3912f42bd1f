"""One module for each group of commands; the table in `cli/command_table.py` names their functions."""
