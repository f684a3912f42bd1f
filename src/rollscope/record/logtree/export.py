"""A trace as files: one self-contained HTML page for people, one JSON document for machines."""

from __future__ import annotations

from pathlib import Path

import msgspec

from rollscope.record.logtree.tree import Trace
from rollscope.record.samples.values import valid_tree
from rollscope.storage.atomic import write_atomically

_encoder = msgspec.json.Encoder(enc_hook=str)


def html_bytes(trace: Trace) -> bytes:
    from rollscope.record.logtree.page import render_page  # only the writer thread needs it

    return render_page(trace).encode("utf-8", "backslashreplace")


def json_bytes(trace: Trace) -> bytes:
    """Always valid JSON: msgspec writes NaN as null, and text that UTF-8 cannot hold is spelled out."""
    try:
        return _encoder.encode(trace.document())
    except UnicodeEncodeError:
        return _encoder.encode(valid_tree(trace.to_dict()))


def write_html(trace: Trace, path: str | Path) -> None:
    write_atomically(path, html_bytes(trace), durable=False)


def write_trace_json(trace: Trace, path: str | Path | None = None) -> None:
    """Without ``path``, beside the trace's HTML file."""
    target = Path(path) if path is not None else trace.json_path
    if target is None:
        raise ValueError("This trace has no path; say where its JSON should go: write_trace_json(trace, path).")
    write_atomically(target, json_bytes(trace), durable=False)
