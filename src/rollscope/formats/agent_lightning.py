"""Agent-Lightning: `step_{N}/{train|validation}_trajectories.jsonl.zip`, the last exchange of each rollout."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rollscope import render
from rollscope.formats.base import Claim, Source
from rollscope.formats.containers.documents import DocumentFormat
from rollscope.formats.containers.zip import open_zip
from rollscope.formats.json_values import count, items, number, numbers_of
from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.model import Sample
from rollscope.storage.store import Store

_FOLDER = re.compile(r"step_(\d+)")
_FILE = re.compile(r"(?P<split>\w+?)_trajectories\.jsonl\.zip")
#: What W&B calls the artifacts where they are downloaded to: each has the folder of its step in it.
_ARTIFACT = re.compile(r"\w+-trajectories-.+-step-\d+(:v\d+)?")
#: `rollout` is what training's file was called at first.
_TRAINING = ("train", "rollout")
_COUNTS = ("n_turns", "resp_tokens", "prompt_tokens")


class AgentLightningFormat(DocumentFormat):
    name = "agent_lightning"
    limits = (
        "Only the last exchange of a rollout is written, and no group: equal prompts are shown as one.",
        "Agent-Lightning writes no advantages, tokens or golden answers.",
    )

    def detect(self, store: Store) -> Claim | None:
        found = next(iter(self.sources(store)), None)
        if found is None:
            return None
        return Claim(confidence=0.95, reasons=(f"{found.path} is the name of Agent-Lightning's trajectories",))

    def sources(self, store: Store) -> Iterable[Source]:
        here = _FOLDER.fullmatch(store.name)
        artifacts = [f"{name}/" for name in store.folders() if _ARTIFACT.fullmatch(name)]
        folders = [
            (int(match[1]), f"{above}{name}/")
            for above in ("", *artifacts)
            for name in store.folders(above.rstrip("/"))
            if (match := _FOLDER.fullmatch(name))
        ]
        for step, folder in sorted(folders) or ([(int(here[1]), "")] if here else []):
            for name in store.files(folder.rstrip("/")):
                if match := _FILE.fullmatch(name):
                    split = "train" if match["split"] in _TRAINING else f"eval/{match['split']}"
                    yield Source(path=folder + name, split=split, step=step, appendable=False)

    def read(self, store: Store, path: str) -> Any:
        archive = open_zip(store, path)
        names = [name for name in archive.names if name.endswith(".jsonl")]
        if not names:
            raise Unreadable("the archive holds no .jsonl file")
        lines = (line for name in names for line in archive.read(name).split(b"\n") if line.strip())
        return [decode_line(line)[0] for line in lines]

    def records(self, document: Any, source: Source) -> Sequence[Any]:
        return items(document)

    def sample(self, record: Any, source: Source) -> Sample:
        prompt, response = record.get("prompt"), record.get("response")
        known = {key: value for key, value in record.items() if key not in ("prompt", "response", "reward", *_COUNTS)}
        spent = {key: number(known.pop(key, None)) for key in ("duration_s", "total_s")}
        turns = count(record.get("n_turns"))
        return Sample(
            messages=render.split_conversation(str(prompt or ""), str(response or "")),
            reward=number(record.get("reward")),
            metrics={**numbers_of(known), **({} if turns is None else {"n_turns": float(turns)})},
            # Of all turns of the rollout, and not only of the exchange that was written.
            completion_tokens=count(record.get("resp_tokens")),
            prompt_tokens=count(record.get("prompt_tokens")),
            timings={key.removesuffix("_s"): value for key, value in spent.items() if value is not None},
        )
