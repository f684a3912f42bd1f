"""Reports of what happened in a rollout, for people (HTML) and machines (JSON), from the same calls.

Environments call these functions wherever they are; what is logged lands in the report of the iteration that is open, in
the section of its rollout. Where no report is open, every call does nothing.
"""

from __future__ import annotations

from rollscope.record.logtree.content import (
    Formatter,
    details,
    header,
    log_conversation,
    log_formatter,
    log_html,
    log_text,
    table,
    table_from_dict,
    table_from_dict_of_lists,
)
from rollscope.record.logtree.export import write_html, write_trace_json
from rollscope.record.logtree.scopes import (
    flush_trace,
    init_trace,
    optional_enable_logging,
    propagate,
    scope_details,
    scope_disable,
    scope_div,
    scope_header,
    scope_header_decorator,
)
from rollscope.record.logtree.tree import Node, Trace

__all__ = [
    "Formatter",
    "Node",
    "Trace",
    "details",
    "flush_trace",
    "header",
    "init_trace",
    "log_conversation",
    "log_formatter",
    "log_html",
    "log_text",
    "optional_enable_logging",
    "propagate",
    "scope_details",
    "scope_disable",
    "scope_div",
    "scope_header",
    "scope_header_decorator",
    "table",
    "table_from_dict",
    "table_from_dict_of_lists",
    "write_html",
    "write_trace_json",
]
