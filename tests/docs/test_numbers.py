"""Numbers that a page names are those that the program has."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest
from tests.fixtures import REPOSITORY
from tests.test_docs import text_of

#: (page, what it says with the number left out, the number's module and name, what one of its units is). Where the page writes
#: the number in words, they stand there as they are, and the last column is the number they mean.
NUMBERS: tuple[tuple[str, str, str, float], ...] = (
    ("architecture", "segment* per file or per {} MB of it", "index.changes.plan.CHUNK_BYTES", 1 << 20),
    ("architecture", "share a segment**, up to 64 MB or {} files", "index.changes.plan.MAX_PIECES", 1),
    ("architecture", "parts of a few hundred files", "index.manifest.parts.PART_SIZE", 256),
    ("architecture", "Every megabyte of what was read has a hash", "storage.fingerprint.BLOCK_BYTES", 1 << 20),
    ("architecture", "has a hash; eight of them", "storage.fingerprint.SAMPLED_BLOCKS", 8),
    ("architecture", "written less than two seconds before it was checked", "storage.fingerprint.RACY_NS", 2e9),
    ("architecture", "Above a million samples, rows are ordered", "index.rows.run_order.LARGE_ROWS", 1e6),
    ("architecture", "a quarter of a million rows at a time", "index.segments.compaction.LARGE_ROWS", 250_000),
    ("architecture", "for at most a fiftieth of the time", "server.live.watcher.TIMER_SHARE[auto]", 0.02),
    ("architecture", "is older than ten times its duration", "query.live.watch.WATCHED_FRESH_TIMES", 10),
    ("architecture", "its duration ({:g} to 5 s)", "query.live.watch.FRESH_SECONDS", 1),
    ("architecture", "its duration (0.2 to {:g} s)", "query.live.watch.MAX_FRESH_SECONDS", 1),
    ("architecture", "a run of a thousand files or more", "query.live.reported_files.REPORTED_FROM_FILES", 1_000),
    ("architecture", "older than fifty times its duration", "query.live.reported_files.REPORTED_FRESH_TIMES", 50),
    ("architecture", "unread file (one megabyte) is scanned", "index.index.FIRST_BYTES", 1 << 20),
    ("cli", "written for three times the duration of a step", "query.overview.run_info.STEPS_TO_MISS", 3),
    ("cli", "(at least half a minute,", "query.overview.run_info.LIVE_SECONDS[0]", 30),
    ("cli", "at most six hours;", "query.overview.run_info.LIVE_SECONDS[1]", 6 * 3600),
    ("cli", "two minutes while it has only one step", "query.overview.run_info.LIVE_AT_FIRST", 120),
    ("cli", "a list stops at {} by default", "settings.Settings.limit", 1),
    ("cli", "{} stopped by Ctrl-C", "cli.main.INTERRUPTED", 1),
    ("cli", "{} what `--fail-on` or", "cli.commands.findings.SERIOUS", 1),
    ("cli", "`--fail-on-regression` the exit status is {}", "cli.commands.insights.compare.REGRESSION", 1),
    ("formats", "read whole, up to {} MB unpacked", "formats.containers.packed_records.MAX_BYTES", 1 << 20),
    ("formats", "it takes up to {} times its", "query.limits.TIMES", 1),
    ("formats", "a line of more than `--max-line` ({} MB)", "settings.Settings.max_line", 1),
    ("formats", "an object of more than {} kB", "formats.lines.row_reader.MAX_MAPPING", 1 << 10),
    ("formats", "the first 2000 such keys", "formats.lines.row_reader.MAX_EXTRAS", 2_000),
    ("formats", "nested more than {} deep", "formats.lines.lenient.MAX_DEPTH", 1),
    ("formats", "found up to twelve folders deep", "query.library.finder.MAX_DEPTH", 12),
    ("formats/harbor", "the first {} KB are shown", "formats.harbor.trial.MAX_OUTPUT", 1 << 10),
    ("formats/jsonl", "by its name in the first {} records", "formats.fallback.files.KEY_LINES", 1),
    ("http", "of one step are kept ({} MB of them)", "query.lists.answer_cache.DEFAULT_BYTES", 1 << 20),
    ("http", "for bodies above {} KB", "server.http.encoding.COMPRESS_FROM", 1 << 10),
    ("http", "two numeric fields of up to {} samples", "query.answers.MAX_POINTS", 1),
    ("http", "A comment every {} s", "server.live.events.HEARTBEAT_SECONDS", 1),
    ("http", "(JSON, at most {} KB)", "userdata.dashboards.MAX_LAYOUT_BYTES", 1 << 10),
    ("http", "and `limit`: at most {} rows", "server.schema.parameters.MAX_ROWS", 1),
    ("http", "An address may have {} bytes", "server.options.MAX_QUERY_BYTES", 1),
    ("http", "bytes, a body {}.", "server.options.MAX_BODY_BYTES", 1),
    ("http", "on which nothing moves for a minute", "server.http.slow_clients.PATIENCE_SECONDS", 60),
    ("insights", "At most {} texts a side are read", "query.insights.contrast.contrast.MAX_TEXTS", 1),
    ("insights", "Of more than {} (or 12 MB) a side", "query.insights.contrast.contrast.FIRST_TEXTS", 1),
    ("insights", "(or {} MB) a side", "query.insights.contrast.contrast.FIRST_BYTES", 1 << 20),
    ("insights", "Of a text longer than {} characters, the beginning", "query.insights.contrast.words.MAX_CHARS", 1),
    ("insights", "the texts have at most {} words", "query.insights.contrast.contrast.NEAREST_WORDS", 1),
    ("insights", "phrase is a sequence of 1 to {} words", "query.insights.contrast.ngrams.LONGEST", 1),
    ("insights", "Only phrases with `q` ≤ {:g}", "query.insights.contrast.phrases.FALSE_DISCOVERIES", 1),
    ("insights", "too rare to reach p ≤ 5e-6", "query.insights.contrast.phrases.TESTABLE", 5e-6),
    ("insights", "at least half of its `z` remains", "query.insights.contrast.folding.LEFT", 0.5),
    ("insights", "At most {} samples a step", "query.insights.tokens.run_tokens.PER_STEP", 1),
    ("insights", "samples a step and {} in all", "query.insights.tokens.run_tokens.MAX_SAMPLES", 1),
    ("insights", "than {} pairs of words would have to be compared", "query.insights.word_diff.MAX_PAIRS", 1),
    ("insights", "If that leaves more than {} pairs", "query.insights.word_diff.FAR_PAIRS", 1),
    ("insights", "For up to 2,000 words against 2,000", "query.insights.word_diff.EXACT_PAIRS", 2_000 * 2_000),
    ("insights", "aligned at sequences of four words", "query.insights.word_diff.ANCHOR_WORDS[0]", 4),
    ("insights", "at sequences of two words, then", "query.insights.word_diff.ANCHOR_WORDS[1]", 2),
    ("insights", "For up to {} prompts every permutation", "query.insights.statistics.EXACT", 1),
    ("insights", "above {} prompts both come from the normal", "query.insights.statistics.LARGE", 1),
    ("insights", "take more than {} MB a `phrase`", "query.insights.findings.run_findings.COUNTED_BYTES", 1 << 20),
    ("insights", "is counted in {} samples", "query.insights.findings.run_findings.COUNTED_SAMPLES", 1),
    ("insights", "a count that goes on (of the last {})", "features.repetition.TAIL_CHARS", 1),
    ("insights", "a unit of up to {} characters 4 times", "features.repetition.MAX_PERIOD", 1),
    ("insights", "missing below {} words", "features.repetition.MIN_WORDS", 1),
    ("insights", "`text.repetition` is at most {:g}", "features.repetition.ASKED", 1),
    ("insights", "(LZ4) of the last {} characters", "features.repetition.COMPRESSED_CHARS", 1),
    ("insights", "longer than {} characters, only the words", "features.base.MAX_READ_CHARS", 1),
    ("insights", "fewer than {} such letters are taken for names", "features.language.scripts.FEW_LETTERS", 1),
    ("insights", "Greek letters from three words in a row", "features.language.scripts.GREEK_WORDS", 3),
    ("insights", "alike (similarity of {:g} or more)", "features.siblings.NEARLY", 1),
    ("insights", '"start": the first {} characters', "features.patterns.START_CHARS", 1),
    ("insights", "divided into up to five ranges", "query.insights.findings.find.MAX_EVIDENCE", 5),
    ("insights", "the first {} of the characters [", "query.insights.findings.find.MAX_VALUE", 1),
    ("insights", "samples or 0.1 % are not reported", "query.insights.findings.find.MIN_SHARE", 0.001),
    ("insights", "by 5 % of the range and make up", "query.insights.findings.find.PAID", 0.05),
    ("insights", "at least 2 % since the onset", "query.insights.findings.find.SERIOUS_PAID", 0.02),
    ("insights", "`medium` from 5 % on", "query.insights.findings.find.SERIOUS", 0.05),
    ("insights", "within {:g} of the best; there is", "query.insights.findings.over_steps.rates.NEARLY_AS_WELL", 1),
    ("insights", "no onset below a gain of {:g}", "query.insights.findings.over_steps.rates.CHANGE", 1),
    ("insights", "or of {:g} for something absent", "query.insights.findings.over_steps.rates.POSSIBLE", 1),
    (
        "insights",
        "`text.repetition_apart` above {:g} and",
        "query.insights.findings.detectors.repetition.REPETITION",
        1,
    ),
    ("insights", "and {:g} above what is usual", "query.insights.findings.detectors.repetition.REPETITION_MARGIN", 1),
    ("insights", "compresses {:g} times better", "query.insights.findings.detectors.repetition.COMPRESSES", 1),
    (
        "insights",
        "`text.repetition_apart` above {:g}; or",
        "query.insights.findings.detectors.repetition.PLAIN_REPETITION",
        1,
    ),
    ("insights", "compression above {:g} (which", "query.insights.findings.detectors.repetition.COMPRESSION", 1),
    ("insights", "more than half of a group of three", "query.insights.findings.detectors.repetition.ALIKE", 0.5),
    ("insights", "answers of {} words and more", "query.insights.findings.detectors.repetition.LONG_WORDS", 1),
    ("insights", "`text.garbled` above {:g}", "query.insights.findings.detectors.language.GARBLED", 1),
    ("insights", "`text.foreign` above {:g}, and", "query.insights.findings.detectors.language.FOREIGN", 1),
    ("insights", "if it is {:g} or more in most", "query.insights.findings.detectors.language.MUCH_FOREIGN", 1),
    (
        "insights",
        "`truncated` | half a point more frequent",
        "query.insights.findings.detectors.truncation.RISE",
        0.005,
    ),
    ("insights", "or 1 % of all; of low severity", "query.insights.findings.detectors.truncation.ALWAYS", 0.01),
    ("insights", "below a quarter of all", "query.insights.findings.detectors.truncation.SERIOUS_SHARE", 0.25),
    ("insights", "below a rise of 10 points", "query.insights.findings.detectors.truncation.SERIOUS_RISE", 0.1),
    ("insights", "the reward is in the top quarter", "query.insights.findings.rewards.reward_bands.TOP", 0.75),
    ("insights", "reward in the lower two fifths", "query.insights.findings.rewards.reward_bands.BOTTOM", 0.4),
    ("insights", "more than 5 % of the best-rewarded", "query.insights.findings.detectors.phrases.SHARE", 0.05),
    ("insights", "contain it, 3 points more", "query.insights.findings.detectors.phrases.RISE", 0.03),
    ("insights", "(at least four words;", "query.insights.findings.detectors.phrases.WORDS", 4),
    ("insights", "{:g} are expected by chance", "query.insights.findings.detectors.phrases.BY_CHANCE", 1),
    ("insights", "z > {:g}: the typical length", "query.insights.findings.detectors.lengths.LENGTH_Z", 1),
    ("insights", "length is {:g} times as long", "query.insights.findings.detectors.lengths.LENGTH_RATIO", 1),
    ("insights", "(log-likelihood higher by {:g})", "query.insights.findings.detectors.lengths.TAIL_CHANGE", 1),
    ("insights", "by at least one point", "query.insights.findings.detectors.lengths.TAIL_RISE", 0.01),
    ("insights", "while at most 15 % of those", "query.insights.findings.detectors.lengths.EXPECTED_MOST", 0.15),
    (
        "insights",
        "of length and reward is {:g} or more",
        "query.insights.findings.detectors.lengths.LENGTH_CORRELATION",
        1,
    ),
    ("insights", "are {:g} times as long as in", "query.insights.findings.detectors.lengths.WRONG_GROW", 1),
    ("insights", "The last fifth", "query.insights.findings.row_groups.WINDOW", 0.2),
    ("insights", "in more than half of the last", "query.insights.findings.detectors.zero_variance.ZERO_VARIANCE", 0.5),
    ("insights", "in fewer than 3 of 1,000 runs", "query.insights.findings.detectors.zero_variance.UNLIKELY", 0.003),
    ("insights", "in fewer than 1 of 2,000", "query.insights.findings.detectors.zero_variance.FEW_UNLIKELY", 0.0005),
    ("insights", "by at least 8 % of the range", "query.insights.findings.detectors.reward_jump.JUMP_SHARE", 0.08),
    ("insights", "The four steps on either side", "query.insights.findings.detectors.reward_jump.JUMP_STEPS", 4),
    ("insights", "any gradual change by {:g}. The", "query.insights.findings.detectors.reward_jump.BEYOND", 1),
    ("insights", "(log Bayes factor of {:g} or more)", "query.insights.findings.over_steps.jumps.SURE", 1),
    ("insights", "any gradual change by {:g} |", "query.insights.findings.over_steps.jumps.PLAIN", 1),
    ("insights", "may be better by {:g}, since", "query.insights.findings.over_steps.jumps.DROPS", 1),
    ("insights", "ramps of eight steps and more", "query.insights.findings.over_steps.jumps.RAMPS[0]", 8),
    (
        "insights",
        "makes up {:g} of what certainly rises",
        "query.insights.findings.detectors.reward_components.COMPONENT_SHARE",
        1,
    ),
    (
        "insights",
        "is higher by {:g} standard errors",
        "query.insights.findings.detectors.reward_components.PLAIN_RISE",
        1,
    ),
    ("insights", "the same call three times", "query.insights.findings.detectors.tools.TOOL_REPEATS", 3),
    ("insights", "first steps, or in 1 % of all |", "query.insights.findings.detectors.tools.TOOL_ERRORS_ALWAYS", 0.01),
    ("insights", "| {} steps old (4 or more", "query.insights.findings.detectors.tokens.STALE_STEPS", 1),
    ("insights", "steps old ({} or more if", "query.insights.findings.detectors.tokens.STALE_LEAST", 1),
    ("insights", "at most {:g} nats (if", "query.insights.findings.detectors.tokens.ENTROPY", 1),
    ("insights", "by more than {:g} nats a token", "query.insights.findings.detectors.tokens.DISAGREEMENT", 1),
    ("insights", "nats a token ({:g} or more", "query.insights.findings.detectors.tokens.DISAGREEMENT_LEAST", 1),
    ("python", "did so less than {} s before", "query.live.watch.FRESH_SECONDS", 1),
    ("python", "about one step four times as long", "query.live.watch.STEP_FRESH_TIMES", 4),
    ("python", "as long (at most {:g} s)", "query.live.watch.MAX_FRESH_SECONDS", 1),
    ("recorder", "cut at {} MiB", "record.code_diff.MAX_DIFF_BYTES", 1 << 20),
    ("recorder", "default {} MiB", "record.output.writer.DEFAULT_QUEUE_BYTES", 1 << 20),
    ("recorder", "and four later ones too", "record.run.KEPT_ITERATIONS", 4),
    ("recorder", "(version {}; later versions", "record.samples.schema.SCHEMA_VERSION", 1),
    ("recorder", "once a minute per kind", "record.output.problems.WARNING_INTERVAL", 60),
    ("recorder", "groups of eight, evaluations", "record.demo.write.GROUP_SIZE", 8),
    ("recorder", "discarded samples, forty steps", "cli.commands.viewers.DEMO_STEPS", 40),
    ("reliability", "made more than two seconds after", "storage.fingerprint.RACY_NS", 2e9),
    ("reliability", "outside the eight megabytes", "storage.fingerprint.SAMPLED_BLOCKS", 8),
    ("scaling", "{} MB of what was fetched are kept", "storage.objects.object_store.CACHE_BYTES", 1 << 20),
    ("scaling", "to a temporary folder first, up to {} GB", "storage.objects.object_store.COPY_BYTES", 1 << 30),
    ("scaling", "for `--poll` seconds ({:g})", "storage.objects.object_listing.POLL_SECONDS", 1),
    ("scaling", "for twenty times as long as it took", "storage.objects.object_listing.POLL_SHARE", 20),
    ("scaling", "At most {} objects below one URL", "storage.objects.object_store.MAX_KEYS", 1),
    ("scaling", "fetched sixteen at a time", "storage.objects.object_store.REQUESTS_AT_ONCE", 16),
    ("scaling", "about one request per {} MB", "index.changes.plan.CHUNK_BYTES", 1 << 20),
    ("scaling", "for half a minute at most", "storage.objects.object_client.RETRY_SECONDS", 30),
    ("scaling", "The last fifty roots are kept", "index.shared.KEPT_ROOTS", 50),
    ("scaling", "are deleted after a day", "index.shared.GARBAGE_SECONDS", 24 * 3600),
    ("scaling", "A task is about {} MB of files", "index.changes.plan.CHUNK_BYTES", 1 << 20),
    ("scaling", "Above a million rows, a filter", "index.rows.run_order.LARGE_ROWS", 1e6),
    ("scaling", "it a quarter of a million rows at a time", "index.rows.run_order.PART_ROWS", 250_000),
    ("scaling", "runs of fewer than {} files outside", "query.live.reported_files.REPORTED_FROM_FILES", 1),
    ("security", "with its query | {} bytes |", "server.options.MAX_QUERY_BYTES", 1),
    ("security", "head in total | {} bytes |", "server.http.protocol.MAX_HEAD_BYTES", 1),
    ("security", "a body | {} bytes |", "server.options.MAX_BODY_BYTES", 1),
    ("security", "a saved layout | {} bytes;", "userdata.dashboards.MAX_LAYOUT_BYTES", 1),
    ("security", "bytes; {} layouts", "userdata.dashboards.MAX_DASHBOARDS", 1),
    ("security", "in one answer | {} |", "server.schema.parameters.MAX_ROWS", 1),
    ("security", "a token**: 192 random bits", "server.access.token_check.TOKEN_BYTES", 192 / 8),
    ("terminal", "(texts of up to {} KB)", "tui.text.markdown.MAX_MARKDOWN", 1 << 10),
    ("terminal", "windows of less than {} columns", "tui.app.NARROW", 1),
    ("terminal", "(up to {} in one sample)", "tui.text.matches.MAX_MATCHES", 1),
    ("terminal", "At most {} characters are sent", "tui.session.reading.clipboard.MAX_COPY", 1),
    ("web", "Up to {} points are drawn", "query.answers.MAX_POINTS", 1),
)


def value_of(place: str) -> Any:
    """`index.plan.CHUNK_BYTES`, `settings.Settings.limit` (its default), `watch.LIVE_SECONDS[0]`."""
    path, _, key = place.rstrip("]").partition("[")
    *names, last = path.split(".")
    owner: Any = None
    if names[-1] == "Settings":
        return importlib.import_module("rollscope.settings").Settings._field_defaults[last]
    owner = importlib.import_module(f"rollscope.{'.'.join(names)}")
    value = getattr(owner, last)
    return value[int(key) if key.isdecimal() else key] if key else value


def written(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


@pytest.mark.parametrize(
    ("page", "said", "number", "unit"), NUMBERS, ids=[f"{page}: {said}" for page, said, _, _ in NUMBERS]
)
def test_a_number_in_running_text_is_the_program_s_own(page: str, said: str, number: str, unit: float) -> None:
    words = " ".join(text_of(f"docs/{page}.md").split())
    value = value_of(number)
    if "{" in said:
        assert said.replace("{:g}", "{}").format(written(value / unit)) in words
    else:
        assert said.lower() in words.lower()
        assert value == pytest.approx(unit)


#: (page, what it says, a file of the page's source, the line of it that has the number)
PAGE_NUMBERS = (
    ("web", "of more than {} turns neighbours share", "reading/messages/turnOutcomes.ts", r"most = ([\d_]+)"),
    ("web", "Texts longer than {} characters", "api/hooks.ts", r"MAX_PART_CHARS = ([\d_]+)"),
    ("web", "(up to {}, sorted by reward)", "api/insights.ts", r'rewards: "([\d_]+)"'),
    ("performance", "at most every {} ms", "browsing/list/useSampleList.ts", r"PAGES_MS = ([\d_]+)"),
)


@pytest.mark.parametrize(("page", "said", "file", "line"), PAGE_NUMBERS, ids=[said for _, said, _, _ in PAGE_NUMBERS])
def test_a_number_of_the_page_is_its_source_s_own(page: str, said: str, file: str, line: str) -> None:
    (number,) = re.findall(line, (REPOSITORY / "web" / "src" / file).read_text(encoding="utf-8"))
    assert said.format(written(int(number))) in " ".join(text_of(f"docs/{page}.md").split())
