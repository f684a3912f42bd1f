"""A response token by token: where each stands in the text, how it looks, and what is said of it."""

from __future__ import annotations

from rollscope.model import TopToken
from rollscope.query.insights.tokens.run_tokens import SampleTokens
from rollscope.tui.text.token_text import token_facts, token_text

TOKENS = SampleTokens(
    run="r",
    address="train/0/0",
    count=3,
    strings=["So", " 42", "\n"],
    logprobs=[-0.1, -6.0, None],
    mask=[1, 1, 0],
    versions=["a", "a", "b"],
    top=[[], [TopToken(token=" 41", logprob=-0.5)], []],
)


def test_tokens_lie_behind_each_other_and_unusual_ones_are_marked() -> None:
    text = token_text(TOKENS, "logprobs")
    [block] = text.document.blocks
    said = block.text or ""
    assert [said[start:end] for start, end in zip(text.starts, text.ends)][:2] == ["So", " 42"]
    first = block.spans[0]
    assert (first.start, first.end, first.look) == (2, 5, "token.4")
    assert [text.token_at(offset) for offset in (0, 1, 2, 4)] == [0, 0, 1, 1]
    assert block.title == "3 tokens by sampler's log-probability"


def test_what_the_loss_leaves_out_is_seen_and_said() -> None:
    [block] = token_text(TOKENS, "logprobs").document.blocks
    assert block.spans[-1].look == "token.-1"
    assert "not trained on" in token_facts(TOKENS, 2)


def test_everything_known_of_a_token_is_in_its_line() -> None:
    line = token_facts(TOKENS, 1)
    assert line.startswith("token 2 of 3 ' 42'")
    for fact in ("sampler -6", "version a", "likeliest ' 41' -0.5"):
        assert fact in line
    assert "trainer" not in line, "what is not recorded is not told"
