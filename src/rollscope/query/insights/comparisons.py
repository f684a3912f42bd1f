"""The comparisons that a run can be asked for: texts are read here, and compared by the modules beside this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct

from rollscope import model, render
from rollscope.errors import RollscopeError
from rollscope.index import compute
from rollscope.model import Range
from rollscope.query.insights.group_tree import Tree
from rollscope.query.insights.step_ranges import within_steps
from rollscope.query.insights.word_diff import WordDiff
from rollscope.query.lists.lists import Lists
from rollscope.query.lists.sample_selection import SampleSelection
from rollscope.query.samples.ranges import Ranges, range_of
from rollscope.query.samples.reader import PREVIEW_CHARS, place_of
from rollscope.query.samples.rows import finite, group_name, sample_rows

if TYPE_CHECKING:
    from rollscope.arrays import Ints
    from rollscope.query.insights.compare_runs import Only, Prompts, RunComparison


class DiffSide(Struct, kw_only=True):
    run: str
    address: str
    reward: float | None
    env: str | None
    advantage: float | None
    tokens: Annotated[int | None, Meta(description="Of the completion; null where they were not recorded.")]
    characters: Annotated[int, Meta(description="Of the response.")]
    answer: Annotated[str | None, Meta(description="The final answer as written (`text.answer`).")]
    golden: Annotated[str | None, Meta(description="Whether it is the golden answer (`text.golden`).")]


class SampleDiff(WordDiff, kw_only=True):
    """The responses of two samples, word by word."""

    a: DiffSide
    b: DiffSide


class GroupMember(Struct, kw_only=True):
    address: str
    reward: float | None
    advantage: float | None
    status: str | None
    discard_reason: str | None
    words: int
    tokens: Annotated[int | None, Meta(description="Of the completion; null where they were not recorded.")]
    answer: Annotated[str | None, Meta(description="The final answer as written (`text.answer`).")]
    golden: Annotated[str | None, Meta(description="Whether it is the golden answer (`text.golden`).")]


class GroupTree(Tree, kw_only=True):
    """The responses of one group as a tree. Discarded samples are part of it."""

    run: str
    split: str
    step: int
    group: int | str | None
    samples: Annotated[list[GroupMember], Meta(description="In the order of the step; the tree names them by place.")]


class Comparisons(Lists):
    """The part of a run that compares its samples."""

    def diff(self, a: str, b: str, *, other: Comparisons | None = None) -> SampleDiff:
        """The responses of the samples at two addresses, word by word; the second may be one of another run."""
        from rollscope.query.insights.word_diff import word_diff  # rapidfuzz

        theirs = other or self
        responses = self._response(a), theirs._response(b)
        found = word_diff(*responses)
        return SampleDiff(
            pieces=found.pieces,
            a_words=found.a_words,
            b_words=found.b_words,
            equal_words=found.equal_words,
            compared=found.compared,
            a=self._diff_side(a, responses[0]),
            b=theirs._diff_side(b, responses[1]),
        )

    def _response(self, address: str) -> str:
        return self._reader.texts(address).get("response", "")

    def _diff_side(self, address: str, response: str) -> DiffSide:
        from rollscope.features.answers import answer, golden
        from rollscope.index.features.task import texts_given

        sample = self._reader.sample(address)
        texts = texts_given(self._reader.all_texts(address))
        return DiffSide(
            run=self.name,
            address=sample.address,
            reward=finite("reward", sample.reward, {}),
            env=sample.env,
            advantage=finite("advantage", sample.advantage, {}),
            tokens=sample.completion_tokens,
            characters=len(response),
            answer=answer(texts),
            golden=golden(texts),
        )

    def group_tree(self, address: str) -> GroupTree:
        """The responses of the sample's group as a tree of what they share."""
        from rollscope.features.answers import answer, golden
        from rollscope.index.features.task import texts_given
        from rollscope.query.insights.group_tree import build_tree

        split, step, _ = place_of(address)
        table, number = self._row_of(self._fresh(split, step, wait=True), address)
        group = table["group"][number].as_py()
        members = sample_rows(_of_group(table, number, group), self.name)
        texts = [texts_given(self._reader.all_texts(row.address)) for row in members]
        tree = build_tree(
            [render.calls_on_lines(each.response_text) for each in texts], [row.reward for row in members]
        )
        words = [0] * len(members)
        for node in tree.nodes:
            for place in node.samples:
                words[place] += node.words
        return GroupTree(
            nodes=tree.nodes,
            parts_most=tree.parts_most,
            run=self.name,
            split=split,
            step=step,
            group=group_name(group),
            samples=[
                GroupMember(
                    address=row.address,
                    reward=row.reward,
                    advantage=row.advantage,
                    status=row.status,
                    discard_reason=row.discard_reason,
                    words=words[place],
                    tokens=row.completion_tokens,
                    answer=answer(texts[place]),
                    golden=golden(texts[place]),
                )
                for place, row in enumerate(members)
            ],
        )

    def compare(
        self,
        other: Comparisons,
        *,
        split: str | None = None,
        steps: str | None = None,
        where: str | None = None,
        only: Only | None = None,
        limit: int | None = None,
        rewards: int = 0,
        golden: bool = False,
    ) -> RunComparison:
        """Another run against this one over the prompts that both have: `a` is this one, `b` the other. `steps` is a range
        such as "10:20"; discarded samples are left out. `only` lists the prompts of a class, or those that are "lower" or
        "higher" in b; all other numbers are about all prompts. Of each prompt that many single rewards are listed, and its
        golden answers if asked for, which are read from the files."""
        from rollscope.query.insights import compare_runs

        sides = [run._prompts(split, steps, where) for run in (self, other)]
        (a, a_table, a_rows), (b, b_table, b_rows) = sides
        ranges = [self._ranges(), other._ranges()]
        found = compare_runs.match(a, b, lambda env: reward_range(ranges, env))
        order = np.lexsort((a.first_rows[found.a], -np.abs(found.delta)))
        order = order[found.only(only)[order]]
        asked, order = len(order), order[:limit]
        shown = a.keys[found.a[order]]
        a_rewards, b_rewards = (
            compare_runs.rewards_of(table, which, shown, rewards) if rewards else {}
            for table, which in ((a_table, a_rows), (b_table, b_rows))
        )
        rows = []
        for place in order.tolist():
            in_a, in_b = int(found.a[place]), int(found.b[place])
            a_example = _address(a_table, int(a.first_rows[in_a]))
            rows.append(
                compare_runs.PromptRow(
                    prompt=self._prompt_start(a_table, int(a.first_rows[in_a])),
                    env=a.envs[a.env_codes[in_a]],
                    a_n=int(a.counts[in_a]),
                    a_mean=float(a.means[in_a]),
                    b_n=int(b.counts[in_b]),
                    b_mean=float(b.means[in_b]),
                    delta=float(found.delta[place]),
                    class_=compare_runs.CLASSES[found.classes[place]],
                    a_example=a_example,
                    b_example=_address(b_table, int(b.first_rows[in_b])),
                    a_rewards=a_rewards.get(int(a.keys[in_a])),
                    b_rewards=b_rewards.get(int(b.keys[in_b])),
                    golden=self._golden_starts(a_example) if golden else None,
                )
            )
        return compare_runs.answer(self.name, other.name, a, b, found, asked, rows)

    def _prompts(self, split: str | None, steps: str | None, where: str | None) -> tuple[Prompts, pa.Table, Ints]:
        from rollscope.query.insights.compare_runs import prompts_of

        _, table, rows = self._select(SampleSelection(split=split, where=where), wait=True)
        picked = within_steps(table, rows, steps)
        return prompts_of(table, picked), table, picked

    def _golden_starts(self, address: str) -> list[str]:
        try:
            texts = self._reader.all_texts(address)
        except RollscopeError:
            return []  # a file that is gone or damaged says so where its sample is opened
        return [text[:PREVIEW_CHARS] for name, text in texts if name == "golden"]

    def _prompt_start(self, table: pa.Table, row: int) -> str | None:
        return self._reader.starts(self._fresh(None, None, wait=False), table, row)[0]


def _address(table: pa.Table, row: int) -> str:
    return model.address(*(table[name][row].as_py() for name in ("split", "step", "index")))


def reward_range(ranges: list[Ranges], env: str | None) -> Range | None:
    """How the rewards of an environment range: as one of the runs declares it, else as both were observed."""
    found = [reach for each in ranges if (reach := range_of(each, env, "reward")) is not None]
    declared = [reach for reach in found if reach.origin == "declared"]
    if declared or not found:
        return declared[0] if declared else None
    lows, highs = ([getattr(reach, end) for reach in found] for end in ("min", "max"))
    return Range(min=min(lows), max=max(highs), origin="observed", higher_is_better=found[0].higher_is_better)


def _of_group(table: pa.Table, number: int, group: str | None) -> pa.Table:
    """The rows of the group; a sample that has none is alone."""
    if group is None:
        return table.slice(number, 1)
    return compute.keep(table, compute.plain(compute.equal(table["group"], pa.scalar(group, table["group"].type))))
