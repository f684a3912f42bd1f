"""One sample as a line: what a training loop knows about a rollout, copied and brought into shape.

Nothing here raises for bad values: they are left out and reported to ``complain``. What follows from other values is
filled in (a total from its parts, staleness from the sampling step); what does not follow stays missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from rollscope.model import STATUSES, Message, TokenArrays, TopToken, Turn, nonfinite_name, split_reward
from rollscope.record.samples import messages as msgs
from rollscope.record.samples.schema import RolloutLine
from rollscope.record.samples.values import Complain, count_or_none, number_or_none, numbers, object_text, plain

NumberMap = Mapping[str, Any]


class SampleFields(TypedDict, total=False):
    """All that may be said of a sample. Everything is optional; numbers may be of any numeric type."""

    #: What the model saw: text, or messages. With ``response``, instead of ``messages``.
    prompt: msgs.Conversation
    #: What the model and then the environment said: text, or messages.
    response: msgs.Conversation
    #: The total, or a mapping of components with their total under ``total``, ``score`` or ``reward``.
    reward: Any
    #: Components of the reward, by name.
    rewards: NumberMap
    #: What was given at the end of the episode, apart from the turns' rewards.
    final_reward: Any
    advantage: Any
    #: Numbers about the whole sample, by name.
    metrics: NumberMap
    #: A reference answer, or several by name.
    golden_answers: str | Mapping[str, Any]
    #: completed, truncated, aborted, failed or pending.
    status: str
    #: Why generation stopped: stop, length, max_turns, … ``status`` follows from the common ones.
    stop_reason: str
    #: Why it was not trained on: async_staleness, zero_advantage, or any other.
    discard_reason: str
    #: The step of the weights that sampled it.
    sampling_step: Any
    #: By how many steps it is older than the weights it would train; follows from ``sampling_step``.
    staleness: Any
    env: str
    dataset: str
    tags: Sequence[str]
    #: The prompt's identity across steps.
    prompt_id: Any
    prompt_tokens: Any
    completion_tokens: Any
    total_tokens: Any
    #: Per model response: ``reward, metrics, logs, prompt_tokens, completion_tokens, stop_reason, timings``.
    turns: Sequence[Turn | Mapping[str, Any]]
    #: Per token of the response, all of one length: ``ids, strings, logprobs, trainer_logprobs, reference_logprobs, entropy,
    #: mask, masked, advantage, versions, top``.
    tokens: TokenArrays | Mapping[str, Any]
    #: Seconds, by name.
    timings: NumberMap


FIELD_NAMES = frozenset(SampleFields.__annotations__)

_STATUS_OF_STOP = {
    "stop": "completed", "eos": "completed", "end_turn": "completed", "completed": "completed", "finished": "completed",
    "tool_stopped": "completed", "stop_sequence": "completed",
    "length": "truncated", "max_tokens": "truncated", "max_turns": "truncated", "truncated": "truncated",
    "max_sampled_tokens": "truncated", "max_tool_calls": "truncated", "context_overflow": "truncated",
    "abort": "aborted", "aborted": "aborted", "cancelled": "aborted", "rollout_timeout": "aborted", "timeout": "aborted",
    "error": "failed", "failed": "failed", "parse_error": "failed",
    "pending": "pending",
}  # fmt: skip

#: A turn's sizes under the names of other trainers.
_TURN_ALIASES = {"prompt_tokens": ("prompt_tokens", "ob_len"), "completion_tokens": ("completion_tokens", "ac_len")}


def fill(line: RolloutLine, conversation: msgs.Conversation | None, fields: SampleFields, complain: Complain) -> None:
    """Put ``fields`` into ``line``, whose identity (run, writer, split, step, group, index) is set."""
    for name in fields.keys() - FIELD_NAMES:
        complain(f"a sample has no field {name!r}{_nearest(name)}; it was left out")
    get = fields.get
    nonfinite: dict[str, str] = {}

    def number(name: str, value: Any) -> float | None:
        return _finite(number_or_none(value, name, complain), name, nonfinite)

    line.messages = _messages(conversation, fields, complain)
    line.turns = [
        _turn(place, item, nonfinite, complain) for place, item in enumerate(_sequence(get("turns"), "turns", complain))
    ]
    line.tokens = token_arrays(fields.get("tokens"), nonfinite, complain)
    _fill_rewards(line, fields, number, nonfinite, complain)
    line.advantage = number("advantage", get("advantage"))
    line.metrics = _numbers(get("metrics"), "metrics", nonfinite, complain)
    line.timings = _numbers(get("timings"), "timings", nonfinite, complain)
    line.golden_answers = _golden(get("golden_answers"))
    for name in ("env", "dataset", "prompt_id", "stop_reason", "discard_reason"):
        if (value := get(name)) is not None:
            setattr(line, name, value if type(value) is str else object_text(value))
    line.tags = [str(tag) for tag in _sequence(get("tags"), "tags", complain)]
    line.status = _status(get("status"), line.stop_reason, complain)
    line.sampling_step = count_or_none(get("sampling_step"), "sampling_step", complain)
    line.staleness = count_or_none(get("staleness"), "staleness", complain)
    if line.staleness is None and line.sampling_step is not None:
        line.staleness = line.step - line.sampling_step
    _fill_sizes(line, fields, complain)
    line.nonfinite = nonfinite


def _nearest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, FIELD_NAMES, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _messages(conversation: msgs.Conversation | None, fields: SampleFields, complain: Complain) -> list[Message]:
    response = fields.get("response")
    prompt = msgs.conversation(fields.get("prompt"), role="user", complain=complain)
    if response is None and conversation is not None:
        # A whole conversation; a prompt given as well (by the group, say) is how it begins.
        whole = msgs.conversation(conversation, role="assistant", complain=complain)
        known, rest = msgs.split_at_first_response(whole)
        return msgs.number_turns(known or prompt, rest)
    return msgs.number_turns(prompt, msgs.conversation(response, role="assistant", complain=complain))


def _fill_rewards(
    line: RolloutLine, fields: SampleFields, number: Any, nonfinite: dict[str, str], complain: Complain
) -> None:
    reward = fields.get("reward")
    components = fields.get("rewards")
    if isinstance(reward, Mapping):
        components = {**reward, **(components or {})}
        reward = None
    line.rewards = _numbers(components, "rewards", nonfinite, complain)
    line.final_reward = number("final_reward", fields.get("final_reward"))
    line.reward = number("reward", reward)
    if line.reward is None and "reward" not in nonfinite:
        line.reward = split_reward(line.rewards)[0]
        if line.reward is None and any(turn.reward is not None for turn in line.turns):
            line.reward = sum(turn.reward or 0.0 for turn in line.turns) + (line.final_reward or 0.0)


def _fill_sizes(line: RolloutLine, fields: SampleFields, complain: Complain) -> None:
    """Token counts: as given, else from the turns, the token arrays or the messages, where they suffice."""
    for name in ("prompt_tokens", "completion_tokens", "total_tokens"):
        setattr(line, name, count_or_none(fields.get(name), name, complain))
    responses = len({message.turn for message in line.messages if message.turn is not None})
    line.num_turns = max(responses, len(line.turns)) or None
    if line.prompt_tokens is None:
        line.prompt_tokens = _prompt_tokens(line)
    if line.completion_tokens is None:
        line.completion_tokens = _completion_tokens(line)
    if line.total_tokens is None:
        line.total_tokens = _total_tokens(line)


def _prompt_tokens(line: RolloutLine) -> int | None:
    first = line.turns[0].prompt_tokens if line.turns else None
    return first if first is not None else _sum(item.tokens for item in line.messages if item.turn is None)


def _completion_tokens(line: RolloutLine) -> int | None:
    found = _sum(turn.completion_tokens for turn in line.turns)
    if found is None:
        found = _sum(item.tokens for item in line.messages if item.turn is not None and item.role == "assistant")
    if found is None and line.tokens is not None and line.num_turns == 1:
        found = len(line.tokens.ids or line.tokens.logprobs or line.tokens.strings) or None
    return found


def _total_tokens(line: RolloutLine) -> int | None:
    """A last turn's prompt has all that was said before it; prompt and completion are all there is of a single one."""
    found = _sum(item.tokens for item in line.messages)
    if found is not None or line.prompt_tokens is None or line.completion_tokens is None:
        return found
    last = line.turns[-1] if len(line.turns) > 1 else None
    if last is not None and last.prompt_tokens is not None:
        return last.prompt_tokens + (last.completion_tokens or 0)
    return line.prompt_tokens + line.completion_tokens if line.num_turns == 1 else None


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum, or None when there is nothing to add or a summand is missing."""
    total, some = 0, False
    for count in counts:
        if count is None:
            return None
        total, some = total + count, True
    return total if some else None


def _turn(index: int, value: Turn | Mapping[str, Any], nonfinite: dict[str, str], complain: Complain) -> Turn:
    path = f"turns/{index}"
    if isinstance(value, Turn):
        value = {name: getattr(value, name) for name in value.__struct_fields__}
    if not isinstance(value, Mapping):
        complain(f"{path} is a {type(value).__name__}, not a mapping; it was left empty")
        return Turn(index=index)
    get = value.get
    sizes = {
        name: count_or_none(
            next((value[alias] for alias in aliases if alias in value), None), f"{path}/{name}", complain
        )
        for name, aliases in _TURN_ALIASES.items()
    }
    logs = get("logs")
    return Turn(
        index=index,
        reward=_finite(number_or_none(get("reward"), f"{path}/reward", complain), f"{path}/reward", nonfinite),
        metrics=_numbers(get("metrics"), f"{path}/metrics", nonfinite, complain),
        logs=plain(logs, complain, path=f"{path}/logs", nonfinite=nonfinite) if isinstance(logs, Mapping) else {},
        stop_reason=None if get("stop_reason") is None else str(get("stop_reason")),
        timings=_numbers(get("timings"), f"{path}/timings", nonfinite, complain),
        **sizes,
    )


def token_arrays(
    value: TokenArrays | Mapping[str, Any] | None, nonfinite: dict[str, str], complain: Complain
) -> TokenArrays | None:
    if value is None:
        return None
    names = TokenArrays.__struct_fields__
    if not isinstance(value, Mapping):
        value = {name: getattr(value, name, ()) for name in names}
    out = TokenArrays()
    for name, items in value.items():
        if name not in names:
            complain(f"tokens has no array {name!r}; it was left out. It has: {', '.join(names)}")
        elif items is not None:
            setattr(out, name, _array(name, items, nonfinite, complain))
    lengths = {name: len(getattr(out, name)) for name in names if getattr(out, name)}
    if len(set(lengths.values())) > 1:
        complain(f"per-token arrays differ in length: {lengths}")
    return out if lengths else None


def _array(name: str, items: Any, nonfinite: dict[str, str], complain: Complain) -> list[Any]:
    values = items.tolist() if callable(getattr(items, "tolist", None)) else list(items)
    if name == "strings":
        return [item if type(item) is str else str(item) for item in values]
    if name == "versions":
        return [item if type(item) is int else str(item) for item in values]
    if name == "top":
        return [_alternatives(item, f"tokens/top/{place}", complain) for place, item in enumerate(values)]
    if name in ("ids", "mask", "masked"):
        # In one sweep where it can be: a 32,000-token sample must not cost 32,000 calls.
        if set(map(type, values)) <= {int}:
            return values
        return [count_or_none(item, f"tokens/{name}", complain) or 0 for item in values]
    if set(map(type, values)) <= {float} and math.isfinite(sum(values)):
        return values
    return [
        _finite(number_or_none(item, f"tokens/{name}", complain), f"tokens/{name}/{place}", nonfinite)
        for place, item in enumerate(values)
    ]


def _alternatives(items: Any, path: str, complain: Complain) -> list[TopToken]:
    """The likeliest tokens at one place: a mapping of token to log-probability, pairs, or mappings with both."""
    pairs = items.items() if isinstance(items, Mapping) else items or ()
    found = []
    for item in pairs:
        if isinstance(item, TopToken):
            found.append(item)
            continue
        token, logprob = (item.get("token"), item.get("logprob")) if isinstance(item, Mapping) else item
        known = number_or_none(logprob, path, complain)
        found.append(TopToken(token=str(token), logprob=known if known is not None and math.isfinite(known) else None))
    return found


def _status(status: Any, stop_reason: str | None, complain: Complain) -> str | None:
    if status is None:
        return _STATUS_OF_STOP.get(stop_reason.lower()) if stop_reason else None
    if status in STATUSES:
        return str(status)
    known = _STATUS_OF_STOP.get(str(status).lower())
    if known is None:
        complain(f"{status!r} is no status; it was left out. There are: {', '.join(STATUSES)}")
    return known


def _golden(value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        value = {"answer": value}
    return {str(key): item if type(item) is str else object_text(item) for key, item in value.items()}


def _numbers(value: Any, path: str, nonfinite: dict[str, str], complain: Complain) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        complain(f"{path} is a {type(value).__name__}, not a mapping of names to numbers; it was left out")
        return {}
    return numbers(value, path, nonfinite, complain)


def _sequence(value: Any, name: str, complain: Complain) -> Sequence[Any]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        complain(f"{name} is a {type(value).__name__}, not a list; it was taken as a list of one")
        return (value,)
    return list(value)


def _finite(value: float | None, path: str, nonfinite: dict[str, str]) -> float | None:
    if value is None or math.isfinite(value):
        return value
    nonfinite[path] = str(nonfinite_name(value))
    return None
