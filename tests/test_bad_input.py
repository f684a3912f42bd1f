"""Files as they really are: broken, huge, half written, rewritten while we read. Nothing good in them is lost, nothing
bad in them is fatal, and what could not be read is told with its file, line and reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record, write_relax

import rollscope
from rollscope.cli import main
from rollscope.errors import NotFoundError, UnreadableError
from rollscope.query.run import Run

Command = Callable[..., Any]


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Command:
    """`command("ls", path)` -> what it prints with --json. Asserts its status, and that an error is one line."""

    def run(*words: object, status: int = 0) -> Any:
        capfd.readouterr()
        assert main.run([*map(str, words), "--json"]) == status
        done = capfd.readouterr()
        assert "Traceback" not in done.err
        if status:
            assert (done.out, done.err.count("\n")) == ("", 1)
            return done.err
        return json.loads(done.out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))

    return run


def lines_run(folder: Path, *lines: bytes | dict[str, Any], end: bytes = b"\n") -> Path:
    """A run of one step, of exactly these lines."""
    (folder / "train").mkdir(parents=True)
    encoded = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    (folder / "train" / "0.jsonl").write_bytes(end.join(encoded) + end)
    return folder


def rewards(run: Run, step: int = 0) -> list[float | None]:
    return [row.reward for row in run.samples(split="train", step=step).rows]


def with_response(raw: bytes, **changes: Any) -> bytes:
    """A record whose response is these bytes, as they are."""
    return json.dumps(relax_record(0, 1, response="@@", **changes)).encode().replace(b"@@", raw)


# Lines that are not what they should be

MALFORMED = [
    (b"{not json", "malformed JSON"),
    (b'{"rollout_id": 0, "prompt": "cut', "malformed JSON"),
    (b'{"a": 1}{"b": 2}', "malformed JSON"),
    (b"[1, 2]", "not a JSON object but an array"),
    (b'"text"', "not a JSON object but a string"),
    (b"17", "not a JSON object but a number"),
    (b"null", "not a JSON object but null"),
    (b"true", "not a JSON object but a boolean"),
    (b"\0\0\0\0", "only NUL bytes"),
    (b"\xff\xfe\x00\x01", "malformed JSON"),
]
REPAIRED = [
    (with_response(b"caf\xe9 \xf0\x9f\x98", reward=0.5), "repaired: invalid UTF-8"),
    (b"\0\0" + with_response(b"x", reward=0.5), "repaired: NUL byte"),
    (with_response(b"x", reward=0.5) + b"\0\0\0", "repaired: NUL byte"),
    (with_response(b"a\0b", reward=0.5), "repaired: NUL byte"),
    (with_response(b"a\x1bb", reward=0.5), "repaired: unescaped control character"),
]


@pytest.mark.parametrize(("line", "reason"), MALFORMED)
def test_a_line_that_is_no_record_is_skipped_and_told(tmp_path: Path, line: bytes, reason: str) -> None:
    path = lines_run(tmp_path / "run", relax_record(0, 0, reward=0.25), line, relax_record(0, 2, reward=0.75))
    run = rollscope.open(path)
    assert rewards(run) == [0.25, 0.75]
    for skipped in (run.doctor().skipped, run.details().skipped):
        assert [(item.file, item.line) for item in skipped] == [("train/0.jsonl", 2)]
        assert skipped[0].reason.startswith(reason)
    assert run.steps().steps[0].skipped_lines == 1
    assert run.info().warnings == ["1 line skipped: `rollscope doctor` lists them"]


@pytest.mark.parametrize(("line", "reason"), REPAIRED)
def test_a_line_that_can_be_repaired_is_a_sample_and_told(tmp_path: Path, line: bytes, reason: str) -> None:
    path = lines_run(tmp_path / "run", relax_record(0, 0, reward=0.25), line, relax_record(0, 2, reward=0.75))
    run = rollscope.open(path)
    assert rewards(run) == [0.25, 0.5, 0.75]
    assert [(item.line, item.reason.startswith(reason)) for item in run.doctor().skipped] == [(2, True)]
    assert json.loads(run.sample_json("train/0/1"))["reward"] == 0.5
    assert run.info().warnings == ["1 line repaired: `rollscope doctor` lists them"]


def test_doctor_lists_every_skipped_line_on_the_command_line(tmp_path: Path, command: Command) -> None:
    bad = [line for line, _ in MALFORMED]
    path = lines_run(tmp_path / "run", *(item for line in bad for item in (relax_record(0, 0), line)))
    (report,) = command("doctor", path)
    assert [(item["file"], item["line"]) for item in report["skipped"]] == [
        ("train/0.jsonl", 2 * place + 2) for place in range(len(bad))
    ]
    assert all(item["reason"] for item in report["skipped"])
    (listed,) = command("ls", path)
    assert listed["splits"][0]["samples"] == len(bad)
    assert str(len(bad)) in listed["warnings"][0]
    (step,) = command("steps", path)
    assert step["skipped_lines"] == len(bad)


def test_a_file_of_nothing_but_bad_lines_hides_no_other(tmp_path: Path) -> None:
    path = write_relax(tmp_path / "run", steps=2)
    (path / "train" / "0.jsonl").write_bytes(os.urandom(5000).replace(b"{", b""))
    (path / "train" / "2.jsonl").write_bytes(b"")
    run = rollscope.open(path)
    assert (len(rewards(run, 0)), len(rewards(run, 1))) == (0, 8)


# A writer at work


def test_an_unfinished_last_line_waits_until_it_is_finished(tmp_path: Path) -> None:
    path = write_relax(tmp_path / "run", steps=1)
    file = path / "train" / "0.jsonl"
    line = json.dumps(relax_record(0, 8, reward=0.125)).encode()
    run = rollscope.open(path)
    for end in (1, len(line) // 2, len(line) - 1):
        with file.open("r+b") as out:
            out.seek(0, os.SEEK_END)
            out.write(line[:end])
        run.refresh()
        assert len(rewards(run)) == 8
        assert run.doctor().skipped == []
        assert not run.steps().steps[0].complete, "the step is said to be filling"
        with file.open("r+b") as out:
            out.truncate(file.stat().st_size - end)
    with file.open("ab") as out:
        out.write(line + b"\n")
    run.refresh()
    assert rewards(run)[8] == 0.125


def test_text_cut_inside_a_character_waits_too(tmp_path: Path) -> None:
    path = write_relax(tmp_path / "run", steps=1)
    line = json.dumps(relax_record(0, 8, response="数"), ensure_ascii=False).encode()
    cut = line.index("数".encode()) + 1
    with (path / "train" / "0.jsonl").open("ab") as out:
        out.write(line[:cut])
    run = rollscope.open(path)
    assert len(rewards(run)) == 8
    with (path / "train" / "0.jsonl").open("ab") as out:
        out.write(line[cut:] + b"\n")
    run.refresh()
    assert run.sample("train/0/8").record["response"] == "数"
    assert run.doctor().skipped == []


# Values that JSON or its readers have no room for

DEEP = "[" * 1000 + "]" * 1000
ODD: list[tuple[str, bytes]] = [
    ("NaN", json.dumps(relax_record(0, 1, reward=float("nan"), acc=float("-inf"))).encode()),
    ("lone surrogate", with_response(b"half \\ud83d of a pair", reward=0.5)),
    ("lone surrogate in a key", json.dumps(relax_record(0, 1, **{"\udc00key": 1})).encode()),
    ("huge integer", json.dumps(relax_record(0, 1, seed=10**40, group_index=2**80)).encode()),
    ("integer of 5,000 digits", b'{"seed": ' + b"7" * 5000 + b"," + json.dumps(relax_record(0, 1)).encode()[1:]),
    ("number beyond floats", b'{"big": 1e999,' + json.dumps(relax_record(0, 1)).encode()[1:]),
    ("1,000 deep", b'{"deep": ' + DEEP.encode() + b"," + json.dumps(relax_record(0, 1)).encode()[1:]),
    ("100,000 deep", b'{"deep": ' + b"[" * 10**5 + b"]" * 10**5 + b"," + json.dumps(relax_record(0, 1)).encode()[1:]),
    ("deep text", with_response(b"x")[:-1] + b', "label": ' + DEEP.encode() + b"}"),
    ("carriage return", json.dumps(relax_record(0, 1)).encode() + b"\r"),
    ("byte order mark", b"\xef\xbb\xbf" + json.dumps(relax_record(0, 1)).encode()),
]


@pytest.mark.parametrize(("name", "line"), ODD, ids=[name for name, _ in ODD])
def test_odd_values_open_and_are_valid_json_for_a_browser(tmp_path: Path, name: str, line: bytes) -> None:
    path = lines_run(tmp_path / "run", relax_record(0, 0), line, relax_record(0, 2))
    run = rollscope.open(path)
    rows = run.samples(preview=True).rows
    assert [row.index for row in rows] == [0, 1, 2]
    assert run.doctor().skipped == []
    shown = json.loads(run.sample_json("train/0/1"), parse_constant=lambda word: pytest.fail(f"bare {word}"))
    assert shown["record"]["sample_index"] == 1
    assert len(list(run.search("answer"))) >= 2
    assert run.raw("train/0/1").encode()


def test_odd_values_are_shown_as_they_are(tmp_path: Path) -> None:
    path = lines_run(tmp_path / "run", *(line for _, line in ODD))
    run = rollscope.open(path)
    names = [name for name, _ in ODD]

    def record(name: str) -> dict[str, Any]:
        shown: dict[str, Any] = json.loads(run.sample_json(f"train/0/{names.index(name)}"))["record"]
        return shown

    assert (record("NaN")["reward"], record("NaN")["acc"]) == ("NaN", "-Infinity")
    assert record("lone surrogate")["response"] == "half \\ud83d of a pair"
    assert record("lone surrogate in a key")["\\udc00key"] == 1
    assert record("huge integer")["seed"] == 10**40
    assert record("1,000 deep")["deep"] == DEEP
    assert run.samples().rows[names.index("huge integer")].group == 2**80


def test_odd_values_on_the_command_line(tmp_path: Path, command: Command) -> None:
    path = lines_run(tmp_path / "run", *(line for _, line in ODD))
    rows = command("samples", path)
    assert len(rows) == len(ODD)
    assert rows[0]["reward"] is None
    for place in range(len(ODD)):
        assert command("show", path, f"train/0/{place}")["record"]["sample_index"] == 1


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf", b"\r\n\r\n"])
def test_byte_order_marks_blank_lines_and_both_line_ends(tmp_path: Path, begin: bytes, end: bytes) -> None:
    records = [relax_record(0, index) for index in range(3)]
    path = lines_run(tmp_path / "run", *records, end=end)
    file = path / "train" / "0.jsonl"
    file.write_bytes(begin + file.read_bytes() + end)
    run = rollscope.open(path)
    assert [run.sample(row.address).record for row in run.samples().rows] == records
    assert run.doctor().skipped == []


# Files that do not stay what they were


def written(generation: int, samples: int) -> list[dict[str, Any]]:
    text = f"generation {generation}"
    return [relax_record(0, index, prompt=text, response=text, reward=generation) for index in range(samples)]


@pytest.mark.parametrize("samples", [1, 3, 8, 9, 30])
@pytest.mark.parametrize("how", ["rewritten", "replaced"])
def test_a_changed_file_is_seen_whole(tmp_path: Path, how: str, samples: int) -> None:
    """Shorter, of equal size, longer; in place or by another file of that name: never old rows beside new ones."""
    path = tmp_path / "run"
    write_jsonl(path / "train" / "0.jsonl", written(1, 8))
    run = rollscope.open(path)
    assert rewards(run) == [1.0] * 8
    run.sample("train/0/0")
    target = path / "train" / "0.jsonl" if how == "rewritten" else tmp_path / "new"
    write_jsonl(target, written(2, samples))
    if how == "replaced":
        os.replace(target, path / "train" / "0.jsonl")
    assert run.sample("train/0/0").record["prompt"] == "generation 2", "one sample is never served stale"
    run.refresh()
    assert rewards(run) == [2.0] * samples
    assert {hit.snippet for hit in run.search("generation")} == {"generation 2"}
    with pytest.raises(NotFoundError):
        run.sample(f"train/0/{samples}")


def test_a_file_cut_short_loses_only_what_was_cut(tmp_path: Path) -> None:
    path = write_relax(tmp_path / "run", steps=1)
    run = rollscope.open(path)
    before = rewards(run)
    file = path / "train" / "0.jsonl"
    lines = file.read_bytes().split(b"\n")
    os.truncate(file, len(b"\n".join(lines[:5])) + 10)
    run.refresh()
    assert rewards(run) == before[:5]


def test_a_deleted_file_is_gone_and_one_that_comes_back_is_there(tmp_path: Path, command: Command) -> None:
    path = write_relax(tmp_path / "run", steps=3)
    run = rollscope.open(path)
    assert [row.step for row in run.steps().steps] == [0, 1, 2]
    kept = (path / "train" / "1.jsonl").read_bytes()
    (path / "train" / "1.jsonl").unlink()
    run.refresh()
    assert [row.step for row in run.steps().steps] == [0, 2]
    assert "there is no sample train/1/0" in command("show", path, "train/1/0", status=1)
    (path / "train" / "1.jsonl").write_bytes(kept)
    run.refresh()
    assert [row.step for row in run.steps().steps] == [0, 1, 2]


def test_readers_of_a_file_that_is_rewritten_all_the_time_never_see_a_mix(tmp_path: Path) -> None:
    path = tmp_path / "run"
    file = path / "train" / "0.jsonl"
    write_jsonl(file, written(0, 40))
    stop = threading.Event()

    def rewrite() -> None:
        generation = 0
        while not stop.is_set():
            generation += 1
            new = write_jsonl(tmp_path / "new", written(generation, 20 + generation % 3 * 20))
            if generation % 2:
                os.replace(new, file)
            else:
                file.write_bytes(new.read_bytes())
            time.sleep(0.02)

    run = rollscope.open(path)
    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        seen: set[float | None] = set()
        read = 0
        deadline = time.monotonic() + 60
        # As many looks as it takes: how often the file changes between two of them is the machine's affair.
        while (len(seen) <= 3 or read <= 10) and time.monotonic() < deadline:
            run.refresh()
            generations = set(rewards(run))
            assert len(generations) <= 1, f"rows of several generations at once: {generations}"
            seen |= generations
            try:
                sample = run.sample("train/0/7")
            except (NotFoundError, UnreadableError):
                continue  # cut short just now; nothing is said that is not so
            read += 1
            assert sample.record["prompt"] == sample.record["response"] == f"generation {sample.record['reward']}"
        assert len(seen) > 3, "the file did change under the reader"
        assert read > 10
    finally:
        stop.set()
        writer.join()
    run.refresh()
    assert rewards(run) == [json.loads(line)["reward"] for line in file.read_text().splitlines()]


def test_a_search_goes_on_over_files_that_change_or_go(tmp_path: Path) -> None:
    path = write_relax(tmp_path / "run", steps=4)
    run = rollscope.open(path)
    run.refresh()
    hits = run.search("answer", limit=None)
    first = next(hits)
    (path / "train" / "1.jsonl").write_bytes(b"short\n")
    append(path / "train" / "2.jsonl", relax_record(2, 8))
    rest = [first, *hits]
    assert {hit.address for hit in rest} >= {f"train/3/{index}" for index in range(8)}


# Nothing to open


def test_a_path_that_is_not_there(tmp_path: Path, command: Command) -> None:
    said = command("ls", tmp_path / "nowhere", status=1)
    assert f"there is nothing at {tmp_path}/nowhere" in said


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", "it is empty"),
        ("text", "it holds 1 file: 1 .txt; logs"),
        ("empty folder", "there are folders in it, and no file"),
    ],
)
def test_a_path_without_a_run_says_what_is_there(tmp_path: Path, command: Command, content: str, found: str) -> None:
    if content == "text":
        (tmp_path / "notes.txt").write_text("hello")
    if content == "empty folder":
        (tmp_path / "train").mkdir()
    said = command("samples", tmp_path, status=1)
    assert f"no run found in {tmp_path}" in said
    assert found in said


def test_a_real_process_ends_with_status_1_and_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rollscope", "steps", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


def test_wrong_usage_is_status_2(tmp_path: Path, command: Command) -> None:
    path = write_relax(tmp_path / "run", steps=1)
    command("samples", path, "--where", "rewrd >", status=2)
    command("samples", path, "--sort", "nothing", status=2)
    command("show", path, "train/0/99", status=1)
    command("show", path, "not an address", status=2)


# Sizes


def anonymous_memory(pid: int) -> int:
    """Bytes of memory of a process and its children that are not files'."""
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            status = dict(line.split(":", 1) for line in (entry / "status").read_text().splitlines() if ":" in line)
        except OSError:
            continue
        if int(entry.name) == pid or int(status.get("PPid", "0")) == pid:
            total += int(status.get("RssAnon", "0 kB").split()[0]) * 1024
    return total


def measured(*words: object) -> tuple[str, int]:
    """(what the command printed, the most memory it and its workers had at a time)."""
    process = subprocess.Popen([sys.executable, "-m", "rollscope", *map(str, words)], stdout=subprocess.PIPE, text=True)
    most = 0
    while process.poll() is None:
        most = max(most, anonymous_memory(process.pid))
        time.sleep(0.02)
    assert process.stdout is not None
    with process.stdout as out:
        printed = out.read()
    assert process.returncode == 0
    return printed, most


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_a_line_of_300_mb_is_indexed_and_listed_in_a_fraction_of_its_size(tmp_path: Path) -> None:
    path = lines_run(tmp_path / "run", relax_record(0, 0, reward=0.25))
    begin, end = json.dumps(relax_record(0, 1, response="@@", reward=0.5)).encode().split(b"@@")
    block = "数 and words, \\n over and over ".encode() * 30_000
    with (path / "train" / "0.jsonl").open("ab") as file:
        file.write(begin)
        for _ in range(300 * 10**6 // len(block)):
            file.write(block)
        file.write(end + b"\n" + json.dumps(relax_record(0, 2, reward=0.75)).encode() + b"\n")
    size = (path / "train" / "0.jsonl").stat().st_size
    printed, memory = measured("samples", path, "--json")
    assert [row["reward"] for row in json.loads(printed)] == [0.25, 0.5, 0.75]
    assert memory < size * 2 // 3, f"{memory >> 20} MB for a line of {size >> 20} MB"
    run = rollscope.open(path)
    starts = [row.response_start or "" for row in run.samples(preview=True).rows]
    assert starts[1].startswith("数 and words, over and over")
    assert run.samples(where="reward = 0.5").total == 1


def test_100_000_files_open_at_once(tmp_path: Path) -> None:
    """Any sample of them shows without the others being read."""
    path = write_relax(tmp_path / "run", steps=1, samples=2)
    folder = path / "train"
    for step in range(1, 100_000):
        os.link(folder / f"{(step - 1) // 1000 * 1000}.jsonl", folder / f"{step}.jsonl")
        if step % 1000 == 0:  # some filesystems allow only so many links to a file
            (folder / f"{step}.jsonl").unlink()
            (folder / f"{step}.jsonl").write_bytes((folder / "0.jsonl").read_bytes())
    run = rollscope.open(path)
    assert run.sample("train/99999/1").record == relax_record(0, 1)
    page = run.samples(split="train", step=54_321, wait=False)
    assert page.total == 2


def test_thousands_of_small_files_share_segments(tmp_path: Path, index_dir: Path) -> None:
    path = tmp_path / "run"
    (path / "train").mkdir(parents=True)
    for step in range(3000):
        (path / "train" / f"{step}.jsonl").write_text(json.dumps(relax_record(step, 0, reward=step)) + "\n")
    run = rollscope.open(path)
    run.refresh()
    assert [row.reward.mean for row in run.steps().steps] == [float(step) for step in range(3000)]
    assert [row.reward for row in run.samples(where="reward >= 2997").rows] == [2997.0, 2998.0, 2999.0]
    assert len(list(index_dir.rglob("*.arrow"))) < 100
    assert run.sample("train/1234/0").record == relax_record(1234, 0, reward=1234)


def test_a_file_of_many_tiny_lines_is_handed_over_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "run"
    lines = [b'{"prompt":"","completion":"","reward":%d}\n' % (index % 7) for index in range(120_000)]
    path.mkdir()
    (path / "0.jsonl").write_bytes(b"".join(lines))
    run = rollscope.open(path)
    assert run.samples(limit=3, offset=119_990).total == 120_000
    assert run.sample("train/0/119999").source["line"] == 120_000
    assert run.sql("SELECT sum(reward) FROM samples").rows == [[float(sum(index % 7 for index in range(120_000)))]]


def test_folders_nested_deeply_and_long_names(tmp_path: Path) -> None:
    deep = tmp_path / "root"
    for level in range(40):
        deep = deep / f"level{level}"
    deep.mkdir(parents=True)
    write_relax(tmp_path / "root" / ("n" * 200), steps=1)
    assert rollscope.open(tmp_path / "root").samples().total == 8


@pytest.mark.skipif(sys.platform != "linux", reason="names are UTF-8 there")
def test_folders_and_files_of_ours_may_have_names_that_are_no_utf_8(command: Command, tmp_path: Path) -> None:
    run = write_relax(tmp_path / os.fsdecode(b"run\xff"), steps=2)
    index = ["--index-dir", tmp_path / os.fsdecode(b"index\xff")]
    for _ in range(2):  # written, then read again
        (row,) = command("ls", run, *index)
        assert row["splits"][0]["samples"] == 16
    assert command("sql", run, "SELECT count(*) AS n FROM samples", *index) == [{"n": 16}]
    for ending in ("csv", "jsonl", "parquet"):
        out = tmp_path / os.fsdecode(b"out\xff." + ending.encode())
        assert command("export", run, "--to", out, *index)["samples"] == 16
        assert out.stat().st_size > 0
