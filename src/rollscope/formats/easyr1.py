"""EasyR1: validation generations as blocks of text in `generations.log`, metrics in `experiment_log.jsonl`.

A block does not say its step. Every validation logs the same prompts in the same order, and its metrics with its step: the
steps are known where that many validations explain all blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import eq
from typing import Any

import msgspec

from rollscope.formats.base import Claim, MetricRow, Source
from rollscope.formats.containers.documents import MAX_DOCUMENT_BYTES, DocumentFormat
from rollscope.formats.json_values import count, items, mapping
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.run_files import read_config, read_lines
from rollscope.model import Message, Sample, as_number, numbers
from rollscope.render import split_bare_roles
from rollscope.storage.open_files import KeptOpen
from rollscope.storage.store import Store

LOG, METRICS, CONFIG = "generations.log", "experiment_log.jsonl", "experiment_config.json"
#: A block ends with its score on a line of its own: the texts before it may hold anything, blank lines too. The score
#: that is being written has no end of its line yet.
_BLOCK = re.compile(
    r"\[prompt\] ?(?P<prompt>.*?)\n\[output\] ?(?P<output>.*?)\n"
    r"\[ground_truth\] ?(?P<truth>.*?)\n\[score\] ?(?P<score>\S+)[ \t]*\n",
    re.DOTALL,
)
#: A validation's metrics are `val/…`, and of newer versions `val_response_length/…` too.
_VALIDATED = re.compile(r"val(_\w+)?(/.*)?")


class EasyR1Format(DocumentFormat):
    name = "easyr1"
    limits = (
        "EasyR1 logs only validations.",
        f"Their steps are those of {METRICS}; without it, or if it does not fit, all are shown under step 0.",
        "A text that itself holds a line [output], [ground_truth] or [score] is cut there.",
        "The chat template is stripped: roles are read off bare role lines and are a guess.",
    )

    def __init__(self) -> None:
        super().__init__()
        self._logged: KeptOpen[list[int]] = KeptOpen(_logged_steps, limit=1)

    def detect(self, store: Store) -> Claim | None:
        if not store.exists(LOG) or not store.read(LOG, 0, 64).startswith(b"[prompt]"):
            return None
        return Claim(confidence=0.95, reasons=(f"{LOG} begins with a [prompt] block",))

    def sources(self, store: Store) -> Iterable[Source]:
        if store.exists(LOG):
            yield self.source_now(store, Source(path=LOG, split="eval/validation", appendable=False))

    def source_now(self, store: Store, source: Source) -> Source:
        try:
            known = self._logged.use(store, METRICS, list) if store.exists(METRICS) else []
        except OSError:
            known = []
        return msgspec.structs.replace(source, note=" ".join(map(str, [_logged_at_once(store), *known])))

    def source_path(self, path: str) -> str:
        return LOG if path == METRICS else path

    def read(self, store: Store, path: str) -> Any:
        stat = store.stat(path)
        if stat is not None and stat.size > MAX_DOCUMENT_BYTES:
            raise Unreadable(f"a log of {stat.size:,} bytes; more than {MAX_DOCUMENT_BYTES:,} are not read")
        text = store.read(path).decode("utf-8", "replace").replace("\r\n", "\n")
        return [match.groupdict() for match in _BLOCK.finditer(text)]

    def records(self, document: Any, source: Source) -> Sequence[Any]:
        blocks = items(document)
        at_once, *known = map(int, source.note.split())
        steps = _steps([block["prompt"] for block in blocks], at_once, known)
        return [{**block, "step": step} for block, step in zip(blocks, steps)]

    def sample(self, record: Any, source: Source) -> Sample:
        truth = record["truth"]
        return Sample(
            step=record["step"],
            messages=_messages(record["prompt"], record["output"]),
            # The score is a number that was printed.
            reward=as_number(record["score"]),
            golden_answers={"ground_truth": truth} if truth and truth != "None" else {},
        )

    def config(self, store: Store) -> Any:
        return read_config(store, CONFIG)

    def claims(self, store: Store, path: str) -> bool:
        return path in (CONFIG, "checkpoint_tracker.json")

    def metric_files(self, store: Store) -> list[str]:
        return [METRICS] if store.exists(METRICS) else []

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        for path in self.metric_files(store):
            for record in read_lines(store, path):
                step = count(record.get("step"))
                values = {key: value for key, value in numbers(record) if key != "step"}
                if step is not None and values:
                    yield MetricRow(step=step, time=None, values=values)


def _logged_steps(store: Store, path: str) -> list[int]:
    """The steps of the validations whose metrics were logged, and behind them that of one whose metrics are not yet."""
    steps, last = [], None
    for record in read_lines(store, path):
        last = count(record.get("step")) if "step" in record else last
        if last is not None and any(_VALIDATED.fullmatch(key) for key in record):
            steps.append(last)
    return [*steps, 0 if last is None else last + 1]


def _logged_at_once(store: Store) -> int:
    """How many generations of a validation are logged at most; 0 where the configuration is not there."""
    trainer = mapping(mapping(read_config(store, CONFIG)).get("trainer"))
    return count(trainer.get("val_generations_to_log")) or 0


def _steps(prompts: Sequence[str], at_once: int, known: Sequence[int]) -> list[int]:
    """Of each block its step. 0 where the validations do not explain them: as many prompts each, the same every time, but
    for the last, which may be under way."""
    blocks, logged = len(prompts), len(known) - 1
    sizes = [at_once]
    if logged > 0:
        sizes += [blocks // logged, *range(-(-blocks // (logged + 1)), blocks + 1)]
    for size in sizes:
        times = -(-blocks // size) if size > 0 else -1
        if times in (logged, logged + 1) and known and all(map(eq, prompts[size:], prompts)):
            return [known[place // size] for place in range(blocks)]
    return [0] * blocks


def _messages(prompt: str, output: str) -> list[Message]:
    return split_bare_roles(prompt, output)
