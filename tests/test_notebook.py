"""What a notebook shows is escaped: rollouts are untrusted."""

from __future__ import annotations

from rollscope import notebook

HOSTILE = "<script>alert(1)</script>"


def test_no_text_becomes_markup() -> None:
    for shown in (
        notebook.table([HOSTILE], [[HOSTILE]]),
        notebook.title(HOSTILE, HOSTILE),
        notebook.text(HOSTILE, HOSTILE),
    ):
        assert "<script" not in shown
        assert shown.count("&lt;script&gt;") == 2


def test_missing_values_are_empty_and_numbers_short() -> None:
    assert notebook.table(["a", "b"], [[None, 0.123456]]).endswith("<tr><td></td><td>0.1235</td></tr></tbody></table>")


def test_facts_that_are_missing_are_left_out_and_zero_is_one() -> None:
    assert notebook.title("run", None, "", 0, "verl") == "<p><b>run</b> · 0 · verl</p>"
