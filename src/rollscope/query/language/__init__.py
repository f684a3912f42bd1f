"""The filter language: one for the command line, the page's filter box, the terminal and Python.

`parser.parse` makes the tree, `compile.compile_filter` an SQL condition over the index and a list of texts to look for.
See ``docs/filter-language.md``.
"""
