"""Natural prose for tests, from the documentation that comes with Python: read when a test runs, never copied."""

from __future__ import annotations

import random
import re
from functools import cache
from pydoc_data.topics import topics


@cache
def sentences() -> tuple[str, ...]:
    """Some two thousand sentences of Python's language reference, in a fixed order."""
    found: set[str] = set()
    for text in topics.values():
        for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n", text):
            line = " ".join(sentence.split())
            if 40 < len(line) < 300 and line.count(" ") > 5:
                found.add(line)
    return tuple(sorted(found))


def prose(chance: random.Random, chars: int) -> str:
    """Sentences in a random order, at least so many characters."""
    said: list[str] = []
    size = 0
    while size < chars:
        said.append(chance.choice(sentences()))
        size += len(said[-1]) + 1
    return " ".join(said)


def with_phrase(text: str, phrase: str, chance: random.Random) -> str:
    """The text with the phrase in between two of its sentences."""
    places = [match.end() for match in re.finditer(r"[.!?] ", text)] or [0]
    place = chance.choice(places)
    return f"{text[:place]}{phrase} {text[place:]}"
