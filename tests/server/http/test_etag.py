"""ETags tell versions apart, and are compared weakly."""

from __future__ import annotations

import pytest

from rollscope.server.http.etag import tag_matches, version_tag


@pytest.mark.parametrize(
    ("header", "matches"),
    [('W/"a"', True), ('"a"', True), ('"b", W/"a"', True), ("*", True), ('"b"', False), ("", False), ("a", False)],
)
def test_tags_are_compared_weakly(header: str, matches: bool) -> None:
    assert tag_matches(header, 'W/"a"') is matches


def test_a_version_s_tag_differs_by_server_run_version_and_question() -> None:
    tags = {
        version_tag(instance, run, version, question)
        for instance in ("i", "j")
        for run in ("a", "b")
        for version in (1, 2)
        for question in (b"/x?a=1", b"/x?a=2")
    }
    assert len(tags) == 16
