"""One run with a trouble, or without: what is found of it."""

from __future__ import annotations

import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import rollscope
from bench.insight_report.clean_runs import STEPS, Draft, Style, clean_run, style_of
from bench.insight_report.troubles.trouble import Trouble
from bench.insight_report.written_formats import FORMATS

RATES = (0.02, 0.05, 0.1, 0.2, 0.3)
STARTS = (3, 8, 15, 22, 30)


class Outcome(NamedTuple):
    planted: int
    precision: float
    recall: float
    #: None where nothing was found, or no onset is told.
    onset: bool | None
    severity: str
    about: str


class CleanOutcome(NamedTuple):
    samples: int
    #: "kind" -> samples meant.
    found: dict[str, int]
    serious: list[str]


def _named(drafts: list[Draft]) -> dict[int, str]:
    """id of a draft -> its address."""
    places: dict[int, int] = {}
    names = {}
    for draft in drafts:
        number = places.get(draft.step, 0)
        places[draft.step] = number + 1
        names[id(draft)] = f"train/{draft.step}/{number}"
    return names


def _style(trouble: Trouble, chance: random.Random) -> Style:
    wants = dict(trouble.style)
    style = style_of(chance, golden=wants.pop("golden", None) is True, marked="marks" in wants)
    if isinstance(golden := trouble.style.get("golden"), str):
        wants["golden"] = golden
    if style.language != "en" and trouble.kind in ("phrase",):
        wants["language"] = "en"
    return replace(style, **wants)


def planted_run(trouble: Trouble, seed: int) -> tuple[list[Draft], list[Draft], int, str]:
    """(all drafts, those that were hit, the step it began at, what run it is)."""
    chance = random.Random(f"{trouble.label}{seed}")
    style = _style(trouble, chance)
    drafts = clean_run(chance, style)
    rate = max(RATES[seed % len(RATES)], trouble.least)
    start = STARTS[(seed * 2 + len(trouble.label)) % len(STARTS)]
    if trouble.unit == "everything":
        start = max(start, 8)
        meant = [draft for draft in drafts if draft.step >= start]
        meant = trouble.plant(meant, chance, seed) or meant
    elif trouble.unit == "group":
        groups: dict[tuple[int, int], list[Draft]] = {}
        for draft in drafts:
            groups.setdefault((draft.step, draft.group), []).append(draft)
        hit = [members for (step, _), members in groups.items() if step >= start and chance.random() < max(rate, 0.05)]
        for members in hit:
            trouble.plant(members, chance, seed)
        meant = [draft for members in hit for draft in members]
    else:
        meant = [draft for draft in drafts if draft.step >= start and chance.random() < rate]
        for draft in meant:
            trouble.plant([draft], chance, seed)
    about = f"seed {seed}, {style.language}, {style.chars} characters, {rate:.0%} from step {start} of {STEPS}"
    about += f", {style.golden}, {style.marks}"
    return drafts, meant, start, about


def measure(trouble: Trouble, seed: int) -> Outcome:
    drafts, meant, start, about = planted_run(trouble, seed)
    format_ = trouble.formats[seed % len(trouble.formats)]
    about = f"{format_}, {about}, {len(meant)} planted"
    names = _named(drafts)
    wanted = {names[id(draft)] for draft in meant}
    with tempfile.TemporaryDirectory() as folder:
        FORMATS[format_](Path(folder) / "train_run", drafts)
        run = rollscope.open(Path(folder) / "train_run", index_dir=f"{folder}/index")
        found = [item for item in run.findings(kind=trouble.kind) if trouble.title in item.title]
        if not found:
            told = [item.reason for item in run.findings_report(kind=trouble.kind).unknown]
            return Outcome(len(wanted), 0.0, 0.0, None, "none", f"{about}; {'; '.join(told)}")
        seen = {row.address for item in found for row in run.samples(split=item.split, where=item.where)}
    item = max(found, key=lambda item: item.samples)
    if trouble.kind == "zero_variance":  # groups that are so by chance are as well meant
        same: dict[tuple[int, int], set[float]] = {}
        for draft in drafts:
            same.setdefault((draft.step, draft.group), set()).add(draft.reward)
        wanted |= {names[id(draft)] for draft in drafts if len(same[draft.step, draft.group]) == 1} & seen
    both = len(seen & wanted)
    held = None if item.onset is None else item.onset[0] <= start <= item.onset[1]
    about = f"{about}; {item.where[:120]}, onset {item.onset}"
    return Outcome(len(wanted), both / max(len(seen), 1), both / max(len(wanted), 1), held, item.severity, about)


def clean(seed: int, language: str | None = None) -> CleanOutcome:
    chance = random.Random(f"clean {seed}")
    style = style_of(chance)
    if language is not None:
        style = replace(style, language=language)
    format_ = list(FORMATS)[seed % len(FORMATS)]
    if seed % 3 == 0:
        style = replace(style, tools=True)
    if format_ == "own":
        style = replace(style, tokens=seed % 2 == 0, components=seed % 4 == 1)
    drafts = clean_run(chance, style)
    with tempfile.TemporaryDirectory() as folder:
        FORMATS[format_](Path(folder) / "train_run", drafts)
        found = rollscope.open(Path(folder) / "train_run", index_dir=f"{folder}/index").findings()
    about = f"{format_}, seed {seed}, {style.language}, {style.chars} characters"
    serious = [f"{item.kind} ({item.severity}, {item.why}; {about})" for item in found if item.severity != "low"]
    counts: dict[str, int] = {}
    for item in found:
        counts[item.kind] = counts.get(item.kind, 0) + item.samples
    return CleanOutcome(len(drafts), counts, serious)
