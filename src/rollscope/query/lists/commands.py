"""A list as a command line and as Python: what a person chose by clicking, to be repeated without a page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rollscope.query.answers import ListCommands
from rollscope.query.insights.step_ranges import parse_steps

if TYPE_CHECKING:
    from rollscope.query.run import Run


def sample_order(sort: str | None) -> str | None:
    """The order of a list of samples. Spread is an order of groups: samples then come in the run's, as without any."""
    return None if sort in ("index", "+index") or (sort or "").lstrip("-+") == "spread" else sort


def list_commands(
    run: Run,
    *,
    split: str | None = None,
    step: int | None = None,
    steps: str | None = None,
    where: str | None = None,
    sort: str | None = None,
    discarded: bool | None = False,
) -> ListCommands:
    """The list as a person would ask for it elsewhere."""
    if steps and parse_steps(steps) == (None, None):
        steps = None
    sort = sample_order(sort)
    words = ["rollscope", "samples", run.path]
    if run.part:
        words += ["--run", run.name]
    if split is not None:
        words += ["--split", split]
    if step is not None:
        words += ["--step", str(step)]
    if steps:
        words.append(f"--steps={steps}")
    if where:
        words += ["--where", where]
    if sort:
        words.append(f"--sort={sort}")
    if discarded is not False:
        words.append("--all" if discarded is None else "--discarded")
    words += ["--limit", "0"]
    given = {"split": split, "step": step, "steps": steps, "where": where or None, "sort": sort}
    arguments = [f"{name}={value!r}" for name, value in given.items() if value is not None]
    if discarded is not False:
        arguments.append(f"discarded={discarded}")
    return ListCommands(command=shlex.join(words), python=_python(run, arguments))


def _python(run: Run, arguments: Sequence[str]) -> str:
    named = f", run={run.name!r}" if run.part else ""
    return (
        "import rollscope\n\n"
        f"run = rollscope.open({run.path!r}{named})\n"
        f"samples = run.samples({', '.join(arguments)})\n"
        "table = samples.to_pandas()  # or to_arrow(), to_polars()\n"
    )


def insight_command(run: Run, name: str, words: Sequence[str], other: Run | None = None) -> str:
    """What the page shows of insights, as the command that prints it. `compare` names its second run as an argument, the
    others with `--other`."""
    words_of_command = ["rollscope", name, run.path]
    if other is not None and name == "compare":
        words_of_command.append(other.path)
    words_of_command += words
    if run.part:
        words_of_command += ["--run", run.name]
    if other is not None and name != "compare":
        words_of_command += ["--other", other.path]
    return shlex.join(words_of_command)
