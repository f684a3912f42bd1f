"""Whatever happens to a run's files and to its index, in any order: a running server, the command line and Python say what
a plain reader finds in the files, and never a mixture."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import ClassVar

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.differential.changing_run import LAYOUTS, ChangingRun, changing_runs


class FilesChange(RuleBasedStateMachine):
    """Each rule is one change; after each, every door is asked."""

    runs: ClassVar[dict[str, ChangingRun]] = {}

    #: Plain generators: hypothesis' own would note every draw, and some depend on what lies in the index.
    chances = st.integers(0, 2**32).map(random.Random)

    @initialize(layout=st.sampled_from(sorted(LAYOUTS)), chance=chances)
    def begin(self, layout: str, chance: random.Random) -> None:
        self.run = self.runs[layout]
        self.chance = chance
        self.run.reset(chance)

    @property
    def steps(self) -> list[int]:
        """Those whose files may be changed in any way."""
        return [step for step in self.run.steps() if step]

    def dice(self) -> random.Random:
        """For one change: how much it takes of them may depend on the sizes of files, and what follows must not."""
        return random.Random(self.chance.random())

    @rule()
    def append(self) -> None:
        self.run.append(self.chance.choice(self.run.steps()), self.dice())

    @rule()
    def replace(self) -> None:
        self.run.replace(self.chance.randrange(1, self.run.STEPS), self.dice())

    @rule()
    def come_back(self) -> None:
        if self.run.gone:
            self.run.come_back(self.chance.choice(sorted(self.run.gone)))

    @precondition(lambda self: self.steps)
    @rule()
    def edit(self) -> None:
        self.run.edit(self.chance.choice(self.steps), self.dice())

    @precondition(lambda self: self.steps)
    @rule()
    def edit_byte(self) -> None:
        self.run.edit_byte(self.chance.choice(self.steps), self.dice())

    @precondition(lambda self: self.steps)
    @rule()
    def truncate(self) -> None:
        self.run.truncate(self.chance.choice(self.steps), self.dice())

    @precondition(lambda self: self.steps)
    @rule()
    def rename(self) -> None:
        self.run.rename(self.chance.choice(self.steps), self.dice())

    @precondition(lambda self: self.steps)
    @rule()
    def delete(self) -> None:
        self.run.delete(self.chance.choice(self.steps))

    @precondition(lambda self: self.steps)
    @rule()
    def resume(self) -> None:
        self.run.resume(self.chance.choice(self.steps), self.dice())

    @rule()
    def seal(self) -> None:
        self.run.seal(self.chance.randrange(1, self.run.STEPS))

    @rule()
    def index_beside(self) -> None:
        self.run.index_beside()

    @rule()
    def kill_others(self) -> None:
        self.run.kill_others(self.chance.random() / 2)

    @rule()
    def remove_index(self) -> None:
        self.run.remove_index()

    @rule()
    def damage_index(self) -> None:
        self.run.damage_index(self.dice())

    @invariant()
    def every_door_says_what_is_in_the_files(self) -> None:
        if hasattr(self, "run"):
            self.run.check(self.dice())


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ChangingRun]]:
    with changing_runs(tmp_path_factory.mktemp("changing")) as made:
        yield made


def test_any_sequence_of_changes(runs: dict[str, ChangingRun]) -> None:
    FilesChange.runs = runs
    run_state_machine_as_test(
        FilesChange,
        settings=settings(
            max_examples=8,
            stateful_step_count=12,
            suppress_health_check=list(HealthCheck),
            # A sequence that fails is printed; a shorter one would take minutes to find.
            phases=[Phase.generate],
        ),
    )
