"""Questions about an odd run, asked at a door and answered by a plain reader; every difference in words.

Driven by fixed numbers in `test_odd_runs.py`, and by many in `make soak ARGS='--only questions'`.
"""

from __future__ import annotations

import csv
import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tests.differential import doors, odd_runs, recorded_runs
from tests.differential.command_questions import ask_commands, ask_labels
from tests.differential.odd_runs import Plain
from tests.differential.plain_answers import (
    any_filter,
    field_word,
    fill_groups,
    group_of,
    in_order,
    near,
    size_of,
    step_facts,
    summary,
)
from tests.server.client import Server

import rollscope
from rollscope.query.run import Run

_HIDDEN = ("prompt", "response", "address")
#: What a line may be looked for: texts as a reader sees them.
_WORDS = ("needle", "Needle", "é", "I cannot", "Q1", "🙂", '"quoted"', "数学", "nobody")


class Questions:
    """A run that a number made, opened, and the samples that lie in it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.seed, self.root, self.folder = seed, folder / "runs" / f"odd{seed}", folder
        self.index = str(folder / "index")
        made = recorded_runs if seed % 5 == 0 else odd_runs
        self.kind = made.write_run(self.root, seed)
        self.samples = made.read_run(self.root, self.kind)
        self.chance = random.Random(f"questions {seed}")
        self.notes = str(folder / f"notes{seed}")
        self.run: Run = rollscope.open(self.root, index_dir=self.index, notes_dir=self.notes)
        # Names of groups that nobody wrote are Rollscope's; which samples share one is not.
        self.unnamed = {sample["address"] for sample in self.samples if "group" not in sample}
        fill_groups(self.samples)
        names = {name for sample in self.samples for name in sample} - {"address", "split", "group", "tags"}
        #: Of very many keys some.
        self.names = sorted(name for name in names if not name.startswith("metrics.many") or name.endswith("17"))
        scalars = ("reward", "advantage", "completion_tokens")
        self.numbers = [name for name in self.names if name.startswith(("metrics.", "rewards.")) or name in scalars]

    def differences(self, server: Server | None = None) -> Iterator[str]:
        """Every way in which a door says something else than the files."""
        asked: list[Callable[[], Iterator[str]]] = [
            self.lists, self.groups_are_told_apart, self.filters, self.orders, self.steps, self.curves, self.sql,
            self.group_pages, self.search, self.files, self.opened, self.commands, self.labels,
        ]  # fmt: skip
        for ask in asked:
            try:
                for found in ask():
                    yield f"seed {self.seed} ({self.kind.name}) {ask.__name__}: {found}"
            except Exception as error:  # noqa: BLE001  # a crash is a difference, too
                yield f"seed {self.seed} ({self.kind.name}) {ask.__name__}: {type(error).__name__}: {error}"
        if server is not None:
            for found in self.served(server):
                yield f"seed {self.seed} ({self.kind.name}) HTTP: {found}"

    # What is in the files

    def expected(self, *, texts: bool = False) -> dict[str, Plain]:
        hidden = ("address",) if texts else _HIDDEN
        return {
            sample["address"]: {
                name: doors.plain(value)
                for name, value in sample.items()
                if name not in hidden and not (name == "group" and sample["address"] in self.unnamed)
            }
            for sample in self.samples
        }

    def compare(self, said: dict[str, Plain], *without: str) -> Iterator[str]:
        expected = self.expected()
        if list(said) != list(expected):
            yield f"other samples or another order: {list(said)[:5]}…, in the files {list(expected)[:5]}…"
            return
        for address, sample in expected.items():
            shown = {name: value for name, value in said[address].items() if name not in ("response_bytes", *without)}
            if address in self.unnamed:
                shown.pop("group", None)
            for name in (sample.keys() - {*without}) | shown.keys():
                if shown.get(name) != sample.get(name):
                    yield f"{address} {name}: {shown.get(name)!r}, in the file {sample.get(name)!r}"

    def _case_restored(self, said: dict[str, Plain]) -> dict[str, Plain]:
        """SQL gives names that differ only in case a number each, in their order."""
        names = sorted({name for sample in self.samples for name in sample if name.startswith("metrics.")})
        alike = [
            [name for name in names if name.lower() == lower] for lower in sorted({name.lower() for name in names})
        ]
        own = {f"{name}_{place}": name for same in alike if len(same) > 1 for place, name in enumerate(same, 1)}
        return {address: {own.get(name, name): value for name, value in row.items()} for address, row in said.items()}

    # Python

    def lists(self) -> Iterator[str]:
        yield from self.compare(doors.listed(self.run))
        yield from self.compare(self._case_restored(doors.sql(self.run)))

    def opened(self) -> Iterator[str]:
        yield from self.compare(doors.opened(self.run, self.expected()), "turns")

    def groups_are_told_apart(self) -> Iterator[str]:
        shown = {row.address: (row.split, row.step, str(row.group)) for row in self.run.samples(discarded=None).rows}
        pairs = {(group_of(sample), shown[sample["address"]]) for sample in self.samples}
        if not len(pairs) == len({ours for ours, _ in pairs}) == len({theirs for _, theirs in pairs}):
            yield f"{len({ours for ours, _ in pairs})} groups are shown as {len({theirs for _, theirs in pairs})}"

    def filters(self) -> Iterator[str]:
        for _ in range(8):
            text, test = any_filter(self.chance, self.names)
            expected = [sample["address"] for sample in self.samples if test(sample)]
            found = self.run.samples(where=text, discarded=None)
            if [row.address for row in found.rows] != expected or found.total != len(expected):
                yield f"{text}: {len(found.rows)} samples, in the files {len(expected)}"
            start, count = self.chance.randrange(6), self.chance.choice([0, 1, 3, 10**12])
            page = [row.address for row in self.run.samples(where=text, discarded=None, offset=start, limit=count).rows]
            if page != expected[start : start + count]:
                yield f"{text}, {count} from {start}: {page}"
            for split in self.splits:
                counted = self.run.step_counts(split, where=text, discarded=None).total_matching
                here = sum(address.startswith(f"{split}/") for address in expected)
                if counted != here:
                    yield f"{text}: counted {counted} of {split}, in the files {here}"

    def orders(self) -> Iterator[str]:
        kept = [sample for sample in self.samples if "discard_reason" not in sample]
        for name in self.chance.sample(self.names, min(6, len(self.names))):
            if name in ("prompt", "response", "discard_reason", "index"):  # by its place a list is in the run's order
                continue
            for sign in ("", "-"):
                expected = [sample["address"] for sample in in_order(kept, name, descending=bool(sign))]
                shown = [row.address for row in self.run.samples(sort=sign + name).rows]
                if shown != expected:
                    yield f"sorted by {sign}{name}: {shown[:6]}…, in the files {expected[:6]}…"

    @property
    def splits(self) -> list[str]:
        return list(dict.fromkeys(sample["split"] for sample in self.samples))

    def _by_step(self) -> dict[tuple[str, int], list[Plain]]:
        steps: dict[tuple[str, int], list[Plain]] = {}
        for sample in self.samples:
            steps.setdefault((sample["split"], sample["step"]), []).append(sample)
        return steps

    def steps(self) -> Iterator[str]:
        told = {(split, row.step): row for split in self.splits for row in self.run.steps(split)}
        by_step = self._by_step()
        if told.keys() != by_step.keys():
            yield f"steps {sorted(told)}, in the files {sorted(by_step)}"
        for step, samples in by_step.items():
            facts = step_facts(samples)
            for name in ("samples", "discarded", "groups", "reward", "discard_reasons", "pass_at"):
                value = getattr(told[step], name)
                value = {key: getattr(value, key) for key in facts["reward"]} if name == "reward" else value
                if not near(facts[name], value, size_of(facts["reward"])):
                    yield f"step {step} {name}: {value!r}, in the files {facts[name]!r}"

    def curves(self) -> Iterator[str]:
        curves = {series.name: {int(step): value for step, value in series.points} for series in self.run.metrics()}
        by_step = self._by_step()
        for (split, step), samples in by_step.items():
            facts = step_facts(samples)
            sizes: dict[str, float] = {}
            prefix = "rollouts" if split == "train" else split
            wanted = {
                f"{prefix}/groups/reward_spread": facts["spread"],
                f"{prefix}/groups/zero_variance_pct": facts["zero_variance_pct"],
                f"{prefix}/samples/truncated_pct": facts["truncated_pct"],
            }
            for name in self.numbers:
                found = summary(sample.get(name) for sample in samples if "discard_reason" not in sample)
                wanted.update({f"{prefix}/{name}/{stat}": found[stat] for stat in ("mean", "std", "min", "max")})
                sizes[name] = size_of(found)
            for name, value in wanted.items():
                shown = curves.get(name, {}).get(step)
                if not near(value, shown, sizes.get(name.removeprefix(f"{prefix}/").removesuffix("/mean"), 0.0)):
                    yield f"{split}/{step} {name}: {shown!r}, in the files {value!r}"

    def sql(self) -> Iterator[str]:
        sums = "count(*), count(reward), min(completion_tokens), sum(completion_tokens)"
        of = "FROM samples WHERE discard_reason IS NULL GROUP BY split, step ORDER BY split, step"
        rows = self.run.sql(f"SELECT split, step, {sums} {of}").rows
        expected = []
        for (split, step), samples in sorted(self._by_step().items()):
            kept = [sample for sample in samples if "discard_reason" not in sample]
            tokens = [sample["completion_tokens"] for sample in kept if "completion_tokens" in sample]
            if kept:
                rewarded = sum("reward" in sample for sample in kept)
                summed = [min(tokens, default=None), sum(tokens) if tokens else None]
                expected.append([split, step, len(kept), rewarded, *summed])
        if rows != expected:
            yield f"sums by step {rows}, in the files {expected}"
        metrics = [name for name in self.names if name.startswith("metrics.")]
        lower = [name.lower() for name in metrics]
        told = [name for name in metrics if lower.count(name.lower()) == 1]  # SQL's names ignore case
        if told:
            said = [f"metrics.{_quoted(name.removeprefix('metrics.'))} AS v{place}" for place, name in enumerate(told)]
            table = self.run.sql_table(f"SELECT {', '.join(said)} FROM samples")
            for place, name in enumerate(told):
                values = [doors.plain(value) for value in table[f"v{place}"].to_pylist()]
                if values != [doors.plain(sample.get(name)) for sample in self.samples]:
                    yield f"SQL's {said[place]}: {values[:6]}…"

    def group_pages(self) -> Iterator[str]:
        for (split, step), samples in self._by_step().items():
            groups: dict[Any, list[Plain]] = {}
            for sample in samples:
                groups.setdefault(group_of(sample), []).append(sample)
            page = self.run.groups(split=split, step=step, discarded=None)
            shown = [row.samples for row in page.rows]
            if shown != [[sample["index"] for sample in group] for group in groups.values()]:
                yield f"groups of {split}/{step}: {shown}"
                continue
            for row, group in zip(page.rows, groups.values()):
                rewards = summary(sample.get("reward") for sample in group)
                if rewards["count"] < 2:  # one alone has no spread
                    rewards["std"] = None
                for name, value in (("mean", row.reward_mean), ("std", row.reward_spread)):
                    if not near(rewards[name], value):
                        yield f"group {row.group} of {split}/{step}: {name} {value!r}, in the files {rewards[name]!r}"

    def search(self) -> Iterator[str]:
        for word in (*self.chance.sample(_WORDS, 3), *self._pieces()):
            fold = self.chance.random() < 0.4
            for field in ("prompt", "response"):
                texts = {sample["address"]: _storable(sample[field]) for sample in self.samples}
                expected = [a for a, text in texts.items() if (word.lower() in text.lower() if fold else word in text)]
                regex = self.chance.random() < 0.5 and word.isalnum()
                hits = list(self.run.search(word, fields=[field], ignore_case=fold, regex=regex))
                if [hit.address for hit in hits] != expected:
                    yield f"{word!r} in {field}: {[hit.address for hit in hits]}, in the files {expected}"
                for hit in hits:
                    text = texts[hit.address]
                    if text[hit.start : hit.end].lower() != word.lower() or hit.snippet not in text:
                        yield f"{word!r} in {field} of {hit.address}: at {hit.start} is {text[hit.start : hit.end]!r}"

    def _pieces(self) -> Iterator[str]:
        """What somebody said, from anywhere to anywhere: across lines, parts and messages."""
        for sample in self.chance.sample(self.samples, min(3, len(self.samples))):
            text = _storable(sample[self.chance.choice(["prompt", "response"])])
            start = self.chance.randrange(len(text) + 1)
            if piece := text[start : start + self.chance.randrange(1, 12)]:
                yield piece

    # The command line, and what people wrote

    def commands(self) -> Iterator[str]:
        yield from ask_commands(self)

    def labels(self) -> Iterator[str]:
        yield from ask_labels(self)

    # Files

    def files(self) -> Iterator[str]:
        for ending in ("parquet", "jsonl", "csv"):
            path = self.folder / f"odd{self.seed}.{ending}"
            self.run.export(str(path), text=True)
            if ending == "parquet":
                rows = pq.ParquetFile(path).read().to_pylist()
            elif ending == "jsonl":
                rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
            else:
                yield from self._csv(path)
                continue
            yield from self.compare(doors.by_address(rows))
            for row, sample in zip(rows, self.samples):
                for name in ("prompt", "response"):
                    if row[name] != _storable(sample[name]):
                        yield f"{ending}: {sample['address']} {name} {row[name]!r}, in the file {sample[name]!r}"

    def _csv(self, path: Path) -> Iterator[str]:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        if len(rows) != len(self.samples):
            yield f"csv has {len(rows)} rows, the files {len(self.samples)}"
            return
        for row, sample in zip(rows, self.samples):
            for name in self.names:
                shown, value = row.get(name, ""), sample.get(name)
                if name in ("prompt", "response"):
                    same = shown == _storable(str(value))
                elif value is None:
                    same = shown == ""
                elif isinstance(value, str) or type(value) is int:
                    same = shown == str(value)
                else:
                    same = shown != "" and (float(shown) == value or (math.isnan(float(shown)) and math.isnan(value)))
                if not same:
                    yield f"csv: {sample['address']} {name} {shown!r}, in the file {value!r}"

    # HTTP

    def served(self, server: Server) -> Iterator[str]:
        run = next(item["id"] for item in server.json("/api/runs") if item["path"] == str(self.root))
        doors.when_read(server, run)
        yield from self.compare(doors.served(server, run))
        yield from self.compare(self._case_restored(doors.served_sql(server, run, "SELECT * FROM samples")))
        some = self.chance.sample(sorted(self.expected()), min(4, len(self.samples)))
        for address in some:
            shown = doors.served_sample(server, run, address)
            for name, value in self.expected()[address].items():
                if name != "turns" and shown.get(name) != value:
                    yield f"the sample {address} {name}: {shown.get(name)!r}, in the file {value!r}"
        for _ in range(3):
            text, test = any_filter(self.chance, self.names)
            expected = [sample["address"] for sample in self.samples if test(sample)]
            page = server.json(f"/api/runs/{run}/samples", where=text, discarded="all", limit=1000)
            if [row["address"] for row in page["rows"]] != expected:
                yield f"{text}: {len(page['rows'])} samples, in the files {len(expected)}"
        word = self.chance.choice(_WORDS)
        where = f"response contains {json.dumps(word)} and {field_word('reward')} >= 0.5"
        page = server.json(f"/api/runs/{run}/samples", where=where, discarded="all", limit=1000)
        expected = [s["address"] for s in self.samples if word in s["response"] and s.get("reward", math.nan) >= 0.5]
        if [row["address"] for row in page["rows"]] != expected:
            yield f"{where}: {[row['address'] for row in page['rows']]}, in the files {expected}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _storable(text: str) -> str:
    """Half of a surrogate pair is in no UTF-8: it is shown as an escape."""
    return text.encode("utf-8", "backslashreplace").decode()
