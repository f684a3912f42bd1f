"""What a logtree JSON file tells about the rollouts of one iteration.

The tree was made for people: sections with headings, tables of rounded numbers, conversations as `data`. Of each group
that was logged and finished, this reads the numbers of its trajectories, by which the group is recognised, and its
transcripts, most of which do not say whose they are (`join` finds out).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from rollscope.formats.json_values import mapping
from rollscope.formats.lines.lenient import clean
from rollscope.storage.store import Store

LogtreeNode = dict[str, Any]
Messages = list[dict[str, Any]]
#: Of each trajectory in order: its number, (ob_len, ac_len) of each turn, its total reward. Texts, with the reward rounded
#: to three decimals, as the page shows them.
NumberTables = tuple[tuple[int, tuple[tuple[str, str], ...], str], ...]

_GROUP = "Group Rollout"
_DETAILS = "Trajectory Details"
_TRAJECTORY = re.compile(r"Trajectory (\d+) Episode")
_COMPLETION = re.compile(r"Completion (\d+)")
_HEADING = re.compile(r"h[1-6]")
#: The escape of a surrogate, which may stand alone: a page of texts that models and tools made.
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class LoggedTranscript(Struct, kw_only=True):
    """One conversation. `facts` are the key-value tables logged with it, as their rounded text."""

    title: str
    prompt: Messages
    response: Messages
    facts: dict[str, str] = field(default_factory=dict)
    #: The trajectory it belongs to, where its heading says so.
    trajectory: int | None = None


class LoggedGroup(Struct, kw_only=True):
    numbers: NumberTables
    transcripts: list[LoggedTranscript]


def read_logtree(store: Store, path: str) -> list[LoggedGroup]:
    """The groups that finished, in the order of the batch: the k-th of them is `group_idx` k, unless groups were
    filtered out. A group that failed leaves a section without details, and is left out."""
    data = store.read(path)
    tree = json.loads(data)
    if _SURROGATE.search(data):
        tree = clean(tree)
    root = tree.get("root") if isinstance(tree, dict) else None
    if not isinstance(root, dict):
        raise ValueError("not a logtree: it has no root")
    groups = []
    for title, section in _sections(root):
        details = next((inner for name, inner in _sections(section) if name == _DETAILS), None)
        if title == _GROUP and details is not None:
            groups.append(_group(section, details))
    return groups


def _group(section: LogtreeNode, details: LogtreeNode) -> LoggedGroup:
    numbers = {}
    for title, trajectory in _sections(details):
        if match := _TRAJECTORY.fullmatch(title):
            tables = list(_tables(trajectory))
            stats = [dict(rows) for caption, rows in tables if caption == "Step stats"]
            totals = next((dict(rows) for caption, rows in tables if caption == "Episode totals"), {})
            turns = tuple((row.get("ob_len", ""), row.get("ac_len", "")) for row in stats)
            numbers[int(match[1])] = (turns, totals.get("total_return", ""))
    return LoggedGroup(
        numbers=tuple((index, *numbers[index]) for index in sorted(numbers)), transcripts=_transcripts(section)
    )


def _transcripts(section: LogtreeNode) -> list[LoggedTranscript]:
    """Single-turn environments log "Prompt", "Policy Response" and "Reward" one after the other; multi-turn ones log a
    whole conversation under a heading of their own; comparisons log a prompt and numbered completions."""
    found: list[LoggedTranscript] = []
    asked: Messages | None = None
    orderly = True
    for title, inner in _sections(section):
        conversations = list(_conversations(inner))
        if title == _DETAILS:
            continue
        if title == "Prompt" and len(conversations) == 1:
            # A prompt without its response: other trajectories' entries lie between, and neighbours prove nothing.
            orderly = orderly and asked is None
            asked = conversations[0]
        elif title == "Policy Response" and len(conversations) == 1:
            orderly = orderly and asked is not None
            found.append(LoggedTranscript(title=title, prompt=asked or [], response=conversations[0]))
            asked = None
        elif completions := _completions(inner):
            found += completions
        elif conversations:
            facts = _facts(inner) if len(conversations) == 1 else {}
            found += [_split_prompt(title, messages, facts) for messages in conversations]
        elif found and found[-1].title == "Policy Response":
            facts = _facts(inner)
            orderly = orderly and asked is None and not facts.keys() & found[-1].facts.keys()
            found[-1].facts.update(facts)
    if not orderly:
        for transcript in found:
            if transcript.title == "Policy Response":
                transcript.prompt, transcript.facts = [], {}
    return found


def _completions(section: LogtreeNode) -> list[LoggedTranscript]:
    """Transcripts that say whose they are: a shared "Prompt", then "Completion 0", "Completion 1", …"""
    prompt: Messages = []
    found = []
    for title, inner in _sections(section):
        conversation = next(_conversations(inner), None)
        if title == "Prompt" and conversation is not None:
            prompt = conversation
        elif conversation is not None and (match := _COMPLETION.fullmatch(title)):
            found.append(LoggedTranscript(title=title, prompt=prompt, response=conversation, trajectory=int(match[1])))
    return found


def _split_prompt(title: str, messages: Messages, facts: dict[str, str]) -> LoggedTranscript:
    first = next((i for i, message in enumerate(messages) if message.get("role") == "assistant"), len(messages))
    return LoggedTranscript(title=title, prompt=messages[:first], response=messages[first:], facts=facts)


def _facts(section: LogtreeNode) -> dict[str, str]:
    return {key: value for _, rows in _tables(section) for key, value in rows}


def _children(node: LogtreeNode) -> Iterator[LogtreeNode]:
    children = node.get("children")
    return (child for child in children if isinstance(child, dict)) if isinstance(children, list) else iter(())


def _walk(node: LogtreeNode) -> Iterator[LogtreeNode]:
    """The node and all below it, in the order of the page. A loop, since a tree may be deeper than Python recurses."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(list(_children(current))))


def _sections(node: LogtreeNode) -> Iterator[tuple[str, LogtreeNode]]:
    """(heading, section) of the sections directly in this one, whatever plain containers lie between."""
    waiting = list(_children(node))[::-1]
    while waiting:
        current = waiting.pop()
        if current.get("tag") == "section":
            heading = next((child for child in _children(current) if _HEADING.fullmatch(str(child.get("tag")))), None)
            yield _text(heading) if heading else "", current
        else:
            waiting.extend(reversed(list(_children(current))))


def _text(node: LogtreeNode) -> str:
    """All text below a node. Strings in the tree are HTML-escaped already."""
    pieces = []
    for inner in _walk(node):
        children = inner.get("children")
        pieces += [child for child in children if isinstance(child, str)] if isinstance(children, list) else []
    return html.unescape("".join(pieces))


def _conversations(node: LogtreeNode) -> Iterator[Messages]:
    for inner in _walk(node):
        data = inner.get("data")
        if isinstance(data, dict) and data.get("type") == "conversation" and isinstance(data.get("messages"), list):
            yield [message for message in data["messages"] if isinstance(message, dict)]


def _tables(node: LogtreeNode) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """(caption, rows) of the two-column tables below a node, without their header. A caption is the element before."""
    caption = ""
    for inner in _walk(node):
        if "lt-table-caption" in str(mapping(inner.get("attrs")).get("class", "")):
            caption = _text(inner)
        elif inner.get("tag") == "tbody":
            rows = [[_text(cell) for cell in _children(row)] for row in _children(inner)]
            yield caption, [(row[0], row[1]) for row in rows if len(row) == 2]
            caption = ""
