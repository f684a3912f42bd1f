"""Every example of the documentation is run: those that a program reads by its tests, the others here."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from tests.docs.conftest import Ask
from tests.docs.sentences import blocks, pages
from tests.fixtures import REPOSITORY, write_jsonl
from tests.server.client import serving
from tests.server.test_proxy import CONFIG
from tests.test_docs import text_of

import rollscope

#: (page, language of the block) -> what runs or compares it.
CHECKED = {
    ("CONTRIBUTING.md", "json"): "test_the_record_of_the_example_format_is_the_one_that_its_test_reads",
    ("CONTRIBUTING.md", "python"): "tests/test_contributing.py",
    ("CONTRIBUTING.md", "toml"): "tests/test_contributing.py",
    ("README.md", "python"): "tests/test_docs.py",
    ("docs/architecture.md", ""): "tests/test_project_files.py: the drawing of the rooms",
    ("docs/filter-language.md", "filter"): "tests/query/language/test_compile.py",
    ("docs/filter-language.md", "python"): "test_the_filter_in_python_is_taken",
    ("docs/filter-language.md", "text"): "tests/query/language/test_errors.py",
    ("docs/formats.md", "toml"): "test_a_mapping_reads_the_same_by_flag_by_file_and_in_python",
    ("docs/http.md", "nginx"): "test_the_proxy_of_the_page_is_the_one_that_is_tried",
    ("docs/insights.md", "toml"): "tests/docs/test_insights.py",
    ("docs/python.md", "python"): "tests/query/test_tabular.py",
    ("docs/recorder.md", "python"): "tests/record/test_recorder_docs.py",
    ("docs/scaling.md", "python"): "tests/cloud/test_ray.py",
}
#: Commands for people; `rollscope …` in them is run by tests/docs/test_commands.py.
SHELL = ("console", "sh", "")
#: Programs whose commands nobody runs here: they install, serve for ever, or are another project's.
NOT_RUN = ("pip", "export", "ray", "python", "eval")


def test_every_example_is_run_or_compared_by_something() -> None:
    there = {(page, block.language.split(" ")[0]) for page in pages() for block in blocks(page)}
    shell = {(page, language) for page, language in there if language in SHELL and (page, language) not in CHECKED}
    assert there - shell == CHECKED.keys()
    for page, language in shell:
        text = "\n".join(block.text for block in blocks(page) if block.language.split(" ")[0] == language)
        lines = re.sub(r"\\\n", " ", text).splitlines()
        programs = {line.removeprefix("$ ").split(" ")[0] for line in lines if line.startswith(("$ ", "pip ", "ray "))}
        assert programs <= {"rollscope", "make", "curl", *NOT_RUN}, page


@pytest.mark.parametrize("page", pages())
def test_extras_and_programs_that_a_page_installs_exist(page: str) -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    extras = {name for names in re.findall(r"rollscope\[([\w,]+)\]", text_of(page)) for name in names.split(",")}
    assert extras <= project["optional-dependencies"].keys()
    for path in re.findall(r"\bpython (examples/\S+\.py)", text_of(page)):
        assert (REPOSITORY / path).is_file()
    for module in set(re.findall(r"\bpython -m ([\w.]+)", text_of(page))):
        assert importlib.util.find_spec(module) is not None, module


@pytest.mark.parametrize(
    "name", re.findall(r"rollscope\.record\.integrations\.(\w+\.\w+)", text_of("docs/recorder.md"))
)
def test_hooks_that_trainers_are_told_by_name_are_there(name: str) -> None:
    module, _, function = name.partition(".")
    if module != "trl":  # imports TRL: tests/record/integrations/test_trl.py has it
        assert hasattr(importlib.import_module(f"rollscope.record.integrations.{module}"), function)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_requests_of_the_page_are_answered(folder: Path, tmp_path: Path) -> None:
    text = "\n".join(block.text for block in blocks("docs/http.md") if block.language == "console")
    commands = [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ curl")]
    assert len(commands) == 4
    with serving(folder / "runs", env={"XDG_DATA_HOME": str(tmp_path)}) as server:
        for command in commands:
            words = shlex.split(command.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}"))
            done = subprocess.run([*words, "--fail"], capture_output=True, text=True, check=True)
            assert [json.loads(line) for line in done.stdout.splitlines()], command


def test_the_proxy_of_the_page_is_the_one_that_is_tried() -> None:
    (block,) = (block.text for block in blocks("docs/http.md") if block.language == "nginx")
    forms = [" ".join(line.partition("#")[0].split()) for line in block.splitlines()]
    for form, path in zip(forms, ("", "/"), strict=True):
        config = CONFIG.format(prefix="/absproxy/8080", upstream=8080, path=path, host="", home="/", port=80)
        assert form == " ".join(config[config.index("location /absproxy") : config.index("location / {")].split())


def test_a_mapping_reads_the_same_by_flag_by_file_and_in_python(ask: Ask, folder: Path, tmp_path: Path) -> None:
    (flags,) = re.findall(r"^\$ rollscope samples house/ (.*)$", text_of("docs/formats.md"), re.MULTILINE)
    (file,) = (block.text for block in blocks("docs/formats.md") if block.language == "toml")
    by_flag = ask("samples", "house/", *shlex.split(flags), "--json").json
    shutil.copytree(folder / "house", tmp_path / "house")
    (tmp_path / "house" / "rollscope.toml").write_text(file)
    assert ask("samples", tmp_path / "house", "--json").json == by_flag
    assert [row["reward"] for row in by_flag] == [0.0, 0.25, 0.5, 0.75]
    assert '`rollscope.open(path, mapping={"prompt": "ask"})`' in text_of("docs/formats.md")
    assert rollscope.open(folder / "house", mapping={"prompt": "ask"}).samples().total == 4


def test_the_filter_in_python_is_taken(tmp_path: Path) -> None:
    (line,) = (block.text for block in blocks("docs/filter-language.md") if block.language == "python")
    numbers = {"reward": 0.5, "advantage": 0.5, "completion_tokens": 3}
    records = [{"prompt": "p", "response": "r", "correct": n, **numbers} for n in (0, 1)]
    run = rollscope.open(write_jsonl(tmp_path / "run" / "0.jsonl", records).parent)
    assert [row.index for row in eval(line, {"run": run}).rows] == [0]


def test_the_record_of_the_example_format_is_the_one_that_its_test_reads() -> None:
    (record,) = (block.text for block in blocks("CONTRIBUTING.md") if block.language == "json")
    test = next(block.text for block in blocks("CONTRIBUTING.md") if "RECORD = {" in block.text)
    (value,) = re.findall(r"RECORD = (\{.*?^\})", test, re.DOTALL | re.MULTILINE)
    assert json.loads(record) == ast.literal_eval(value)
