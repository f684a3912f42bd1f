"""Tables that Python is given: the same rows as Arrow, pandas and polars, harmless in a notebook; and their page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.fixtures import REPOSITORY, write_jsonl
from tests.runs import relax_record, write_relax

import rollscope
from rollscope.errors import UsageError
from rollscope.model import Message, Part, Sample
from rollscope.query.run import Run
from rollscope.record.demo.write import write_demo

PAGE = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = tmp_path_factory.mktemp("tables")
    path = write_relax(root / "run", steps=3, samples=12)
    return rollscope.open(path, index_dir=str(root / "index"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("demo") / "runs" / "my-run"
    write_demo(directory)
    return directory


def test_every_table_is_the_same_rows_in_every_library(run: Run) -> None:
    tables = {
        "steps": (run.steps(), 3),
        "samples": (run.samples(step=1), 12),
        "metrics": (run.metrics("*reward/mean*"), 3),
        "sql": (run.sql("SELECT step, reward FROM samples ORDER BY reward"), 36),
    }
    for name, (table, rows) in tables.items():
        arrow = table.to_arrow()
        assert arrow.num_rows == rows, name
        assert table.to_pandas().to_dict("list").keys() == set(arrow.column_names), name
        assert table.to_polars().rows() == [tuple(row.values()) for row in arrow.to_pylist()], name


def test_tables_are_looped_over(run: Run) -> None:
    assert [row.step for row in run.steps()] == [0, 1, 2]
    assert [row.address for row in run.samples(step=2, limit=2)] == ["train/2/0", "train/2/1"]
    assert len(run.samples(step=2)) == 12
    assert run.steps()[-1].step == run.samples(step=2)[0].step == run.sql("SELECT max(step) FROM samples")[0][0] == 2
    assert list(run.sql("SELECT 1 AS one, 'x' AS two")) == [[1, "x"]]


def test_hits_come_one_by_one_or_as_a_table(run: Run) -> None:
    word = run.raw("train/0/0").split()[-1]
    hits = run.search(word, fields=["response"])
    first = next(hits)
    rest = hits.to_arrow()
    assert first.address not in rest["address"].to_pylist()
    assert rest.column_names == [
        "run", "address", "field", "start", "end", "snippet", "snippet_start", "snippet_end",
        "env", "reward", "discard_reason",
    ]  # fmt: skip
    assert run.search("nowhere to be found").to_pandas().empty


def test_an_sql_answer_that_was_cut_for_the_screen_is_whole_as_a_table(run: Run) -> None:
    found = run.sql("SELECT * FROM range(10_500)")
    assert (len(found.rows), found.truncated_at) == (10_000, 10_000)
    assert found.to_arrow().num_rows == 10_500
    assert "500 more rows" not in found._repr_html_()
    assert "10,480 more rows" in found._repr_html_()


def test_a_prompt_shows_the_first_rows_of_a_table_and_the_columns_that_fit(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    *lines, end = repr(run.samples()).splitlines()
    assert lines[0].split()[:3] == ["address", "split", "step"]
    assert [line.split()[0] for line in lines[1:]] == [row.address for row in run.samples().rows[:20]]
    assert max(map(len, lines)) <= 60
    assert re.fullmatch(r"<SampleTable: 36 rows; 16 rows and \d+ columns not shown>", end)
    assert repr(run.sql("SELECT 1 AS one, NULL AS none, 1e0/3 AS two")) == "one     two\n  1  0.3333\n<SqlTable: 1 row>"
    assert repr(run.sql("SELECT 1 AS a, 2 AS a")).splitlines()[1].split() == ["1", "2"]
    assert repr(run.samples(where="reward > 99")).endswith("not shown>")
    assert repr(run.metrics("rollouts/reward/m*")).startswith("<SeriesTable: 3 series: rollouts/reward/mean, ")
    assert repr(run.metrics("nope")) == "<SeriesTable: 0 series>"


def test_a_prompt_is_sent_nothing_that_a_terminal_would_obey(run: Run) -> None:
    shown = repr(run.sql("SELECT 'a' || chr(27) || '[31m' || chr(10) || 'b' AS text, repeat('long ', 100) AS more"))
    assert "a␛[31m b" in shown
    assert "long long long long…" in shown
    assert len(shown.splitlines()) == 3


def test_a_notebook_shows_a_run_a_table_and_a_sample_and_runs_nothing(tmp_path: Path) -> None:
    write_jsonl(
        tmp_path / EVIL.replace("/", "") / "train" / "0.jsonl",
        [relax_record(0, 0) | {"prompt": EVIL, "response": f"{EVIL} it is 42", "status": EVIL}],
    )
    run = rollscope.open(tmp_path / EVIL.replace("/", ""))
    shown = [run._repr_html_(), run.samples()._repr_html_(), run.steps()._repr_html_()]
    shown.append(run.sample("train/0/0")._repr_html_())
    assert "it is 42" in shown[-1]
    assert "train/0/0" in shown[-1]
    assert "train/0/0" in shown[1]
    assert not any("<script" in html for html in shown)


def test_a_sample_in_a_notebook_has_its_numbers_and_no_empty_ones() -> None:
    sample = Sample(
        address="train/3/1",
        reward=0.25,
        rewards={"<b>": 1.0},
        golden_answers={"answer": "42"},
        messages=[Message(role="assistant", parts=[Part(text="a < b")])],
    )
    html = sample._repr_html_()
    assert "<td>0.25</td>" in html
    assert "rewards.&lt;b&gt;" in html
    assert "a &lt; b" in html
    assert "advantage" not in html


def test_what_can_be_typed_after_the_package_s_name_is_what_it_is_for() -> None:
    assert dir(rollscope) == ["__version__", "open", "record"]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("SELECT rewardd FROM samples", "nearest: reward"),
        ("SELECT reward FROM sample", "nearest: samples;"),
        ("SELECT nothing_like_it(reward) FROM samples", "tables: samples, steps, metrics, runs"),
        ("SELECT FROM", "DESCRIBE samples"),
    ],
)
def test_sql_that_names_nothing_is_told_what_there_is(run: Run, query: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        run.sql(query)
    assert says in (caught.value.hint or "")


def test_the_page_s_examples_run(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo.parent.parent)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block.replace('"low.parquet"', repr(str(tmp_path / "low.parquet"))), names)
    assert isinstance(names["sample"], Sample)
    assert (tmp_path / "low.parquet").exists()


@pytest.mark.parametrize("table", ["samples", "steps", "metrics", "runs"])
def test_the_page_has_every_column(demo: Path, table: str) -> None:
    section = PAGE.partition(f"### `{table}`")[2].partition("###")[0]
    first_cells = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    documented = [name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)]
    columns = [row[0] for row in rollscope.open(demo).sql(f"SELECT column_name FROM (DESCRIBE {table})")]
    assert documented == columns
