"""Which formats there are: built-in ones register like plug-ins, and a broken plug-in takes nobody down."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest
from tests.fixtures import REPOSITORY, write_jsonl
from tests.runs import write_relax

import rollscope
from rollscope.errors import UsageError
from rollscope.formats import registry
from rollscope.formats.base import Claim, Format
from rollscope.formats.lines.lenient import MAX_DEPTH
from rollscope.formats.lines.row_reader import MAX_EXTRAS
from rollscope.formats.relax import RelaxFormat
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store

BUILT_IN = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["entry-points"][registry.GROUP]


class Greedy(RelaxFormat):
    """A plug-in that is surer of Relax's runs than the built-in format."""

    name = "greedy"

    def detect(self, store: Store) -> Claim | None:
        claim = super().detect(store)
        return claim and Claim(confidence=1.0, reasons=("it looks tasty",))


class Careless(Format):
    name = "careless"

    def detect(self, store: Store) -> Claim | None:
        raise ZeroDivisionError("no luck today")


@pytest.fixture
def plug_ins(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """Entry points beside the built-in ones; append to it before anything is opened."""
    extra: list[EntryPoint] = []
    found = entry_points(group=registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [*found, *extra])
    registry._load.cache_clear()
    monkeypatch.setattr(registry, "_load", registry._load.__wrapped__)
    return extra


def test_every_built_in_format_is_registered_and_goes_by_its_name() -> None:
    found = registry.formats()
    for name, target in BUILT_IN.items():
        assert found[name].name == name
        assert registry.reference(found[name]) == f"{target}#"


def test_another_process_makes_the_same_format() -> None:
    for instance in registry.formats().values():
        assert type(registry.from_reference(registry.reference(instance))) is type(instance)


def test_every_format_says_what_it_cannot_know_in_sentences() -> None:
    for instance in registry.formats().values():
        assert all(limit.endswith(".") for limit in instance.limits), instance.name


def test_no_format_claims_an_empty_or_a_foreign_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "notes.txt").write_text("hello")
    (tmp_path / "foreign" / "0.jsonl").write_text("not json\n")
    (tmp_path / "foreign" / "x.parquet").write_bytes(b"PAR1")
    (tmp_path / "foreign" / "x.zip").write_bytes(b"PK")
    assert registry.detect(open_store(tmp_path / "empty")) is None
    assert registry.detect(open_store(tmp_path / "foreign")) is None


def test_the_surest_format_wins_and_the_others_are_told(tmp_path: Path, plug_ins: list[EntryPoint]) -> None:
    plug_ins.append(EntryPoint("greedy", f"{__name__}:Greedy", registry.GROUP))
    run = rollscope.open(write_relax(tmp_path / "run"))
    assert run.format == "greedy"
    report = run.doctor()
    assert report.reasons == ["it looks tasty"]
    assert any(line.startswith("relax (0.9)") for line in report.others)


def test_a_plug_in_that_fails_is_told_and_the_others_open(tmp_path: Path, plug_ins: list[EntryPoint]) -> None:
    plug_ins.append(EntryPoint("careless", f"{__name__}:Careless", registry.GROUP))
    plug_ins.append(EntryPoint("absent", "rollscope_nowhere:Format", registry.GROUP))
    run = rollscope.open(write_relax(tmp_path / "run"))
    assert run.format == "relax"
    warnings = " ".join(run.doctor().warnings)
    assert "'careless' failed while looking at run: no luck today" in warnings
    assert "'absent' could not be loaded" in warnings


def test_the_fallback_is_asked_last(tmp_path: Path) -> None:
    detection = registry.detect(open_store(write_relax(tmp_path / "run")))
    assert detection is not None
    assert detection.format.name == "relax"
    assert "jsonl" not in [name for name, _ in detection.others]


def test_a_format_that_is_asked_for_by_name(tmp_path: Path) -> None:
    path = write_relax(tmp_path / "run")
    assert rollscope.open(path, format="jsonl").format == "jsonl"
    with pytest.raises(UsageError, match="no format 'verll'") as caught:
        rollscope.open(path, format="verll")
    assert "verl" in caught.value.hint


def test_a_run_opens_under_another_format_with_its_own_index(tmp_path: Path) -> None:
    """The index of one format is never read as that of another."""
    write_jsonl(tmp_path / "run" / "0.jsonl", [{"input": "a", "output": "b", "score": 1.0, "reward": 0.25}])
    assert rollscope.open(tmp_path / "run").samples().rows[0].reward == 1.0
    assert rollscope.open(tmp_path / "run", format="jsonl").samples().rows[0].reward == 0.25
    assert rollscope.open(tmp_path / "run").samples().rows[0].reward == 1.0


def test_the_documentation_names_the_limits_of_reading() -> None:
    page = (REPOSITORY / "docs" / "formats.md").read_text()
    assert f"the first {MAX_EXTRAS} such keys" in page
    assert f"nested more than {MAX_DEPTH} deep" in page
    for instance in registry.formats().values():
        assert f"| [`{instance.name}`](formats/{instance.name}.md) |" in page
        own = (REPOSITORY / "docs" / "formats" / f"{instance.name}.md").read_text()
        assert all(limit in own for limit in instance.limits)
