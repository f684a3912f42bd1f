"""The sentences of a page of documentation: what it says in words, without its examples and generated tables."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import NamedTuple

from tests.fixtures import REPOSITORY

_END = re.compile(r"(?<=[.!?])(?:\)|\*\*)?\s+(?=[^a-z])")
_GENERATED = re.compile(r"<!-- ([\w ]+): made by `make docs` -->.*?<!-- /\1 -->", re.DOTALL)
_CODE = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
#: The first row of a table and the line below it.
_TABLE_HEAD = re.compile(r"^\|.*\|\n\|[|\s:-]+\|$", re.MULTILINE)
#: Where something new begins: after a blank line, at an item of a list, at a row of a table.
_BLOCKS = re.compile(r"\n\s*\n|\n(?=\s*[-*] |\s*\d+\. |\|)|(?<=\|)\n")


class Sentence(NamedTuple):
    #: The heading it stands below, as it is written.
    section: str
    text: str


class Block(NamedTuple):
    """An example between three backticks."""

    #: `python`, or `python field`: whatever stands behind the backticks.
    language: str
    text: str


def pages() -> list[str]:
    """Every page of the documentation, by its path in the repository."""
    found = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
    return sorted(path.relative_to(REPOSITORY).as_posix() for path in found)


def sentences(page: str) -> list[Sentence]:
    """What a page says, each sentence on one line; a row of a table is one sentence."""
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    for pattern in (_GENERATED, _CODE, _COMMENT, _TABLE_HEAD):
        text = pattern.sub("\n\n", text)
    section, found = "", []
    for block in _BLOCKS.split(text):
        words = " ".join(block.split())
        if words.startswith("#"):
            section = words
        elif words.startswith("|"):
            found.append(Sentence(section, words))
        elif words and not words.startswith("!["):
            found += [Sentence(section, text) for text in _END.split(re.sub(r"^(?:[-*]|\d+\.) ", "", words))]
    return found


def blocks(page: str) -> list[Block]:
    """The examples of a page."""
    return blocks_in((REPOSITORY / page).read_text(encoding="utf-8"))


def blocks_in(text: str) -> list[Block]:
    return [Block(language, dedent(code)) for _, language, code in _BLOCK.findall(text)]
