"""Splits a prompt and its response, rendered through a chat template, into the messages they were made of.

The messages' texts joined are prompt and response exactly: the template's control tokens stay, as ``marker`` parts of
the message they open or close.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Final

from msgspec import Struct

from rollscope.model import Message, Part, PartType
from rollscope.render.mask import DEFAULT_MASK
from rollscope.render.parts import split_parts
from rollscope.render.templates import ROLES, Template, detect, read_role
from rollscope.render.think_and_tool_blocks import ALL_KINDS, THINKING_OPENERS

# Only a model thinks, calls and answers. A system prompt that explains `<think>` must not be folded away as a thought.
_USER_KINDS: Final[frozenset[PartType]] = frozenset({"tool_result", "tools"})
KINDS: Final[dict[str, frozenset[PartType]]] = {
    "assistant": ALL_KINDS,
    "system": frozenset({"tools"}),
    "developer": frozenset({"tools"}),
    "tool": frozenset({"tool_result"}),
}

# What is left of a header when special tokens are stripped. Most templates end a message with a line break, so that the
# role stands alone on a line; Llama's does not, and its roles stick to the end of the text before: `…in Oslo?assistant`.
_ROLE_LINE: Final = re.compile(r"\n(?:system|user|assistant|tool)(?=\n|\Z)")
_ROLE_AT_END: Final = re.compile(r"(?:u(?<=\Su)ser|a(?<=\Sa)ssistant|i(?<=\Si)python)\n(?=\n)")
_FIRST_ROLE: Final = re.compile(r"(system|user|assistant|tool)(?:\n|\Z)")
_LLAMA_START: Final = re.compile(r"(system|user)\n\n")
_LLAMA_END: Final = re.compile(r"\Sassistant\n\n(?:<think>\s{0,4})?\Z")
_LONGEST_END: Final = 32
_BARE_ANSWER: Final = re.compile(r"(?:\A|\n)assistant(?:\n|\Z)")
_LLAMA_ANSWER: Final = re.compile(r"\Sassistant\n\n")


class _Draft(Struct):
    """A message in the making: its text as pieces, each either a control token or content."""

    role: str
    name: str | None = None
    guessed: bool = False
    pieces: list[tuple[bool, str]] = []
    #: Its closing token was seen; white space after that is the template's.
    ended: bool = False

    def add(self, text: str, *, control: bool) -> None:
        if text:
            self.pieces.append((control, text))

    @property
    def is_frame(self) -> bool:
        """Nothing in it but control tokens and white space."""
        return all(control or not text.strip() for control, text in self.pieces)


def split_conversation(prompt: str, response: str, *, mask: re.Pattern[str] | None = DEFAULT_MASK) -> list[Message]:
    """The messages of a rendered conversation; ``"".join(m.text for m in …) == prompt + response``.

    Messages of the prompt have no turn. An assistant header at the prompt's end is a message of the prompt, made of
    markers alone; front doors need not show it. A prompt without template is one user message, a response without is
    one assistant message. With an empty prompt it splits a response whose prompt came as messages.
    """
    template = detect(prompt, response)
    if template is None:
        asked, answered = [_whole("user", prompt)], [_whole("assistant", response)]
    else:
        opening = _Draft(role="system", guessed=not template.leads_with_system)
        asked = _attach_leading_tokens(_draft(prompt, template, opening))
        answered = _draft(response, template, _Draft(role="assistant"))
    return _finish(asked, answered, mask)


def split_bare_roles(prompt: str, response: str, *, mask: re.Pattern[str] | None = DEFAULT_MASK) -> list[Message]:
    """The same for dumps whose special tokens were stripped, which leaves ``system``, ``user``, ``assistant`` and
    ``tool`` alone on a line. Such a line may also be somebody's text, so these messages are marked as guessed; and
    unless the prompt's first line is a role, it is one user message."""
    if not _FIRST_ROLE.match(prompt):
        return _finish([_whole("user", prompt)], [_whole("assistant", response)], mask)
    llama = _LLAMA_START.match(prompt) and _LLAMA_END.search(prompt[-_LONGEST_END:])
    first, header = (_LLAMA_START, _ROLE_AT_END) if llama else (_FIRST_ROLE, _ROLE_LINE)
    asked = _draft_bare(prompt, _Draft(role="user", guessed=True), first, header)
    answered = _draft_bare(response, _Draft(role="assistant", guessed=True), None, header)
    return _finish(asked, answered, mask)


def bare_answer_start(text: str) -> int | None:
    """Where the answer begins in a prompt and response whose special tokens were stripped: behind the first line that
    says ``assistant``. None unless the text's first line is a role too."""
    if not _FIRST_ROLE.match(text):
        return None
    found = _BARE_ANSWER.search(text) or (_LLAMA_START.match(text) and _LLAMA_ANSWER.search(text))
    return found.end() if found else None


def number_turns(messages: Iterable[Message], start: int = 0) -> None:
    """Give each message its turn: one begins with every assistant message that follows somebody else's."""
    turn, spoken, interrupted = start, False, False
    for message in messages:
        if message.role == "assistant":
            turn += spoken and interrupted
            spoken, interrupted = True, False
        else:
            interrupted = True
        message.turn = turn


def message_parts(role: str, text: str, mask: re.Pattern[str] | None, *, thinking_open: bool = False) -> list[Part]:
    """One content text as the parts that its speaker can have. A tool's words are its result."""
    parts = split_parts(text, thinking_open=thinking_open, mask=mask, kinds=KINDS.get(role, _USER_KINDS))
    if role == "tool" and not any(part.type == "tool_result" for part in parts):
        for part in parts:
            if part.type == "text":
                part.type = "tool_result"
    return parts


def answers_tool(role: str, parts: list[Part]) -> bool:
    """Qwen's template gives the tool's answer to the user: ``<|im_start|>user`` and nothing but ``<tool_response>``."""
    return (
        role == "user"
        and any(part.type == "tool_result" for part in parts)
        and all(part.type != "text" or not part.text.strip() for part in parts)
    )


def _whole(role: str, text: str) -> _Draft:
    return _Draft(role=role, pieces=[(False, text)] if text else [])


def _draft(text: str, template: Template, draft: _Draft) -> list[_Draft]:
    """``text`` cut at the template's control tokens. ``draft`` takes what comes before the first header."""
    drafts, done, reply = [draft], 0, False
    for token in template.control.finditer(text):
        _add_content(drafts, text[done : token.start()], reply=reply)
        found = token.groupdict()
        reply = found.get("reply") is not None
        kept = found.get("keep")
        if word := kept or found["role"]:
            role, name = read_role(template, word)
            if not (template.joins_same_role and drafts[-1].role == role and drafts[-1].pieces):
                drafts.append(_Draft(role=role, name=found.get("name") or name))
        drafts[-1].ended = not word
        if kept:
            done = token.start()
        else:
            drafts[-1].add(token[0], control=True)
            done = token.end()
    _add_content(drafts, text[done:], reply=reply)
    return drafts


def _add_content(drafts: list[_Draft], text: str, *, reply: bool) -> None:
    blank = not text.strip() if drafts[-1].ended else False
    if reply and text and not blank:
        drafts.append(_Draft(role="assistant"))
    drafts[-1].add(text, control=blank)


def _attach_leading_tokens(drafts: list[_Draft]) -> list[_Draft]:
    """A beginning-of-text token belongs to the first message, not to one of its own."""
    first, *others = drafts
    if not others:
        first.role, first.guessed = "user", False
    elif first.is_frame:
        others[0].pieces[:0] = [(True, text) for _, text in first.pieces]
        return others
    return drafts


def _draft_bare(text: str, draft: _Draft, first: re.Pattern[str] | None, header: re.Pattern[str]) -> list[_Draft]:
    """``text`` cut at its bare headers. A prompt begins with one; a response's first line is the model's own words."""
    drafts, done = [draft], 0
    if first and (start := first.match(text)):
        draft.role, done = start[1], start.end()
        draft.add(start[0], control=True)
    for found in header.finditer(text, max(done - 1, 0)):
        word = found[0].strip("\n")
        role = ROLES.get(word, word)
        if role == drafts[-1].role:
            continue
        # Two headers in a row share the line break between them.
        start_at, end = max(found.start(), done), min(found.end() + 1, len(text))
        drafts[-1].add(text[done:start_at], control=False)
        drafts.append(_Draft(role=role, guessed=True, pieces=[(True, text[start_at:end])]))
        done = end
    drafts[-1].add(text[done:], control=False)
    return drafts


def _finish(asked: list[_Draft], answered: list[_Draft], mask: re.Pattern[str] | None) -> list[Message]:
    messages = [_message(draft, mask) for draft in asked if draft.pieces]
    thinking_open = bool(messages) and _leaves_thinking_open(messages[-1])
    response: list[Message] = []
    for draft in answered:
        if draft.pieces:
            response.append(_message(draft, mask, thinking_open=thinking_open and not response))
    number_turns(response)
    return messages + response


def _message(draft: _Draft, mask: re.Pattern[str] | None, *, thinking_open: bool = False) -> Message:
    parts: list[Part] = []
    for control, text in draft.pieces:
        if control:
            parts.append(Part(type="marker", text=text))
        else:
            parts += message_parts(draft.role, text, mask, thinking_open=thinking_open and not parts)
    parts = _join_markers(parts)
    role = "tool" if answers_tool(draft.role, parts) else draft.role
    return Message(role=role, parts=parts, name=draft.name, guessed=draft.guessed)


def _join_markers(parts: list[Part]) -> list[Part]:
    joined: list[Part] = []
    for is_marker, run in groupby(parts, lambda part: part.type == "marker"):
        if is_marker:
            joined.append(Part(type="marker", text="".join(part.text for part in run)))
        else:
            joined += run
    return joined


def _leaves_thinking_open(last: Message) -> bool:
    """Whether the response begins inside a think block. An opener with nothing after it is a part of the header."""
    part = last.parts[-1]
    if part.type == "thinking" and not part.closed:
        if not part.content.strip():
            part.type, part.lead, part.closed = "marker", 0, True
        return True
    if part.type != "text":
        return False
    text = part.text.rstrip()
    opener = next((opener for opener in THINKING_OPENERS if text.endswith(opener)), None)
    if opener is None:
        return False
    head = len(text) - len(opener)
    marker = Part(type="marker", text=part.text[head:])
    last.parts[-1:] = [Part(text=part.text[:head]), marker] if head else [marker]
    return True
