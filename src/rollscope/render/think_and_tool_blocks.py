"""What marks a part of a message: the delimiters of think blocks, tool calls and the like, as one table.

A model family that writes its calls or thoughts between other delimiters is a new line here and nothing else. Patterns
begin with plain characters, because only then `re` skips to the next candidate at memory speed, and every repetition in
them is bounded, so that no text can make them slow.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from msgspec import Struct

from rollscope.model import PartType


class Block(Struct, frozen=True):
    """Text from ``opener`` to ``closer``. Without a closer it goes on to :data:`CALL_ENDS`."""

    type: PartType
    opener: str
    closer: str = ""


BLOCKS: Final = {
    block.opener: block
    for block in (
        Block("thinking", "<think>", "</think>"),
        Block("thinking", "<thinking>", "</thinking>"),
        Block("thinking", "[THINK]", "[/THINK]"),  # Mistral
        Block("thinking", "<|channel>thought\n", "<channel|>"),  # Gemma 4
        Block("tool_call", "<tool_call>", "</tool_call>"),  # Qwen, Hermes, GLM
        Block("tool_call", "<minimax:tool_call>", "</minimax:tool_call>"),
        Block("tool_call", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),  # DeepSeek
        Block("tool_call", "<｜DSML｜function_calls>", "</｜DSML｜function_calls>"),  # DeepSeek V3.2
        Block("tool_call", "<|tool_call_begin|>", "<|tool_call_end|>"),  # Kimi K2
        Block("tool_call", "<|tool_call>", "<tool_call|>"),  # Gemma 4
        Block("tool_call", "<|python_tag|>"),  # Llama 3
        Block("tool_call", "[TOOL_CALLS]"),  # Mistral
        Block("tool_result", "<tool_response>", "</tool_response>"),
        Block("tool_result", "<tool_result>", "</tool_result>"),
        Block("tool_result", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
        Block("tool_result", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
        Block("tool_result", "<|tool_response>", "<tool_response|>"),
        Block("tools", "<tools>", "</tools>"),
        Block("tools", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
        Block("answer", "<answer>", "</answer>"),
    )
}

#: ``<function=get_weather>…</function>``: the name is part of the delimiter, so no line of the table can hold it.
FUNCTION_PREFIX: Final = "<function="
FUNCTION_CLOSER: Final = "</function>"

#: What ends a call that has no closing delimiter. It is not part of the call.
CALL_ENDS: Final = re.compile(r"<(?:\|eo[mt]_id\|>|/s>)|\[TOOL_(?:CALLS|RESULTS)\]")

#: The header of a harmony (gpt-oss) message: its channel says whether it is a thought, a call or the answer, ``to=``
#: whom it addresses.
CHANNEL: Final = re.compile(
    r"(?:<\|start\|>assistant(?P<early>[^<]{0,200}))?<\|channel\|>(?P<channel>[a-z]{1,32})(?P<late>[^<]{0,200})"
    r"(?:<\|constrain\|>[^<]{0,64})?<\|message\|>"
)
CHANNEL_CANDIDATES: Final = ("<|start|>assistant", "<|channel|>")
RECIPIENT: Final = re.compile(r"\bto=(\S{1,200})")
#: What ends a harmony message: its own end token, or the header of the next one, which is not part of it.
CHANNEL_ENDS: Final = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
CHANNEL_CLOSERS: Final = frozenset({"<|end|>", "<|return|>", "<|call|>"})

#: What may end a think block whose opening lies in the prompt.
THINKING_CLOSERS: Final = re.compile(r"<(?:/think(?:ing)?>|\|end\|>|channel\|>)|\[/THINK\]")
_QUOTES: Final = "`'\""
THINKING_OPENERS: Final = tuple(block.opener for block in BLOCKS.values() if block.type == "thinking")

#: Control tokens that stand inside a message. Those that open and close messages are in ``templates``; here are also
#: the ones a model leaves in a text whose template is not known.
MARKERS: Final = (
    *CHANNEL_CANDIDATES,
    *(f"<|{name}|>" for name in ("message", "constrain", "end", "return", "call")),
    *(f"<|{name}|>" for name in ("im_end", "endoftext", "eot_id", "eom_id", "eot", "begin_of_text", "end_of_text")),
    *(f"<|{name}|>" for name in ("vision_start", "vision_end", "vision_bos", "vision_eos", "audio_bos", "audio_eos")),
    *(f"<|{name}|>" for name in ("audio_start", "audio_end", "tool_calls_section_begin", "tool_calls_section_end")),
    *(f"<｜{name}｜>" for name in ("begin▁of▁sentence", "end▁of▁sentence", "tool▁calls▁begin", "tool▁calls▁end")),
    *(f"<｜{name}｜>" for name in ("tool▁outputs▁begin", "tool▁outputs▁end")),
    *("<start_of_turn>", "<end_of_turn>", "<turn|>", "<start_of_image>", "<end_of_image>", "<|image>", "<image|>"),
    *("[IMG_BREAK]", "[IMG_END]"),
)

ALL_KINDS: Final[frozenset[PartType]] = frozenset({"thinking", "tool_call", "tool_result", "tools", "answer"})


def is_quoted(text: str, start: int, end: int) -> bool:
    """Whether the delimiter that stands there is quoted: `<think>`, as one writes of it."""
    return start > 0 and text[start - 1] in _QUOTES and text[end : end + 1] == text[start - 1]


@lru_cache
def opener_pattern(kinds: frozenset[PartType]) -> re.Pattern[str]:
    """Finds where the next block of one of these kinds, or the next control token, begins."""
    tokens = (*(block.opener for block in BLOCKS.values() if block.type in kinds), *MARKERS)
    angled = [re.escape(token[1:]) for token in tokens if token[0] == "<"]
    square = [re.escape(token[1:]) for token in tokens if token[0] == "["]
    if "tool_call" in kinds:
        angled.append(re.escape(FUNCTION_PREFIX[1:]) + r"[^>\n]{1,200}>")
    # Most angle brackets of a text are code: one look at the next character spares them the forty branches.
    second = re.escape("".join(sorted({token[1] for token in (*tokens, FUNCTION_PREFIX) if token[0] == "<"})))
    return re.compile(rf"<(?=[{second}])(?:{'|'.join(angled)})|\[(?:{'|'.join(square)})")
