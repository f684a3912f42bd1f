"""Which key of an unknown record is what, guessed by name from a file's first records."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from rollscope.formats.conversations.openai_answers import answer_keys
from rollscope.formats.fallback.fits import are_numbers, are_texts, fits, is_group, is_ids, kind_of_samples
from rollscope.formats.fallback.values import CUT, ERRORS, PARTS
from rollscope.formats.fallback.whole_conversations import as_messages, is_trajectory, split_conversation
from rollscope.formats.mapping import (
    CANDIDATES,
    CONVERSATIONS,
    FURTHER,
    LATE,
    TRAJECTORIES,
    KeyMapping,
    Record,
    dig,
    exploded,
    repeated,
)

#: Objects in which a record tells of its task, and of what came of it.
_ABOUT = (
    *("metadata", "meta", "info", "extra_info", "extra", "task", "data", "example", "doc", "reward_model"),
    "reward_spec",
)
#: Where lm-evaluation-harness has what it asked, in newer and in older records.
_ASKED = ("arguments.gen_args_0.arg_0", "arguments.0.0")
_JUDGED = (
    "reward_info",
    "result",
    "results",
    "evaluation",
    "eval",
    "grade",
    "grading",
    "verification",
    "judge",
    "outcome",
    "metrics",
    "info",
    "metadata",
    "meta",
    "extra_info",
    "extra",
)
#: Where a field is looked for that is not beside the texts.
_ELSEWHERE = {"reward": _JUDGED, "golden": _ABOUT, "step": _ABOUT, "group": _ABOUT, "split": _ABOUT}
_TEXTS = frozenset({"prompt", "response"})
#: A part of a reward by its name: where it is the only one, it is the reward.
_PART_NAME = re.compile(r"(.+_)?(reward|score)")
#: What may stand before a name: `train/step`, `sample/prompt`.
_LEAD = re.compile(r"(?:train|trainer|training|rollout|sample|data)/(?=[^/]+$)")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def guess(records: Sequence[Record], told: Mapping[str, str] = {}) -> KeyMapping:  # only read
    """From a file's first records."""
    parts = [exploded(record, told) for record in records]
    rows = [row for record, part in zip(records, parts) for row in ([record] if part is None else part)]
    columnar = any(part is not None for part in parts)
    found = _Guess(rows, told)
    chosen, met = found.keys, {key for row in rows for key in row}
    return KeyMapping(
        keys=chosen,
        told=tuple(sorted(told)),
        conversation=found.conversation is not None,
        columnar=columnar,
        repeated=columnar and any(repeated(record) is not None for record in records),
        judged="split" in chosen
        or any(key in met for key in (*ERRORS, *CUT))
        or any(key in met and key != chosen.get("reward") for key in PARTS)
        or any(isinstance(row.get(chosen.get("discard_reason", "")), bool) for row in rows),
        late=tuple(field for field in LATE if field not in chosen and field not in met),
        nowhere=tuple(field for field, key in told.items() if all(dig(row, key) is None for row in rows)),
        kind=kind_of_samples(rows, chosen),
    )


class _Guess:
    """The key of each field, and the key of whole conversations if there is one. One key is used once."""

    def __init__(self, rows: Sequence[Record], told: Mapping[str, str]) -> None:
        self.rows = rows
        self.told = told
        # An answer of an API is no text: what lies in it is known before its keys are looked at.
        self.answered = {} if "response" in told else answer_keys(rows)
        self.keys: dict[str, str] = {**self.answered, **told}
        self.taken = {*self.keys.values(), *(key.partition(".")[0] for key in self.answered.values())}
        self.conversation: str | None = None
        self._find_names()
        self._find_steps()
        self._find_conversation()
        self._find_further_names()
        self._find_texts_within()
        self._find_prompt_elsewhere()
        self._find_others_elsewhere()
        if (
            "group" in self.keys
            and "group" not in told
            and not is_group(rows, self.keys["group"], self.keys.get("prompt"), self.keys.get("step", ""))
        ):
            del self.keys["group"]

    def _find_names(self) -> None:
        names = _spelled(self.rows)
        for field in CANDIDATES:
            if field not in self.keys and (key := _named(self.rows, field, names, self.taken)) is not None:
                self.keys[field] = key
                self.taken.add(key)
        golden = self.keys.get("golden", "answer")
        if "response" not in self.keys and golden != "answer" and any("answer" in row for row in self.rows):
            # Beside a label, the answer is what was said.
            self.keys["response"] = "answer"

    def _find_steps(self) -> None:
        if "response" not in self.keys and (steps := _trajectory_key(self.rows, self.taken)):
            # What was asked may be said beside the steps; else it is what was seen first.
            field = "response" if "prompt" in self.keys else "prompt"
            self.keys[field] = steps
            self.keys = {name: key for name, key in self.keys.items() if key != steps or name in _TEXTS}

    def _find_conversation(self) -> None:
        self.conversation = _conversation_key(self.rows, self.keys, self.told)
        if self.conversation is not None:
            self.keys["prompt"] = self.conversation
            if "response" not in self.told:
                self.keys.pop("response", None)

    def _find_further_names(self) -> None:
        """Texts of such names are a sample's only together: a `state` alone is that of anything."""
        names = _spelled(self.rows)
        before = set(self.keys)
        for field, candidates in FURTHER.items():
            if field in self.keys or (field == "response" and self.conversation is not None):
                continue
            key = _first_fitting(self.rows, field, candidates, names, self.taken)
            if key is not None and (field not in _TEXTS or are_texts(self.rows, key)):
                self.keys[field] = key
                self.taken.add(key)
        if not self.keys.keys() >= _TEXTS and self.conversation is None:
            for field in _TEXTS - before:
                self.taken.discard(self.keys.pop(field, ""))
        if "reward" not in self.keys and self.keys.keys() & _TEXTS:
            parts = [key for name, key in names.items() if _PART_NAME.fullmatch(name) and key not in self.taken]
            if len(parts) == 1 and are_numbers(self.rows, parts[0]):
                self.keys["reward"] = parts[0]

    def _find_texts_within(self) -> None:
        """Texts that are in objects: in those that are called so, else in any."""
        for field in sorted(_TEXTS - self.told.keys()):
            if key := _text_within(self.rows, field, self.keys.get(field)):
                self.keys[field] = key
        if self.keys.keys() & _TEXTS:
            return
        for field in sorted(_TEXTS):
            if (key := _inside(self.rows, field, None)) is not None:
                self.keys[field] = key
        self.conversation = _conversation_key(self.rows, self.keys, self.told)

    def _find_prompt_elsewhere(self) -> None:
        if "prompt" in self.keys:
            return
        if "response" not in self.told and are_numbers(self.rows, self.keys.get("response", "")):
            del self.keys["response"]  # counts of tokens
        if "response" in self.keys:
            paths = (path for path in _ASKED if any(isinstance(dig(row, path), str) for row in self.rows))
            if (asked := next(paths, None) or _inside(self.rows, "prompt", _ABOUT)) is not None:
                self.keys["prompt"] = asked

    def _find_others_elsewhere(self) -> None:
        if not self.keys.keys() & _TEXTS:
            return
        # What lies in the object of a text is about that text; but an API's answer has an id of its own.
        texts_in = [self.keys.get(field, "") for field in ("response", "prompt") if field not in self.answered]
        around = [key.partition(".")[0] for key in texts_in if "." in key]
        for field, objects in _ELSEWHERE.items():
            if field not in self.keys and (key := _inside(self.rows, field, (*around, *objects))) is not None:
                self.keys[field] = key


def by_name(mapping: KeyMapping) -> dict[str, str]:
    """The keys that were taken for a field of another name, without the user's telling so."""
    return {field: key for field, key in mapping.keys.items() if field not in mapping.told and field != key}


def sentences_about(mapping: KeyMapping) -> Iterator[str]:
    """What was guessed, for people."""
    if named := by_name(mapping):
        listed = ", ".join(f"{key} as {field}" for field, key in named.items())
        yield f"No known trainer's files: read by the names of their keys, {listed}."
    for field in mapping.nowhere:
        yield f"No record has {mapping.keys[field]}, which the mapping names as the {field}."
    if mapping.columnar:
        yield "Each record holds several samples, as columns or in a list: it is read as one sample per row."
    if mapping.repeated:
        yield "There are more answers than prompts: each prompt is taken to have as many, one behind the other."
    if mapping.conversation:
        yield "The prompt is what was said before the assistant's first message."


def _spelled(rows: Iterable[Record]) -> dict[str, str]:
    """How each name is written here: `Ground Truth`, `groundTruth` and `ground_truth` are one, and the last goes first."""
    names: dict[str, str] = {}
    led: dict[str, str] = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        name = _HUMP.sub("_", key).replace(" ", "_").replace("-", "_").lower()
        if name not in names or key == name:
            names[name] = key
        if lead := _LEAD.match(name):
            led.setdefault(name[lead.end() :], key)
    return {**led, **names}


def _named(rows: Sequence[Record], field: str, names: Mapping[str, str], taken: Collection[str]) -> str | None:
    return _first_fitting(rows, field, CANDIDATES[field], names, taken)


def _first_fitting(
    rows: Sequence[Record], field: str, candidates: Iterable[str], names: Mapping[str, str], taken: Collection[str]
) -> str | None:
    ids = None
    for name in candidates:
        key = names.get(name)
        if key is not None and key not in taken:
            values = [row[key] for row in rows if row.get(key) is not None]
            if field in _TEXTS and values and all(map(is_ids, values)):
                ids = ids or key  # the text may lie beside them
            elif fits(field, name, values):
                return key
    return ids


def _inside(rows: Sequence[Record], field: str, objects: Sequence[str] | None) -> str | None:
    """The path to a field that lies in an object of the records, in one of these where they are given."""
    found = dict.fromkeys(key for row in rows for key, value in row.items() if isinstance(value, Mapping))
    for outer in found if objects is None else [key for key in objects if key in found]:
        inner = [row[outer] for row in rows if isinstance(row.get(outer), Mapping)]
        key = _named(inner, field, _spelled(inner), ())
        # A name with a dot in it would be taken for a path.
        if key is not None and "." not in key and "." not in outer:
            return f"{outer}.{key}"
    return None


def _text_within(rows: Sequence[Record], field: str, key: str | None) -> str | None:
    """The path to the text where what is called prompt or response is an object that holds it."""
    found = [value for row in rows if key is not None and (value := row.get(key)) is not None]
    objects = [value for value in found if isinstance(value, Mapping) and "role" not in value]
    if key is None or "." in key or not objects or len(objects) < len(found):
        return None
    names = _spelled(objects)
    inner = next((names[name] for name in ("text", "content", *CANDIDATES[field]) if name in names), None)
    return f"{key}.{inner}" if inner is not None and "." not in inner else None


def _trajectory_key(rows: Sequence[Record], taken: Collection[str]) -> str | None:
    keys = (key for key in TRAJECTORIES if key not in taken or key == "turns")
    return next((key for key in keys if any(is_trajectory(row.get(key)) for row in rows)), None)


def _conversation_key(rows: Sequence[Record], chosen: Mapping[str, str], told: Mapping[str, str]) -> str | None:
    """The key of whole conversations, where no key holds the response: they have an answer of the assistant."""
    if chosen.get("response") == "text" and "prompt" not in chosen and "response" not in told:
        return "text" if any(split_conversation(row.get("text"))[1] for row in rows) else None
    if "response" in chosen:
        return None
    keys = [told["prompt"]] if "prompt" in told else [chosen.get("prompt", ""), *CONVERSATIONS]
    for key in keys:
        if any(split_conversation(as_messages(dig(row, key)))[1] for row in rows):
            return key
    return None
