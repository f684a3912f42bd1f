"""Processes that end in every way there is: what was accepted is on disk, and what is on disk opens."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from rollscope.record.output.sealing import unseal

#: Waits for the directory on its command line, then records until something ends it.
LOOP = """
import sys
from rollscope import record
run = record.start(sys.argv[1], {"lr": 1}, total_steps=1000)
print("ready", flush=True)
step = 0
while True:
    with run.iteration(step) as iteration:
        for number in range(4):
            with iteration.group(prompt="question " * 50, env="sums") as group:
                for place in range(4):
                    group.add(response="answer " * 300, reward=float(place), metrics={"n": place})
        iteration.log_metrics({"step_again": step})
    with run.evaluation("test", step) as evaluation:
        evaluation.add(response="answer", reward=1.0)
    if step >= 3:
        run.log_metrics({"late": step}, step=step - 3)
    run.checkpoint(step=step, state_path="s3://bucket/x")
    step += 1
"""


GO_ON = """
import sys
from rollscope import record
with record.start(sys.argv[1]) as run:
    run.log_metrics({"on": 1}, step=0)
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finish(code: str, *arguments: object) -> int:
    process = start(code, *arguments)
    process.communicate(timeout=60)
    return process.returncode


def whole_lines(path: Path) -> tuple[list[dict[str, Any]], bytes]:
    """All finished lines, each valid, and what follows the last newline."""
    head, _, rest = path.read_bytes().rpartition(b"\n")
    return [json.loads(line) for line in head.splitlines()], rest


def test_thirty_kills_lose_at_most_the_line_being_written(tmp_path: Path) -> None:
    rng = random.Random(11)
    recorded = 0
    for number in range(30):
        directory = tmp_path / str(number)
        process = start(LOOP, directory)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0, 0.2))
        process.kill()
        process.wait()
        process.stdout.close()
        for path in directory.iterdir():
            if path.name.endswith(".jsonl"):
                lines, _ = whole_lines(path)
                recorded += len(lines)
            elif path.suffix == ".json":
                json.loads(path.read_text("utf-8"))
            elif path.suffix == ".html":
                assert path.read_text("utf-8").endswith("</html>\n")
        # The same directory goes on as a new attempt, and half a line harms none of its lines.
        assert finish(GO_ON, directory) == 0
        rows, rest = whole_lines(directory / "metrics.jsonl")
        assert rest == b""
        assert (rows[-1]["on"], rows[-1]["attempt"]) == (1, 1)
        # One row per iteration, each but the last with all that is logged of it.
        assert [row["step"] for row in rows[:-1]] == list(range(len(rows) - 1))
        assert all("step_again" in row and "test/env/all/reward/total" in row for row in rows[:-2])
    assert recorded > 100


SEALING = """
import sys
from rollscope import record
run = record.start(sys.argv[1], seal=True, reports=False)
print("ready", flush=True)
for step in range(10_000):
    with run.iteration(step) as iteration:
        for number in range(8):
            iteration.add(response=f"{step}:{number} " * 200, reward=float(number))
    run.flush()
"""


def until_sealed(directory: Path) -> None:
    """A kill before the first file is sealed would show nothing; how soon that is, is the machine's affair."""
    deadline = time.monotonic() + 60
    while not any(directory.glob("*.zst")):
        assert time.monotonic() < deadline, "nothing was sealed within a minute"
        time.sleep(0.01)


def test_kills_while_files_are_sealed_leave_every_sample_in_one_whole_file(tmp_path: Path) -> None:
    rng = random.Random(5)
    sealed = 0
    for number in range(12):
        directory = tmp_path / str(number)
        process = start(SEALING, directory)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        until_sealed(directory)
        time.sleep(rng.uniform(0, 0.3))
        process.kill()
        process.wait()
        process.stdout.close()
        for path in sorted(directory.glob("*.zst")):
            sealed += 1
            plain = path.with_suffix("")
            whole = plain.read_bytes() if plain.exists() else None
            plain.unlink(missing_ok=True)
            unseal(str(plain))
            lines, rest = whole_lines(plain)
            assert (len(lines), rest) == (8, b"")
            assert whole in (None, plain.read_bytes())
        steps = sorted(int(path.name[16:22]) for path in directory.glob("*_rollouts.jsonl"))
        assert steps == list(range(len(steps)))
    assert sealed >= 12


RECORD = """
    import os, signal, sys, time
    from rollscope import record
    run = record.start(sys.argv[1])
    iteration = run.iteration(0)
    group = iteration.group()
    for number in range(200):
        run.log_metrics({"n": number}, step=number)
    group.add(response="in an open group")
    iteration.log_metrics({"open": 1})
"""


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise SystemExit(4)", 4),
        ("raise RuntimeError('boom')", 1),
        ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(30)", -signal.SIGTERM),
        ("try:\n    signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt:\n    sys.exit(5)", 5),
    ],
)
def test_everything_accepted_is_on_disk_however_the_process_ends(tmp_path: Path, ending: str, code: int) -> None:
    script = textwrap.dedent(RECORD) + ending
    process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stderr=subprocess.DEVNULL)
    assert process.wait(timeout=60) == code
    rows, rest = whole_lines(tmp_path / "metrics.jsonl")
    assert rest == b""
    assert [row["n"] for row in rows if "n" in row] == list(range(200))
    assert [row["open"] for row in rows if "open" in row] == [1]
    samples, _ = whole_lines(tmp_path / "train_iteration_000000_rollouts.jsonl")
    assert len(samples) == 1
    assert (tmp_path / "train_iteration_000000.html").exists()


def test_a_program_with_its_own_sigterm_handler_goes_on_recording(tmp_path: Path) -> None:
    script = """
        import os, signal, sys
        from rollscope import record
        seen = []
        signal.signal(signal.SIGTERM, lambda *_: seen.append(1))
        run = record.start(sys.argv[1])
        run.log_metrics({"before": 1}, step=0)
        os.kill(os.getpid(), signal.SIGTERM)
        assert seen == [1]
        assert '"before"' in open(sys.argv[1] + "/metrics.jsonl").read()
        run.log_metrics({"after": 1}, step=1)
    """
    assert finish(script, tmp_path) == 0
    rows, _ = whole_lines(tmp_path / "metrics.jsonl")
    assert [next(iter(row.keys() & {"before", "after"})) for row in rows] == ["before", "after"]


def test_sigterm_in_the_middle_of_a_call_does_not_hang(tmp_path: Path) -> None:
    for number in range(5):
        process = start(LOOP, tmp_path / str(number))
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.05 * number)
        process.terminate()
        assert process.wait(timeout=30) == -signal.SIGTERM
        process.stdout.close()
        for path in (tmp_path / str(number)).glob("*.jsonl"):
            assert whole_lines(path)[1] == b""


def test_a_child_of_multiprocessing_writes_what_it_accepted(tmp_path: Path) -> None:
    script = """
        import multiprocessing, sys
        from rollscope import record
        run = record.start(sys.argv[1])

        def work(number):
            run.log_metrics({"child": number}, step=number)

        context = multiprocessing.get_context("fork")
        children = [context.Process(target=work, args=(number,)) for number in range(3)]
        for child in children:
            child.start()
        for child in children:
            child.join()
            assert child.exitcode == 0
        run.log_metrics({"parent": 1}, step=9)
        run.close()
    """
    assert finish(script, tmp_path) == 0
    rows = [row for path in tmp_path.glob("metrics*.jsonl") for row in whole_lines(path)[0]]
    assert sorted(row["child"] for row in rows if "child" in row) == [0, 1, 2]
    assert len({row.get("writer") for row in rows}) == 4
    assert sum("parent" in row for row in rows) == 1


def test_a_fork_in_the_middle_of_an_iteration_repeats_nothing(tmp_path: Path) -> None:
    script = """
        import os, sys
        from rollscope import record
        run = record.start(sys.argv[1])
        with run.iteration(0) as iteration:
            with iteration.group(prompt="parent") as group:
                group.add(response="before the fork", reward=1.0)
                child = os.fork()
                if child == 0:
                    group.add(response="in the child")
                    run.log_metrics({"child": 1}, step=0)
                    sys.exit(0)
                os.waitpid(child, 0)
                group.add(response="in the parent", reward=0.0)
        run.close()
    """
    assert finish(script, tmp_path) == 0
    texts = {}
    for path in tmp_path.glob("train_iteration_000000_rollouts*.jsonl"):
        lines, rest = whole_lines(path)
        assert rest == b""
        texts[path.name.split("rollouts")[1]] = [json.dumps(line["messages"]) for line in lines]
    assert set(texts) > {".jsonl"}
    assert len(texts) == 2
    own = texts.pop(".jsonl")
    [child] = texts.values()
    assert len(own) == 2
    assert len(child) == 1
    assert "in the child" in child[0]
    assert "in the child" not in "".join(own)


def test_a_child_that_first_records_while_it_exits(tmp_path: Path) -> None:
    """At that point newer Pythons start no threads any more."""
    script = """
        import atexit, os, sys
        from rollscope import record
        run = record.start(sys.argv[1])
        group = run.iteration(0).group()
        child = os.fork()
        if child == 0:
            group.add(response="late")
            sys.exit(0)
        os.waitpid(child, 0)
        run.close()
    """
    assert finish(script, tmp_path) == 0
    [path] = [path for path in tmp_path.glob("*_rollouts.*.jsonl") if path.name.count(".") == 2]
    lines, rest = whole_lines(path)
    assert len(lines) == 1
    assert rest == b""


def test_several_processes_share_a_run(tmp_path: Path) -> None:
    script = """
        import sys, time
        from rollscope import record
        run = record.start(sys.argv[1], {"who": sys.argv[2]})
        print(run.writer, run.attempt, flush=True)
        sys.stdin.readline()
        for step in range(20):
            run.log_metrics({"n": int(sys.argv[2])}, step=step)
            with run.iteration(step) as iteration, iteration.group() as group:
                group.add(response=sys.argv[2])
        run.close()
    """
    processes = []
    names = []
    for number in range(3):
        command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path), str(number)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        names.append(process.stdout.readline().split())
        processes.append(process)
    for process in processes:
        process.communicate("\n", timeout=60)
        assert process.returncode == 0
    assert names[0] == ["main", "0"]
    assert {attempt for _, attempt in names} == {"0"}
    assert len({writer for writer, _ in names}) == 3
    rows = [row for path in tmp_path.glob("metrics*.jsonl") for row in whole_lines(path)[0] if "n" in row]
    assert sorted((row["n"], row["step"]) for row in rows) == [(n, step) for n in range(3) for step in range(20)]
    groups = {line["group"] for path in tmp_path.glob("*_000007_rollouts*.jsonl") for line in whole_lines(path)[0]}
    assert len(groups) == 3
    assert json.loads((tmp_path / "config.json").read_text())["who"] == "0"


def test_ranks_take_part_in_the_attempt_of_the_main_process(tmp_path: Path) -> None:
    script = """
        import sys
        from rollscope import record
        run = record.start(sys.argv[1])
        print(run.writer, run.attempt, flush=True)
        sys.stdin.readline()
    """
    for attempt in range(2):
        processes = []
        for rank in (1, 0, 2):
            environment = {**os.environ, "RANK": str(rank)}
            command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
            )
            assert process.stdout is not None
            writer = "main" if rank == 0 else f"rank{rank}"
            assert process.stdout.readline().split() == [writer, str(attempt)]
            processes.append(process)
        for process in processes:
            process.communicate("\n", timeout=60)
