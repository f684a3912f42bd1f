"""Prints the tables of docs/insights.md: python -m bench.insight_report [--seeds N] [--kind K] [--verbose]."""

from __future__ import annotations

import argparse

from bench.insight_report import prose
from bench.insight_report.measured import Outcome, clean, measure
from bench.insight_report.phrase_contrast import phrase_in_contrast
from bench.insight_report.troubles import TROUBLES


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.insight_report", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="runs of each trouble")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--kind", action="append", default=[], help="only this kind; clean and contrast are kinds, too")
    parser.add_argument("--verbose", action="store_true", help="say which runs went wrong")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    chosen = [item for item in TROUBLES if not options.kind or item.kind in options.kind]
    if chosen:
        print("| kind | runs | found | precision | recall | onset holds the step |")
        print("| --- | --- | --- | --- | --- | --- |")
    for trouble in chosen:
        outcomes = [measure(trouble, seed) for seed in seeds]
        print(_row(trouble.label, outcomes), flush=True)
        for item in outcomes if options.verbose else ():
            if item.precision < 0.95 or item.recall < 0.9 or not item.onset:
                print(f"    {item.precision:.2f} {item.recall:.2f} {item.onset}: {item.about}", flush=True)
    if not options.kind or "contrast" in options.kind:
        hits = [phrase_in_contrast(seed) for seed in range(options.first, options.first + 4 * options.seeds)]
        print(
            f"\nA planted phrase is among the first five of contrast in {sum(hit for hit, _ in hits)} of {len(hits)} runs."
        )
        for hit, about in hits if options.verbose else ():
            if not hit:
                print(f"    missed: {about}")
    if not options.kind or "clean" in options.kind:
        _clean(options.first, 4 * options.seeds)


def _row(label: str, outcomes: list[Outcome]) -> str:
    found = [item for item in outcomes if item.severity != "none"]
    precision = sum(item.precision for item in found) / max(len(found), 1)
    recall = sum(item.recall for item in outcomes) / len(outcomes)
    held = sum(item.onset is True for item in outcomes)
    return f"| {label} | {len(outcomes)} | {len(found)} | {precision:.2f} | {recall:.2f} | {held} of {len(outcomes)} |"


def _clean(first: int, runs: int) -> None:
    total = 0
    counts: dict[str, int] = {}
    serious: list[str] = []
    languages = prose.known_languages()
    for seed in range(first, first + runs):
        found = clean(seed, languages[seed % len(languages)] if seed % 2 else None)
        total += found.samples
        serious += found.serious
        for kind, count in found.found.items():
            counts[kind] = counts.get(kind, 0) + count
    said = ", ".join(f"`{kind}` {1000 * count / total:.2f}" for kind, count in sorted(counts.items())) or "none"
    print(f"\nClean runs: {total:,} samples in {', '.join(languages)}.\nSamples meant by a finding, of 1,000: {said}.")
    print(f"Of severity medium or high: {'; '.join(serious) or 'none'}.")


if __name__ == "__main__":
    main()
