"""EasyR1: validation generations as blocks of text in `generations.log`, metrics in `experiment_log.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rollscope.formats.base import Claim, MetricRow, Source
from rollscope.formats.containers.documents import MAX_DOCUMENT_BYTES, DocumentFormat
from rollscope.formats.json_values import count, items
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.run_files import read_lines
from rollscope.model import Message, Sample, as_number, numbers
from rollscope.render import split_bare_roles
from rollscope.storage.store import Store

LOG, METRICS = "generations.log", "experiment_log.jsonl"
#: A block ends with its score on a line of its own: the texts before it may hold anything, blank lines too.
_BLOCK = re.compile(
    r"\[prompt\] ?(?P<prompt>.*?)\n\[output\] ?(?P<output>.*?)\n"
    r"\[ground_truth\] ?(?P<truth>.*?)\n\[score\] ?(?P<score>\S+)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)


class EasyR1Format(DocumentFormat):
    name = "easyr1"
    limits = (
        "EasyR1 logs only validations and not their steps: all are shown under step 0, in the order of the log.",
        "A text that itself holds a line [output], [ground_truth] or [score] is cut there.",
        "The chat template is stripped: roles are read off bare role lines and are a guess.",
    )

    def detect(self, store: Store) -> Claim | None:
        if not store.exists(LOG) or not store.read(LOG, 0, 64).startswith(b"[prompt]"):
            return None
        return Claim(confidence=0.95, reasons=(f"{LOG} begins with a [prompt] block",))

    def sources(self, store: Store) -> Iterable[Source]:
        if store.exists(LOG):
            yield Source(path=LOG, split="eval/validation", step=0, appendable=False)

    def read(self, store: Store, path: str) -> Any:
        stat = store.stat(path)
        if stat is not None and stat.size > MAX_DOCUMENT_BYTES:
            raise Unreadable(f"a log of {stat.size:,} bytes; more than {MAX_DOCUMENT_BYTES:,} are not read")
        text = store.read(path).decode("utf-8", "replace").replace("\r\n", "\n")
        return [match.groupdict() for match in _BLOCK.finditer(text)]

    def records(self, document: Any, source: Source) -> Sequence[Any]:
        return items(document)

    def sample(self, record: Any, source: Source) -> Sample:
        truth = record["truth"]
        return Sample(
            messages=_messages(record["prompt"], record["output"]),
            # The score is a number that was printed.
            reward=as_number(record["score"]),
            golden_answers={"ground_truth": truth} if truth and truth != "None" else {},
        )

    def metric_files(self, store: Store) -> list[str]:
        return [METRICS] if store.exists(METRICS) else []

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        for path in self.metric_files(store):
            for record in read_lines(store, path):
                step = count(record.get("step"))
                values = {key: value for key, value in numbers(record) if key != "step"}
                if step is not None and values:
                    yield MetricRow(step=step, time=None, values=values)


def _messages(prompt: str, output: str) -> list[Message]:
    return split_bare_roles(prompt, output)
