"""The web viewer's server: HTTP over the query room, and the page. No logic of its own.

``serving`` starts it, ``app`` puts it together, ``endpoints`` says what a request is, ``api`` has one module per subject,
``guard`` and ``auth`` decide who may ask, ``live`` tells clients what grew, ``static`` serves the page.
"""
