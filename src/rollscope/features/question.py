"""What the users of a prompt say: the language that an answer should be in. A chat template's roles and its system prompt ("You
are a helpful assistant") are in English, whoever asks."""

from __future__ import annotations

from functools import lru_cache

from rollscope.render.conversation import split_bare_roles, split_conversation

#: Of a longer prompt its end: what was asked last.
MAX_CHARS = 100_000


@lru_cache(maxsize=512)  # the samples of a group share one
def question(prompt: str) -> str:
    """The users' own words; of a prompt without users, all of it."""
    end = prompt[-MAX_CHARS:]
    messages = split_conversation(end, "", mask=None)
    if len(messages) == 1:
        messages = split_bare_roles(end, "", mask=None)
    parts = [part for message in messages if message.role == "user" for part in message.parts]
    asked = "\n".join(part.text for part in parts if part.type == "text").strip()
    return asked if any(map(str.isalpha, asked)) else prompt
