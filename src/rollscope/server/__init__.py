"""The web viewer's server: HTTP over the query room, and the page. No logic of its own.

``run`` starts it, ``app`` puts it together. ``access`` decides who may ask, ``http`` turns requests into calls and answers
into bytes, ``schema`` has what may be asked and answered as types, ``api`` has one module per subject, ``live`` tells
clients what grew. The folder ``static`` holds the built page; ``http/static.py`` serves it.
"""
