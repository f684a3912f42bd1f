"""Limits that a page names are those that the program has."""

from __future__ import annotations

import importlib

import pytest
from tests.test_docs import text_of

#: (page, what it says with the limit left out, the limit's module and name, what one of its units is)
LIMITS = (
    ("architecture", "segment* per file or per {} MB of it", "index.plan.CHUNK_BYTES", 1 << 20),
    ("architecture", "share a segment**, up to 64 MB or {} files", "index.plan.MAX_PIECES", 1),
    ("formats", "read whole, up to {} MB unpacked", "formats.containers.packed_records.MAX_BYTES", 1 << 20),
    ("formats", "it takes up to {} times its", "query.limits.TIMES", 1),
    ("http", "of one step are kept ({} MB of them)", "query.lists.answer_cache.DEFAULT_BYTES", 1 << 20),
    ("http", "for bodies above {} KB", "server.http.encoding.COMPRESS_FROM", 1 << 10),
    ("http", "two numeric fields of up to {} samples", "query.answers.MAX_POINTS", 1),
    ("http", "A comment every {} s", "server.live.events.HEARTBEAT_SECONDS", 1),
    ("http", "(JSON, at most {} KB)", "userdata.dashboards.MAX_LAYOUT_BYTES", 1 << 10),
    ("insights", "At most {} texts a side are read", "query.insights.contrast.contrast.MAX_TEXTS", 1),
    ("insights", "Of more than {} (or 12 MB) a side", "query.insights.contrast.contrast.FIRST_TEXTS", 1),
    ("insights", "(or {} MB) a side", "query.insights.contrast.contrast.FIRST_BYTES", 1 << 20),
    ("insights", "At most {} samples a step", "query.insights.tokens.run_tokens.PER_STEP", 1),
    ("insights", "samples a step and {} in all", "query.insights.tokens.run_tokens.MAX_SAMPLES", 1),
    ("insights", "take more than {} MB a `phrase`", "query.insights.findings.run_findings.COUNTED_BYTES", 1 << 20),
    ("insights", "is counted in {} samples", "query.insights.findings.run_findings.COUNTED_SAMPLES", 1),
    ("python", "did so less than {} s before", "query.watch.FRESH_SECONDS", 1),
    ("formats", "an object of more than {} kB", "formats.lines.row_reader.MAX_MAPPING", 1 << 10),
    ("http", "An address may have {} bytes", "server.options.MAX_QUERY_BYTES", 1),
    ("http", "bytes, a body {}.", "server.options.MAX_BODY_BYTES", 1),
    ("recorder", "cut at {} MiB", "record.code_diff.MAX_DIFF_BYTES", 1 << 20),
    ("scaling", "{} MB of what was fetched are kept", "storage.objects.object_store.CACHE_BYTES", 1 << 20),
    ("scaling", "to a temporary folder first, up to {} GB", "storage.objects.object_store.COPY_BYTES", 1 << 30),
    ("terminal", "(texts of up to {} KB)", "tui.text.markdown.MAX_MARKDOWN", 1 << 10),
)


@pytest.mark.parametrize(("page", "said", "limit", "unit"), LIMITS, ids=[limit for _, _, limit, _ in LIMITS])
def test_a_limit_in_running_text_is_the_program_s_own(page: str, said: str, limit: str, unit: int) -> None:
    module, _, name = f"rollscope.{limit}".rpartition(".")
    value = getattr(importlib.import_module(module), name) / unit
    words = " ".join(text_of(f"docs/{page}.md").split())
    assert said.format(f"{int(value):,}" if value == int(value) else f"{value:g}") in words
