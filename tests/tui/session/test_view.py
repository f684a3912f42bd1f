"""Which samples are looked at, as a filter and a sort."""

from __future__ import annotations

from rollscope.tui.session.view import View, sort_name


def test_sorts_have_names() -> None:
    assert sort_name("reward") == "reward ↑"
    assert sort_name("-metrics.correct") == "metrics.correct ↓"


def test_the_dataset_is_part_of_the_filter() -> None:
    assert View().filter is None
    assert (
        View(where="reward < 1 or env = 'x'", dataset='a"b').filter
        == '(reward < 1 or env = \'x\') and dataset = "a\\"b"'
    )
