"""The command line: a thin front door. It turns words into calls of `rollscope.query` and answers into text or JSON.

`commands` is the table of all commands; `main` runs one of them and imports only what that one needs.
"""
