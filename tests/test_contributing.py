"""CONTRIBUTING's example is a real format: its code is taken off the page, installed as a plug-in, and its test is run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tests.fixtures import REPOSITORY, write_jsonl


def code_blocks(language: str) -> list[str]:
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return [textwrap.dedent(block) for block in re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)]


def test_the_example_format_works_as_a_plug_in_and_passes_the_test_on_the_page(tmp_path: Path) -> None:
    format_code, test_code = code_blocks("python")
    (registration,) = code_blocks("toml")
    plugin = tmp_path / "site"
    (plugin / "orchard-1.0.dist-info").mkdir(parents=True)
    (plugin / "orchard_rollscope.py").write_text(format_code, encoding="utf-8")
    (plugin / "orchard-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: orchard\nVersion: 1.0\n")
    entry = registration.replace("rollscope.formats.orchard:", "orchard_rollscope:").replace('"', "")
    entry = entry.replace("[project.entry-points.rollscope.formats]", "[rollscope.formats]")
    (plugin / "orchard-1.0.dist-info" / "entry_points.txt").write_text(entry)
    test_file = tmp_path / "test_orchard.py"
    test_file.write_text(test_code, encoding="utf-8")

    # `-I` would hide the plug-in: the path is set from inside.
    program = f"import sys, pytest; sys.path[:0] = [{str(plugin)!r}, {str(REPOSITORY)!r}]; sys.exit(pytest.main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "-q", "-p", "no:cacheprovider", "-c", "/dev/null", str(test_file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_the_example_field_needs_one_row_and_its_reader(tmp_path: Path) -> None:
    """The row goes into a copy of the package; a format that names its key is all the reading it needs."""
    (row,), (test_code,) = code_blocks("python field"), code_blocks("python field-test")
    package = tmp_path / "rollscope"
    shutil.copytree(
        REPOSITORY / "src" / "rollscope", package, ignore=shutil.ignore_patterns("static", "__pycache__", "demo")
    )
    table = package / "fields.py"
    before = table.read_text(encoding="utf-8")
    place = "    reward: Annotated["
    table.write_text(before.replace(place, textwrap.indent(row, "    ") + place, 1), encoding="utf-8")
    assert table.read_text(encoding="utf-8") != before
    reader = package / "formats" / "relax.py"
    code = reader.read_text(encoding="utf-8")
    reader.write_text(code.replace("Keys(\n", 'Keys(\n        difficulty="hardness",\n', 1), encoding="utf-8")
    record = {
        "rollout_id": 12,
        "sample_index": 0,
        "group_index": 0,
        "prompt": "6 × 7?",
        "response": "42",
        "reward": 1.0,
        "hardness": 0.25,
    }
    write_jsonl(tmp_path / "run" / "train" / "12.jsonl", [record])

    opening = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport rollscope\npath = {str(tmp_path / 'run')!r}\n"
    environment = {**os.environ, "ROLLSCOPE_INDEX_DIR": str(tmp_path / "index")}
    done = subprocess.run(
        [sys.executable, "-c", opening + test_code],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def run_plug_in(folder: Path, group: str, kind: str, responses: Sequence[str]) -> None:
    """Installs the example of this kind as a package of its own, and runs its test on a run with these responses."""
    (code,), (registration,), (test_code,) = map(code_blocks, (f"python {kind}", f"toml {kind}", f"python {kind}-test"))
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    entries = tomllib.loads(registration)["project"]["entry-points"][group]
    (module,) = {value.partition(":")[0] for value in entries.values()}
    about = folder / "site" / "example-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "site" / f"{module}.py").write_text(code, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: example\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
    )
    record = {"rollout_id": 12, "group_index": 0, "prompt": "6 × 7?", "reward": 1.0}
    said = [{**record, "sample_index": index, "response": text} for index, text in enumerate(responses)]
    write_jsonl(folder / "run" / "train" / "12.jsonl", said)

    site, path = str(folder / "site"), str(folder / "run")
    opening = f"import sys; sys.path.insert(0, {site!r})\nimport rollscope\npath = {path!r}\n"
    done = subprocess.run(
        [sys.executable, "-c", opening + test_code],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "ROLLSCOPE_INDEX_DIR": str(folder / "index")},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_example_feature_is_a_column_as_soon_as_its_package_is_there(tmp_path: Path) -> None:
    run_plug_in(tmp_path, "rollscope.features", "feature", ("What? 42?", "42"))


def test_the_example_detector_finds_as_soon_as_its_package_is_there(tmp_path: Path) -> None:
    run_plug_in(tmp_path, "rollscope.detectors", "detector", (*["42"] * 4, "It is forty-two, as six times seven."))
