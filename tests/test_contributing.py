"""CONTRIBUTING's example is a real format: its code is taken off the page, installed as a plug-in, and its test is run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.fixtures import REPOSITORY


def code_blocks(language: str) -> list[str]:
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


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
