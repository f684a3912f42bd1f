"""Files of what people wrote: a crash costs a line at most, and names lead nowhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rollscope.errors import UnreadableError
from rollscope.userdata.store import append_line, file_name, read_value, write_value


def test_a_value_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "value.json"
    write_value(path, b'{"a": 1}')
    assert read_value(path, dict) == {"a": 1}
    assert [entry.name for entry in path.parent.iterdir()] == ["value.json"]


def test_a_line_that_a_crash_cut_off_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(b'{"first": 1}\n{"torn": ')
    append_line(path, b'{"second": 2}')
    assert path.read_bytes() == b'{"first": 1}\n{"torn": \n{"second": 2}\n'


def test_lines_of_several_processes_never_mix(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    code = (
        "import sys; from pathlib import Path; from rollscope.userdata.store import append_line\n"
        "for _ in range(40): append_line(Path(sys.argv[1]), sys.argv[2].encode() * 2000)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), sign]) for sign in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    lines = path.read_text().splitlines()
    assert len(lines) == 120
    assert all(len(line) == 2000 and len(set(line)) == 1 for line in lines)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "", "ü\udcff", "x" * 5000])
def test_a_name_that_people_chose_is_one_plain_file(name: str) -> None:
    found = file_name(name, ".json")
    assert "/" not in found
    assert len(found) == 37
    assert found != file_name(name + "!", ".json")


def test_a_folder_that_cannot_be_written_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableError, match="cannot be written"):
        write_value(tmp_path / "file" / "value.json", b"{}")
    with pytest.raises(UnreadableError, match="cannot be written"):
        append_line(tmp_path / "file" / "notes.jsonl", b"{}")
