"""What checks each sentence of the documentation: `tests/docs/claims/` has a file for each page.

An entry is a line and, indented below it, what checks it. The line is the beginning of a sentence (enough of it to be the only
one of the page), or a heading: then it is about all sentences of that section that have no entry of their own. It is checked by

- `tests/…/test_x.py::test_y`, a test;
- `web/src/…/x.test.ts: words of its title`, a test of the page;
- `python -m bench …` or `make soak`, a command that prints the figures that the sentence names;
- `nothing: why`, where no command can tell.

`python -m tests.docs.ledger` prints how many sentences of each page are checked in which way, and those without an entry.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from tests.docs.sentences import Sentence, pages, sentences
from tests.fixtures import REPOSITORY

CLAIMS = REPOSITORY / "tests" / "docs" / "claims"
KINDS = {"tests/": "test", "web/": "test of the page", "python ": "figures", "make ": "figures", "nothing: ": "nothing"}


class Entry(NamedTuple):
    #: The beginning of a sentence, or a heading.
    said: str
    checks: list[str]


def entries(page: str) -> list[Entry]:
    """The entries of a page's file."""
    path = CLAIMS / f"{page.removesuffix('.md')}.txt"
    found: list[Entry] = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if line.startswith(" "):
            found[-1].checks.append(line.strip())
        elif line:
            found.append(Entry(line, []))
    return found


def entry_of(sentence: Sentence, known: list[Entry]) -> Entry | None:
    """Its own entry, else that of its section."""
    own = (entry for entry in known if sentence.text.startswith(entry.said))
    return next(own, next((entry for entry in known if entry.said == sentence.section), None))


def kind_of(check: str) -> str:
    return next(kind for start, kind in KINDS.items() if check.startswith(start))


def main() -> None:
    total: Counter[str] = Counter()
    for page in pages():
        known = entries(page)
        counted: Counter[str] = Counter()
        for sentence in sentences(page):
            entry = entry_of(sentence, known)
            counted[min(map(kind_of, entry.checks), key=list(KINDS.values()).index) if entry else "no entry"] += 1
            if entry is None:
                print(f"{page}: {sentence.text}")
        print(f"{page}: {sum(counted.values())} sentences; " + ", ".join(f"{kind} {n}" for kind, n in counted.items()))
        total += counted
    print(f"{sum(total.values())} sentences; " + ", ".join(f"{kind} {n}" for kind, n in total.items()))


if __name__ == "__main__":
    main()
