"""The chat templates that trainers render prompts with: how each says who speaks.

A template is two patterns. ``sign`` proves that a text was made with it; ``control`` finds its control tokens, and its
named groups say what a token does:

==========  ====================================================================================================
``role``    a header that opens a message; the group is the template's word for the role
``keep``    the same, but the header stays in the message's text, because its rest says what the text is
``name``    who speaks, beside the role
``reply``   ends a message after which the assistant speaks without a header of its own
(none)      any other control token: it belongs to the message it stands in
==========  ====================================================================================================

Patterns begin with plain characters and repeat within bounds; see ``blocks``.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct


class Template(Struct, frozen=True):
    name: str
    sign: str
    control: re.Pattern[str]
    #: Text before the first header is the system prompt. Elsewhere such text is not of the template's making.
    leads_with_system: bool = False
    #: A header that repeats the role of the message it stands in goes on with that message.
    joins_same_role: bool = False


TEMPLATES: Final = (
    Template(
        "chatml",  # Qwen, Hermes, SmolLM, Phi-4 and most others
        r"\|im_(?:start|end)\|>",
        re.compile(
            r"<\|(?:im_start\|>(?P<role>[\w.-]{1,64})(?: name=(?P<name>[^\n<]{1,64}))?(?:\n|<\|im_sep\|>|\Z)"
            r"|im_end\|>|endoftext\|>)"
        ),
    ),
    Template(
        "kimi",
        r"\|im_(?:system|user|assistant)\|>",
        re.compile(r"<\|im_(?:(?:system|user|assistant)\|>(?P<role>[^<\n]{1,64})<\|im_middle\|>|end\|>)"),
    ),
    Template(
        "llama",  # Llama 3 and 4
        r"\|(?:start_header_id|header_start|begin_of_text|eot_id|eom_id)\|>",
        re.compile(
            r"<\|(?:(?:start_header_id|header_start)\|>(?P<role>[\w.-]{1,64})<\|(?:end_header_id|header_end)\|>\n{0,2}"
            r"|(?:begin_of_text|end_of_text|eot_id|eom_id|eot|eom)\|>)"
        ),
    ),
    Template(
        "deepseek",
        r"｜(?:User|Assistant|begin▁of▁sentence|end▁of▁sentence)｜>",
        re.compile(
            r"<｜(?:(?P<role>User|Assistant|tool▁outputs?▁begin)｜>"
            r"|(?P<reply>tool▁outputs?▁end｜>)|(?:begin▁of▁sentence|end▁of▁sentence)｜>)"
        ),
        leads_with_system=True,
        joins_same_role=True,
    ),
    Template(
        "gemma",
        r"(?:start_of_turn|\|turn)>|end_of_turn>|turn\|>",
        re.compile(r"<(?:(?:start_of_turn|\|turn)>(?P<role>\w{1,64})(?:\n|\Z)|end_of_turn>|turn\|>|bos>|eos>)"),
    ),
    Template(
        "harmony",  # gpt-oss
        r"\|start\|>(?:system|developer|user|assistant)|\|channel\|>(?:analysis|commentary|final)",
        re.compile(
            r"<\|start\|>(?:(?P<keep>assistant)|(?P<role>[\w.-]{1,128})[^<]{0,200}(?:<\|channel\|>[^<]{0,200})?"
            r"(?:<\|message\|>|\Z))"
        ),
        joins_same_role=True,
    ),
    Template(
        "nemotron",  # Nemotron Nano 2
        r"SPECIAL_1[012]>",
        re.compile(r"<SPECIAL_1(?:[01]>(?P<role>System|User|Assistant|Tool)(?:\n|\Z)|2>)"),
    ),
    Template(
        "granite",
        r"\|start_of_role\|>",
        re.compile(r"<\|(?:start_of_role\|>(?P<role>[\w.-]{1,64})<\|end_of_role\|>|end_of_text\|>)"),
    ),
    Template(
        "bars",  # GLM, Phi-3, Zephyr
        r"\|(?:system|user|assistant|observation)\|>",
        re.compile(
            r"<(?:\|(?P<role>system|user|assistant|observation|tool)\|>\n?|\|end\|>|\|endoftext\|>|/s>|sop>)|\[gMASK\]"
        ),
    ),
)

MISTRAL: Final = Template(
    "mistral",
    "",
    re.compile(
        r"\[(?:(?P<role>INST|SYSTEM_PROMPT|TOOL_RESULTS)\]|(?P<keep>AVAILABLE_TOOLS)\]"
        r"|(?P<reply>/(?:INST|TOOL_RESULTS)\])|/SYSTEM_PROMPT\])|</?s>"
    ),
    leads_with_system=True,
)
# People write [INST] in prose, so it counts only where the template puts it: at the beginning.
_MISTRAL_START: Final = re.compile(r"\s{0,16}(?:<s>)?\s{0,16}\[(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS)\]")

_SIGNS: Final = re.compile("<(?:" + "|".join(f"(?P<{each.name}>{each.sign})" for each in TEMPLATES) + ")")
_BY_NAME: Final = {each.name: each for each in TEMPLATES}

#: The templates' words for roles, in ours. A word that is not here is the role itself.
ROLES: Final = {
    "model": "assistant",
    "System": "system",
    "Assistant": "assistant",
    "User": "user",
    "Tool": "tool",
    "INST": "user",
    "SYSTEM_PROMPT": "system",
    "AVAILABLE_TOOLS": "system",
    "TOOL_RESULTS": "tool",
    "ipython": "tool",
    "observation": "tool",
    "tool▁outputs▁begin": "tool",
    "tool▁output▁begin": "tool",
}
_HARMONY_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})


def detect(prompt: str, response: str) -> Template | None:
    """The template the conversation was rendered with; the prompt decides, and the response where it has no sign."""
    if _MISTRAL_START.match(prompt):
        return MISTRAL
    sign = _SIGNS.search(prompt) or _SIGNS.search(response)
    return _BY_NAME[sign.lastgroup] if sign and sign.lastgroup else None


def answer_starts(text: str) -> list[int]:
    """Where the assistant begins to speak in a text that a template made, each time."""
    template = detect(text, "")
    found = []
    for match in template.control.finditer(text) if template else ():
        groups = match.groupdict()
        word = groups.get("role") or groups.get("keep")
        if groups.get("reply") or (template and word and read_role(template, word)[0] == "assistant"):
            found.append(match.end())
    return found


def has_header(marker: str) -> bool:
    """Does this control text open a message, and so say who speaks? A bare ``user`` on its line does too."""
    if marker.strip() and marker.lstrip()[0] not in "<[":
        return True
    return any(
        found.groupdict().get("role") or found.groupdict().get("keep")
        for template in (*TEMPLATES, MISTRAL)
        for found in template.control.finditer(marker)
    )


def read_role(template: Template, word: str) -> tuple[str, str | None]:
    """A header's word as (role, name). In harmony a tool speaks under its own name."""
    if template.name == "harmony" and word not in _HARMONY_ROLES:
        return "tool", word
    return ROLES.get(word, word), None
