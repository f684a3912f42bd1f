"""Completions of one prompt as a tree."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rollscope
from rollscope import record
from rollscope.query.insights.group_tree import Tree, build_tree
from rollscope.query.insights.words import split_words

WORDS = st.sampled_from(["a ", "b ", "数", "c\n"])
GROUPS = st.lists(
    st.tuples(st.lists(WORDS, max_size=6).map("".join), st.none() | st.sampled_from([0.0, 0.5, 1.0, math.nan])),
    min_size=1,
    max_size=9,
)


def path_text(tree: Tree, place: int) -> str:
    texts = []
    at: int | None = place
    while at is not None:
        texts.append(tree.nodes[at].text)
        at = tree.nodes[at].parent
    return "".join(reversed(texts))


def forks_by_definition(texts: list[str]) -> dict[str, list[int]]:
    """Beginnings (whole words) after which the texts that have them do not all go on alike -> those texts."""
    words = [split_words(text) for text in texts]
    found: dict[str, list[int]] = {}
    for start in {tuple(each[:length]) for each in words for length in range(len(each) + 1)}:
        having = [i for i, each in enumerate(words) if tuple(each[: len(start)]) == start]
        following = {each[len(start)] if len(each) > len(start) else None for each in (words[i] for i in having)}
        if len(following) > 1:
            found["".join(start)] = having
    return found


def mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None and not math.isnan(value)]
    return sum(known) / len(known) if known else None


@given(GROUPS)
def test_forks_are_where_texts_part_and_nowhere_else(group: list[tuple[str, float | None]]) -> None:
    texts, rewards = [text for text, _ in group], [reward for _, reward in group]
    tree = build_tree(texts, rewards)
    forks = {
        path_text(tree, place): node.samples
        for place, node in enumerate(tree.nodes)
        if len(node.children) + bool(node.ended) > 1
    }
    assert forks == forks_by_definition(texts)
    for node in tree.nodes:
        assert node.reward_mean == pytest.approx(mean([rewards[i] for i in node.samples]))
        for i in node.samples:
            assert texts[i][node.start : node.start + len(node.text)] == node.text
            assert len(split_words(node.text)) == node.words


@given(GROUPS)
def test_every_text_is_read_from_the_root_to_where_it_ends(group: list[tuple[str, float | None]]) -> None:
    texts = [text for text, _ in group]
    tree = build_tree(texts, [reward for _, reward in group])
    ends = {i: path_text(tree, place) for place, node in enumerate(tree.nodes) for i in node.ended}
    assert [ends[i] for i in range(len(texts))] == texts
    assert all(node.parent is None or node.parent < place for place, node in enumerate(tree.nodes))


@given(GROUPS)
def test_the_marked_fork_is_where_mean_rewards_part_most(group: list[tuple[str, float | None]]) -> None:
    texts, rewards = [text for text, _ in group], [reward for _, reward in group]
    tree = build_tree(texts, rewards)
    parting = []
    for node in tree.nodes:
        ways = [*(tree.nodes[child].samples for child in node.children), node.ended]
        means = [found for way in ways if (found := mean([rewards[i] for i in way])) is not None]
        parting.append(max(means) - min(means) if len(means) > 1 else 0.0)
    if tree.parts_most is None:
        assert max(parting) == 0
    else:
        assert parting[tree.parts_most] == pytest.approx(max(parting))


def test_what_is_shared_stands_once() -> None:
    tree = build_tree(["so we add 2 and get 4", "so we add 2 and get 5", "so guess 7"], [1.0, 0.0, 0.0])
    assert [(node.text, node.samples) for node in tree.nodes] == [
        ("so ", [0, 1, 2]),
        ("we add 2 and get ", [0, 1]),
        ("4", [0]),
        ("5", [1]),
        ("guess 7", [2]),
    ]
    assert tree.parts_most == 1
    assert tree.nodes[1].parting == 1.0


def test_a_group_of_one_and_one_without_rewards_have_no_marked_fork() -> None:
    assert build_tree(["alone"], [1.0]).parts_most is None
    assert build_tree(["a b", "a c"], [None, None]).parts_most is None
    assert build_tree([], []).nodes == []


def test_a_thousand_texts_that_each_go_one_word_further() -> None:
    tree = build_tree(["x " * length for length in range(1_000)], [float(length) for length in range(1_000)])
    assert len(tree.nodes) == 1_000


def test_a_member_s_answer_counts_as_golden_if_it_is_one_of_several(tmp_path: Path) -> None:
    run = record.start(tmp_path / "run", {})
    with run.iteration(0) as iteration, iteration.group(prompt="5 of 18?") as group:
        for answer, reward, advantage in (("\\frac{5}{18}", 1.0, 1.0), ("7", 0.0, -1.0)):
            group.add(
                response=f"It is \\boxed{{{answer}}}",
                reward=reward,
                advantage=advantage,
                completion_tokens=int(9 - reward),
                golden_answers={"answer": "\\frac{5}{18}", "decimal": "0.277778"},
            )
    run.close()
    members = rollscope.open(tmp_path / "run").group_tree("train/0/0").samples
    told = [(each.answer, each.golden, each.advantage, each.tokens) for each in members]
    assert told == [("\\frac{5}{18}", "equal", 1.0, 8), ("7", "absent", -1.0, 9)]
