"""What the sources say about a field: the ``#:`` comments above it. They become descriptions in the OpenAPI document."""

from __future__ import annotations

import inspect
import re

_FIELD = re.compile(r" {4}(\w+):")
_COMMENT = re.compile(r" {4}#: ?(.*)")


def field_comments(kind: type) -> dict[str, str]:
    found: dict[str, str] = {}
    comment: list[str] = []
    for line in inspect.getsource(kind).splitlines():
        if match := _COMMENT.fullmatch(line):
            comment.append(match[1].strip())
            continue
        if comment and (match := _FIELD.match(line)):
            found[match[1]] = " ".join(comment)
        comment = []
    return found
