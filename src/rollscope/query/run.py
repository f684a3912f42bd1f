"""An opened run: the object behind `rollscope.open()` and every front door.

Each kind of question is answered in the folder of its subject: lists, search, metrics and comparisons are base classes
from there, and each method here calls one function of such a folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rollscope import model, notebook, render
from rollscope.errors import UsageError
from rollscope.query import answers
from rollscope.query.insights.comparisons import Comparisons
from rollscope.query.insights.contrast.run_contrast import RunContrast
from rollscope.query.insights.findings.marks.sample_findings import SampleFindingsOfRun
from rollscope.query.insights.prompt_steps import RunPrompts
from rollscope.query.insights.tokens.run_tokens import RunTokens
from rollscope.query.lists.sample_selection import SampleSelection
from rollscope.query.lists.scatter import RunScatter
from rollscope.query.metrics.run_metrics import RunMetrics
from rollscope.query.overview.run_info import run_info
from rollscope.query.overview.steps import step_rows
from rollscope.query.samples.reader import place_of
from rollscope.query.samples.rows import sample_rows
from rollscope.query.search.run_search import RunSearch
from rollscope.query.tabular import SqlTable, StepTable

if TYPE_CHECKING:
    import pyarrow as pa

    from rollscope.query.export.training_data.recipes import Recipe
    from rollscope.query.export.training_data.write import TrainingManifest
    from rollscope.userdata.notes import NewNote, Note


# What few commands ask for is imported where it is answered: each module costs every command a part of a millisecond.


class Run(RunSearch, RunScatter, SampleFindingsOfRun, RunMetrics, RunContrast, RunTokens, RunPrompts, Comparisons):
    """One training run. Every method may be called from any thread."""

    # What there is

    @property
    def splits(self) -> list[str]:
        """`train`, and `eval/` with the name of each eval set."""
        return list(self._fresh(None, None, wait=True).splits)

    def info(self, *, wait: bool = True, look: bool = True) -> answers.RunInfo:
        """What a list of runs shows: format, state, splits, last and best reward, warnings. Without `look`: as of the
        last check of its files."""
        snapshot = self._fresh(None, None, wait) if look else self._index.snapshot
        return run_info(self, snapshot, self.progress())

    def details(self, *, wait: bool = True) -> answers.RunDetails:
        """Everything about the run except its samples: config, ranges, checkpoints, files, skipped lines, reports."""
        from rollscope.query.overview.details import run_details

        snapshot = self._fresh(None, None, wait)
        return run_details(self, self._format, snapshot, self.progress())

    def doctor(self) -> answers.DoctorReport:
        """What was detected and why, which lines were skipped, which files no format claims."""
        from rollscope.query.overview.doctor import doctor

        return doctor(self, self._format, self._fresh(None, None, wait=True), self.detection)

    def steps(self, split: str = "train", *, offset: int = 0, limit: int | None = None, wait: bool = True) -> StepTable:
        """Per step of a split: samples, groups, discarded ones, rewards, size."""
        snapshot = self._fresh(None, None, wait)
        self._known_split(snapshot, split)
        return StepTable(split=split, steps=step_rows(snapshot, split, offset, limit), progress=self.progress())

    def fields(self, split: str = "train", step: int | None = None) -> list[str]:
        """The numeric fields that occur (in that step, or anywhere)."""
        snapshot = self._index.snapshot
        if step is None:
            return list(snapshot.fields)
        table = snapshot.rows_of(split, step)
        return [
            name for name in snapshot.fields if name in table.column_names and table[name].null_count < table.num_rows
        ]

    # Samples

    def sample(self, address: str) -> model.Sample:
        """One whole sample, by its address."""
        return self._reader.sample(address)

    def sample_json(self, address: str, *, max_chars: int | None = None, record: bool = True) -> bytes:
        """A sample as the HTTP interface and `show --json` return it, shortened if requested; cached."""
        return self._reader.json(address, max_chars=max_chars, record=record)

    def sample_json_if_quick(
        self, address: str, *, max_bytes: int, max_chars: int | None = None, record: bool = True
    ) -> bytes | None:
        """As `sample_json`, if that takes well below a millisecond; for an event loop, which must not wait."""
        return self._reader.json_if_quick(address, max_bytes=max_bytes, max_chars=max_chars, record=record)

    def part_text(self, address: str, message: int, part: int) -> str:
        """The text of one part of one message; cached, because long ones are asked for piece by piece."""
        return self._reader.part_text(address, message, part)

    def raw(self, address: str) -> str:
        """The whole text of a sample as one string."""
        return render.plain(self.sample(address).messages)

    def prompt_history(self, address: str) -> list[answers.SampleRow]:
        """The samples of the same split with the same prompt, over all steps."""
        from rollscope.query.sql.tables import same_prompt

        snapshot = self._fresh(None, None, wait=True)
        table, number = self._row_of(snapshot, address)
        split = place_of(address)[0]
        return sample_rows(same_prompt(snapshot.all_rows, split, table["prompt_hash"][number].as_py()), self.name)

    # What people wrote

    def notes(self, address: str | None = None) -> list[Note]:
        """People's notes on one sample, or on all samples of this run, oldest first."""

        def everywhere() -> list[Note]:
            return self._notes.all(self._fresh(None, None, wait=True), self._files_version)

        return everywhere() if address is None else self._notes.on(address, everywhere)

    def write_note(self, note: NewNote) -> Note:
        """Save a person's note on a sample: in the user's folder, never in the run."""
        split, step, _ = place_of(note.address)
        return self._notes.write(note, self._fresh(split, step, wait=True))

    def remove_note(self, id: str, author: str | None = None) -> Note:  # noqa: A002  # the word of the interface
        """Remove one's own note."""
        return self._notes.remove(id, author)

    def remove_notes(self, address: str, author: str | None = None) -> list[Note]:
        """Remove all of one's own notes on a sample; returns them."""
        from rollscope.userdata.notes import author_name

        writer = author_name(author)
        return [self.remove_note(note.id, writer) for note in self.notes(address) if note.author == writer]

    # SQL, export

    def sql_table(self, query: str, max_rows: int | None = None) -> pa.Table:
        """The result of one SELECT over `samples`, `steps`, `metrics` and `runs`, as an Arrow table."""
        from rollscope.query.sql import tables

        snapshot = self._fresh(None, None, wait=True)
        return tables.sql_over([(self, snapshot)], query, max_rows)

    def sql(self, query: str, *, only_shown: bool = False) -> SqlTable:
        """The same with its rows as lists, at most 10,000 of them; its tables have all, unless `only_shown`."""
        from rollscope.query.sql import tables
        from rollscope.query.sql.nonfinite import names_by_row

        table = self.sql_table(query, tables.MAX_SQL_ROWS + 1 if only_shown else None)
        columns, rows, truncated_at = tables.sql_rows(table)
        result = SqlTable(columns=columns, rows=rows, truncated_at=truncated_at, nonfinite=names_by_row(columns, rows))
        result._table = table
        return result

    def export(
        self,
        path: str,
        *,
        split: str | None = None,
        step: int | None = None,
        steps: str | None = None,
        where: str | None = None,
        sort: str | None = None,
        text: bool = False,
        features: bool = False,
        discarded: bool | None = None,
    ) -> int:
        """Write a selection, as `samples` makes it, to a .parquet, .jsonl or .csv file; `text` adds prompt and response,
        `features` what is computed from them. Returns the rows."""
        from rollscope.query.export.export_files import check_outside, write_rows
        from rollscope.query.samples.texts import RowTexts

        check_outside(self.store, path)
        asked = SampleSelection(split=split, step=step, steps=steps, where=where, sort=sort, discarded=discarded)

        def write() -> int:
            snapshot, table, rows = self._select(asked, wait=True)
            texts = RowTexts(snapshot, table, self._reader, self.store.fresh()) if text else None
            if features:
                table = self._feature_columns(snapshot, table).joined(table, self.feature_names(), rows)
            return write_rows(path, table, rows, texts)

        return self._steady(write)

    def export_training_data(
        self,
        path: str,
        recipe: Recipe,
        *,
        split: str | None = None,
        steps: str | None = None,
        where: str | None = None,
        discarded: bool | None = None,
        margin: float = 0.0,
        keep_secrets: bool = False,
    ) -> TrainingManifest:
        """Write a selection to a .jsonl file that TRL's trainers load (`sft`, `dpo`, `kto`), or as `atif` trajectories.
        Unless a split is named, evals are left out of training data where training samples are selected. Known keys and
        tokens in texts are replaced unless `keep_secrets`. Returns what is also written beside the file."""
        from rollscope.query.export.export_files import check_outside
        from rollscope.query.export.training_data.recipes import RULES, RowMaker, range_lookup
        from rollscope.query.export.training_data.write import check_name, write_training_data

        check_name(path)
        if recipe not in RULES:
            raise UsageError(f"there is no training data {recipe!r}", hint=f"there is {', '.join(RULES)}")
        if margin < 0:
            raise UsageError(f"a margin of {margin:g} is below 0", hint="best and worst of a group would be the same")
        check_outside(self.store, path)
        self._fresh(None, None, wait=True)
        rows = self.samples(split=split, steps=steps, where=where, discarded=discarded, limit=None).rows
        if recipe == "dpo":  # where a group's samples do not lie beside each other
            places = {name: place for place, name in enumerate(self.splits)}
            rows = sorted(rows, key=lambda row: (places[row.split], row.step, str(row.group)))
        samples = (self.sample(row.address) for row in rows)
        maker = RowMaker(
            recipe=recipe,
            margin=margin,
            range_of=range_lookup(self._ranges()),
            run=self.name,
            without_evals=split is None and any(row.split == "train" for row in rows),
        )
        return write_training_data(
            path,
            samples,
            maker,
            run=self.name,
            run_path=self.path,
            where=where,
            split=split,
            steps=steps,
            keep_secrets=keep_secrets,
        )

    def report(self, path: str) -> Any:
        """A logtree report of this run, parsed. Only the run's own reports can be read."""
        from rollscope.query.overview.reports import report

        return report(self, self._format, path)

    # In a notebook

    def __repr__(self) -> str:
        splits = ", ".join(f"{name}: {len(steps)} steps" for name, steps in self._index.snapshot.splits.items())
        return f"<Run {self.name} ({self.format}) {splits or 'not indexed yet'}>"

    def _repr_html_(self) -> str:
        rows = [
            [item.split, item.steps, item.samples, item.discarded, item.first_step, item.last_step]
            for item in self.info().splits
        ]
        columns = ["split", "steps", "samples", "discarded", "first step", "last step"]
        return notebook.title(self.name, self.format, self.path) + notebook.table(columns, rows)
