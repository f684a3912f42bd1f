"""Samples beside each other as documents."""

from __future__ import annotations

from rollscope.query.insights.comparisons import DiffSide, GroupMember, GroupTree, SampleDiff
from rollscope.query.insights.group_tree import build_tree
from rollscope.query.insights.word_diff import word_diff
from rollscope.tui.text.comparisons import SHOWN_CHARS, diff_document, group_document


def diff_of(a: str, b: str) -> SampleDiff:
    found = word_diff(a, b)
    return SampleDiff(
        pieces=found.pieces,
        a_words=found.a_words,
        b_words=found.b_words,
        equal_words=found.equal_words,
        compared=found.compared,
        a=side("train/0/0", a, 1.0),
        b=side("train/0/1", b, None),
    )


def side(address: str, response: str, reward: float | None) -> DiffSide:
    return DiffSide(
        run="r",
        address=address,
        reward=reward,
        env=None,
        advantage=None,
        tokens=None,
        characters=len(response),
        answer=None,
        golden=None,
    )


def test_a_difference_reads_without_colours() -> None:
    head, body = diff_document(diff_of("one two three", "one \x1b three")).blocks
    assert body.text is not None
    assert "[-two" in body.text
    assert "{+␛" in body.text
    marked = [(body.text[span.start : span.end][:2], span.look) for span in body.spans]
    assert sorted(marked) == [("[-", "diff.delete"), ("{+", "diff.insert")]
    assert head.title.startswith("[-r train/0/0, reward 1")
    assert head.text == "2 words in both; 3 and 3 in each"


def test_equal_samples_have_nothing_marked() -> None:
    _, body = diff_document(diff_of("one two", "one two")).blocks
    assert (body.text, body.spans) == ("one two", [])


def test_a_group_is_a_tree_that_says_where_rewards_part() -> None:
    shared = "word " * SHOWN_CHARS
    texts, rewards = [f"{shared}yes", f"{shared}no", f"{shared}no way"], [1.0, 0.0, 0.0]
    tree = build_tree(texts, rewards)
    members = [
        GroupMember(
            address=f"train/0/{place}",
            reward=reward,
            advantage=None,
            status=None,
            discard_reason=None,
            words=1,
            tokens=None,
            answer=None,
            golden=None,
        )
        for place, reward in enumerate(rewards)
    ]
    found = GroupTree(
        nodes=tree.nodes, parts_most=tree.parts_most, run="r", split="train", step=0, group=7, samples=members
    )
    head, root, *others = group_document(found).blocks
    assert head.title == "train/0, group 7: 3 samples; samples × mean reward of each branch"
    assert root.text is not None
    assert root.text.startswith("3 × ")
    assert f" … {SHOWN_CHARS:,} words … " in root.text
    assert root.text.endswith("◀ rewards differ most here, by 1")
    assert [span.look for span in root.spans] == ["strong", "warning"]
    ends = [block.text for block in others if block.look == "note"]
    assert sorted(text or "" for text in ends) == [
        f"└ train/0/{place} reward {int(rewards[place])}" for place in range(3)
    ]
    assert {len(block.indent) for block in others} == {2}
