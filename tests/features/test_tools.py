"""Results of tools that are errors, in a template's delimiters and alone."""

from __future__ import annotations

import pytest

from rollscope.features.base import SampleTexts
from rollscope.features.tools import tool_errors


@pytest.mark.parametrize(
    ("result", "errors"),
    [
        ("bash: foo: command not found", 1),
        ('{"status": 503}', 1),
        ("Error: no such table", 1),
        ('{"jsonrpc": "2.0", "error": {"code": -32601}}', 1),
        ("npm ERR! code ENOENT", 1),
        ("panic: runtime error: index out of range", 1),
        ("make: *** [Makefile:3: all] Error 2", 1),
        ("404 Not Found", 1),
        ("503 Service Unavailable", 1),
        ("451 errors were found in the log file, which lists old warnings.", 0),
        ("512 Main Street", 0),
        ("No results.", 0),
        ('{"error": null, "result": 17}', 0),
        ('{"errors": [ ], "ok": true}', 0),
        ("0 errors, 0 warnings", 0),
        ("Error handling is described in chapter 3.", 0),
        ("error.path is the absolute path of the file.", 0),
        ("Errors occurring while the stream is read are passed on.", 0),
        ("Cannot exceed 256 characters in length.", 0),
        ("Timeout, in seconds, to wait for builds to complete.", 0),
        ("If the timeout expires, the server responds with status 408 and closes the connection.", 0),
        ("Error executing query", 1),
        ("Request failed with status 404", 1),
        ("Cannot connect to the database", 1),
        ("Timed out after 30 s", 1),
        ("exit code: 0", 0),
    ],
)
@pytest.mark.parametrize("space", ["", "\n"])
def test_an_error_is_seen_whatever_white_space_stands_before_it(result: str, errors: int, space: str) -> None:
    text = f'<tool_call>{{"name": "run"}}</tool_call><tool_response>{space}{result}{space}</tool_response>'
    assert tool_errors(SampleTexts(response=text)) == errors
