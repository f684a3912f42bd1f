"""What the spans of a trace in MLflow's store say of a rollout: who asked and answered, and verl's tokens.

A span is a call. Calls of models have messages; verl traces the loop of its agent, whose result has tokens, and texts where
`rollout.trace.token2text` is set.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from rollscope import render
from rollscope.formats.conversations.messages_api import bare
from rollscope.formats.conversations.responses_api import chat_of_items
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import decoded, items, mapping, number, text
from rollscope.model import Message, TokenArrays
from rollscope.render.chat import to_json

#: (the parent's id, type, content)
MlflowSpan = tuple[Any, str, dict[str, Any]]
_MODEL_CALLS = frozenset({"CHAT_MODEL", "LLM"})


class TraceTexts(Struct):
    """What was said in a trace, and what else its result tells."""

    messages: list[Message] = []
    reward: float | None = None
    stop_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens: TokenArrays | None = None
    notes: list[str] = []


def read_spans(spans: list[MlflowSpan]) -> TraceTexts:
    calls = [content for _, kind, content in spans if kind in _MODEL_CALLS]
    loops = [content for _, _, content in spans if "response_ids" in mapping(_given_out(content))]
    roots = [content for parent, _, content in spans if parent is None]
    loop = _of_loop(loops[0]) if loops else TraceTexts()
    if calls:
        told = _of_call(calls[-1])
        return msgspec.structs.replace(loop, messages=told.messages, stop_reason=told.stop_reason, notes=[])
    if loops:
        return loop
    return _of_call(roots[0]) if roots else TraceTexts()


def _of_call(content: dict[str, Any]) -> TraceTexts:
    given, made = mapping(_put_in(content)), _given_out(content)
    if messages := items(given.get("messages")):
        asked = messages
    elif "input" in given and isinstance(made, dict) and "output" in made:
        system = [{"role": "system", "content": given["instructions"]}] if text(given.get("instructions")) else []
        question = given["input"]
        asked = [*system, *(chat_of_items(question) if isinstance(question, list) else [_user(plain(question))])]
    else:
        asked = [_user(plain(_put_in(content)))]
    answers, stop = _answers(made)
    first = next((place for place, item in enumerate(asked) if mapping(item).get("role") == "assistant"), None)
    told = conversation([*asked, *answers], answered_from=first if first is not None else len(asked))
    return TraceTexts(messages=told, stop_reason=stop)


def _answers(made: Any) -> tuple[list[Any], str | None]:
    """(messages, why it stopped) of what a model gave back: a message, a completion of OpenAI's, items of its Responses."""
    if isinstance(made, dict):
        if "role" in made:
            return [bare(made)], text(made.get("stop_reason")) or text(made.get("finish_reason"))
        choice = mapping(next(iter(items(made.get("choices"))), None))
        if choice:
            return [choice.get("message", {"role": "assistant", "content": choice.get("text")})], text(
                choice.get("finish_reason")
            )
        if isinstance(made.get("output"), list):
            return list(chat_of_items(made["output"])), None
    return [{"role": "assistant", "content": plain(made)}], None


def _of_loop(content: dict[str, Any]) -> TraceTexts:
    """verl's `AgentLoopOutput`."""
    made = mapping(_given_out(content))
    ids, mask, logprobs = (items(made.get(f"response_{name}")) for name in ("ids", "mask", "logprobs"))
    prompt, response = text(made.get("prompt_text")), text(made.get("response_text"))
    same = {name: values for name, values in (("mask", mask), ("logprobs", logprobs)) if len(values) == len(ids)}
    if response is not None:
        told, notes = render.split_conversation(prompt or "", response), []
    else:
        given = mapping(_put_in(content))
        inner = {**mapping(given.get("kwargs")), **given}
        asked = items(inner.get("messages")) or items(inner.get("raw_prompt"))
        told = render.messages_from_chat(asked, turn=None)
        notes = ["The answer was traced as tokens only: `rollout.trace.token2text` writes its text."]
    return TraceTexts(
        messages=told,
        reward=number(made.get("reward_score")),
        prompt_tokens=len(items(made.get("prompt_ids"))) or None,
        completion_tokens=sum(map(bool, mask)) if "mask" in same else len(ids) or None,
        tokens=TokenArrays(ids=ids, mask=same.get("mask", []), logprobs=same.get("logprobs", [])) if ids else None,
        notes=notes,
    )


def _user(content: str) -> dict[str, Any]:
    return {"role": "user", "content": content}


def _put_in(content: dict[str, Any]) -> Any:
    return _attribute(content, "mlflow.spanInputs")


def _given_out(content: dict[str, Any]) -> Any:
    return _attribute(content, "mlflow.spanOutputs")


def _attribute(content: dict[str, Any], name: str) -> Any:
    """Attributes are JSON within JSON."""
    value = mapping(content.get("attributes")).get(name)
    return decoded(value) if isinstance(value, str) else value


def plain(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else to_json(value)
