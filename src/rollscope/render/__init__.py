"""From text to what a reader sees: one splitter for the web page, the terminal and the command line.

===============================  =============================================================================
:func:`split_conversation`       a rendered prompt and response → messages
:func:`split_bare_roles`         the same where special tokens were stripped (verl, older TRL), as a guess
:func:`messages_from_chat`       messages that came as structure → messages
:func:`answer_starts`            a rendered text → the places at which the assistant begins to speak
:func:`bare_answer_start`        the same where special tokens were stripped: the first of them, as a guess
:func:`join_messages`            messages' texts → one text that knows its thoughts, calls and results
:func:`calls_on_lines`           such a text for the eye: each call on a line of its own
:func:`split_parts`              one message's text → parts: text, thinking, calls, results, answers, pads
:func:`plain`                    messages → one string, the raw view
:func:`readable`                 one message's parts → text for a reader, its thoughts and calls set apart
:func:`visible`                  text → text that a terminal may be sent
:func:`mask_runs`                text → text with runs of pad tokens counted
:func:`refold_pads`              parts folded by one pattern of pad tokens → by another
:func:`mask_messages`            the same for all parts of messages, in place
:func:`parse_mask`               what `--mask-str` says → pattern
===============================  =============================================================================

Pure functions over text. No character is ever lost: joining what a splitter returns gives back what it got.

Each name is taken from its module when it is first used: the patterns of all templates take longer to compile than many a
short command may, and most commands show no text.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rollscope.render.chat import messages_from_chat
    from rollscope.render.conversation import bare_answer_start, split_bare_roles, split_conversation
    from rollscope.render.display import plain, readable, visible
    from rollscope.render.mask import DEFAULT_MASK, mask_messages, mask_runs, parse_mask, refold_pads
    from rollscope.render.message_text import MessageText, calls_on_lines, join_messages
    from rollscope.render.parts import split_parts
    from rollscope.render.templates import answer_starts

__all__ = [
    "DEFAULT_MASK",
    "MessageText",
    "answer_starts",
    "bare_answer_start",
    "calls_on_lines",
    "join_messages",
    "mask_messages",
    "mask_runs",
    "messages_from_chat",
    "parse_mask",
    "plain",
    "readable",
    "refold_pads",
    "split_bare_roles",
    "split_conversation",
    "split_parts",
    "visible",
]

#: Name -> its module.
_HOMES = {
    "DEFAULT_MASK": "mask",
    "MessageText": "message_text",
    "answer_starts": "templates",
    "bare_answer_start": "conversation",
    "calls_on_lines": "message_text",
    "join_messages": "message_text",
    "mask_messages": "mask",
    "mask_runs": "mask",
    "messages_from_chat": "chat",
    "parse_mask": "mask",
    "plain": "display",
    "readable": "display",
    "refold_pads": "mask",
    "split_bare_roles": "conversation",
    "split_conversation": "conversation",
    "split_parts": "parts",
    "visible": "display",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value
