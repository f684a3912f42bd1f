"""A run whose files are changed in every way files can be, and what each door says of it against a plain reader.

Driven by hypothesis in `test_state_machine.py`, and longer by `make soak`.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import zstandard
from tests.differential import doors
from tests.formats.naive import naive_record, naive_reward, same_number
from tests.runs import relax_record
from tests.server.client import Server, serving

import rollscope
from rollscope.record.output.sealing import seal, unseal

#: How long a change may take to be seen by a running server. It is promised within 2 s; a busy machine stalls.
SEEN_SECONDS = 20.0
NEEDLE = "needle"
#: Reads a run again and again, each time as if for the first time.
_INDEXER = """
import sys, rollscope
for _ in range(30):
    list(rollscope.open(sys.argv[1], index_dir=sys.argv[2]).steps())
"""
Said = dict[str, dict[str, Any]]


class Layout:
    """How a run of lines lies on disk, and what its lines mean to a reader of twenty lines."""

    name: str
    pattern: str

    def path(self, root: Path, step: int) -> Path:
        raise NotImplementedError

    def record(self, step: int, number: int, chance: random.Random) -> dict[str, Any]:
        raise NotImplementedError

    def said(self, record: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def text(self, path: Path) -> bytes:
        return path.read_bytes()

    def step_of(self, path: Path) -> int:
        return int("".join(sign for sign in path.stem if sign.isdecimal()))

    def read(self, root: Path) -> Said:
        found: Said = {}
        for path in sorted(root.glob(self.pattern), key=self.step_of):
            records = [record for line in self.text(path).split(b"\n") if (record := naive_record(line)) is not None]
            newest = max((record.get("attempt") or 0 for record in records), default=0)
            counted = [record for record in records if (record.get("attempt") or 0) == newest]
            for number, record in enumerate(counted):
                found[f"train/{self.step_of(path)}/{number}"] = self.said(record)
        return found


class Relax(Layout):
    name, pattern = "relax", "train/*.jsonl"

    def path(self, root: Path, step: int) -> Path:
        return root / "train" / f"{step}.jsonl"

    def record(self, step: int, number: int, chance: random.Random) -> dict[str, Any]:
        word = chance.choice([NEEDLE, "straw"])
        changes = {"reward": round(chance.random(), 3), "response": f"{word} {'é数 ' * chance.randrange(40)}"}
        return relax_record(step, number, **changes)

    def said(self, record: dict[str, Any]) -> dict[str, Any]:
        texts = [record.get("prompt"), record.get("response")]
        plain = all(isinstance(text, str) for text in texts)
        return {"reward": record.get("reward"), "text": "".join(map(str, texts)) if plain else None}


class Recorded(Layout):
    name, pattern = "rollscope", "train_iteration_*_rollouts.jsonl*"

    def text(self, path: Path) -> bytes:
        """Of a sealed file beside its plain one nothing: they hold the same, or the plain one is newer."""
        if path.suffix != ".zst":
            return path.read_bytes()
        if path.with_suffix("").exists():
            return b""
        return zstandard.ZstdDecompressor().decompressobj(read_across_frames=True).decompress(path.read_bytes())

    def path(self, root: Path, step: int) -> Path:
        return root / f"train_iteration_{step:06d}_rollouts.jsonl"

    def record(self, step: int, number: int, chance: random.Random) -> dict[str, Any]:
        asked, answered = f"What is {number}?", f"{chance.choice([NEEDLE, 'straw'])} {'é数 ' * chance.randrange(40)}"
        return {
            "schema_version": 1,
            "attempt": 0,
            "group": number // 4,
            "index": number % 4,
            "reward": round(chance.random(), 3),
            "messages": [
                {"role": "user", "parts": [{"type": "text", "text": asked}]},
                {"role": "assistant", "turn": 0, "parts": [{"type": "text", "text": answered}]},
            ],
        }

    def said(self, record: dict[str, Any]) -> dict[str, Any]:
        texts = [part["text"] for message in record["messages"] for part in message["parts"]]
        return {"reward": record.get("reward"), "text": "".join(texts)}


LAYOUTS: dict[str, Layout] = {layout.name: layout for layout in (Relax(), Recorded())}


class ChangingRun:
    """One run below a served root. Every change is made to one file, so that an answer is the old state or the new one."""

    STEPS = 5

    def __init__(self, layout: Layout, root: Path, index: Path, server: Server) -> None:
        self.layout, self.root, self.index, self.server = layout, root, index, server
        self.gone: dict[int, bytes] = {}
        self.old = layout.read(root)
        self.checks = 0
        self.others: list[subprocess.Popen[bytes]] = []

    # What happens to files

    def lines(self, step: int, chance: random.Random, count: int, attempt: int = 0) -> bytes:
        records = [self.layout.record(step, number, chance) for number in range(count)]
        if attempt:
            records = [{**record, "attempt": attempt} for record in records]
        return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)

    def steps(self) -> list[int]:
        """Those with a plain file, which may be changed."""
        found = {self.layout.step_of(path) for path in self.root.glob(self.layout.pattern)}
        return sorted(step for step in found if self.path(step).exists())

    def path(self, step: int) -> Path:
        return self.layout.path(self.root, step)

    def reset(self, chance: random.Random) -> None:
        """Step 0 has lines that stay: a folder without one readable line is no run."""
        self.gone.clear()
        self.kill_others()
        for path in self.root.glob(self.layout.pattern):
            if self.layout.step_of(path) != 0:
                path.unlink()
        self.path(0).write_bytes(self.lines(0, chance, 3))
        for step in range(1, 3):
            self.replace(step, chance)
        self.old = {}

    def append(self, step: int, chance: random.Random) -> None:
        """Whole lines, and perhaps the beginning of one that a later write may or may not go on from."""
        new = self.lines(step, chance, chance.randrange(1, 6))
        cut = chance.randrange(len(new)) if chance.random() < 0.3 else len(new)
        with self.path(step).open("ab") as file:
            file.write(new[:cut])

    def edit(self, step: int, chance: random.Random) -> None:
        """Some digits of a reward become others: same size, same inode."""
        data = self.path(step).read_bytes()
        places = [place for place in range(len(data)) if data.startswith(b'"reward": 0.', place)]
        if places:
            with self.path(step).open("r+b") as file:
                file.seek(chance.choice(places) + len(b'"reward": 0.'))
                file.write(b"%d" % chance.randrange(1, 10))

    def edit_byte(self, step: int, chance: random.Random) -> None:
        """Any byte of the file becomes another; in a recorded run any byte of a text."""
        data = self.path(step).read_bytes()
        if isinstance(self.layout, Recorded):
            places = [at + 9 for at in range(len(data)) if data.startswith(b'"text": "What', at)]
        else:
            places = list(range(len(data)))
        if places:
            with self.path(step).open("r+b") as file:
                file.seek(chance.choice(places))
                file.write(chance.choice([b"a", b"7", b" ", b"\xff", b"\n"]))

    def truncate(self, step: int, chance: random.Random) -> None:
        with self.path(step).open("r+b") as file:
            file.truncate(chance.randrange(max(1, self.path(step).stat().st_size)))

    def replace(self, step: int, chance: random.Random) -> None:
        """Another file takes the name, as a trainer that writes beside and renames does it."""
        path = self.path(step)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(".new")
        beside.write_bytes(self.lines(step, chance, chance.randrange(0, 9)))
        os.replace(beside, path)

    def rename(self, step: int, chance: random.Random) -> None:
        free = [other for other in range(1, self.STEPS) if not self.path(other).exists()]
        if free:
            os.replace(self.path(step), self.path(chance.choice(free)))

    def delete(self, step: int) -> None:
        self.gone[step] = self.path(step).read_bytes()
        self.path(step).unlink()

    def come_back(self, step: int) -> None:
        if step in self.gone and not self.path(step).exists():
            self.path(step).write_bytes(self.gone.pop(step))

    def resume(self, step: int, chance: random.Random) -> None:
        """The run goes on from before this step: its samples are of a new attempt."""
        if isinstance(self.layout, Recorded):
            data = self.path(step).read_bytes()
            attempt = max((int(piece.split(b",")[0]) for piece in data.split(b'"attempt": ')[1:]), default=0) + 1
            start = b"" if not data or data.endswith(b"\n") else b"\n"
            with self.path(step).open("ab") as file:
                file.write(start + self.lines(step, chance, chance.randrange(1, 4), attempt))
        else:
            self.path(step).write_bytes(self.lines(step, chance, chance.randrange(1, 4)))

    def seal(self, step: int) -> None:
        """The step is finished and packed, or what was packed is unpacked to be written on."""
        if isinstance(self.layout, Recorded):
            path = self.path(step)
            if path.exists() and path.stat().st_size:
                seal(str(path))
            elif path.with_name(path.name + ".zst").exists():
                unseal(str(path))

    # Others at work

    def index_beside(self) -> None:
        """Another process reads the run into the same index, while the doors are asked."""
        self.others = [other for other in self.others if other.poll() is None]
        command = [sys.executable, "-c", _INDEXER, str(self.root), str(self.index)]
        self.others.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def kill_others(self, seconds: float = 0.0) -> None:
        """SIGKILL, in the middle of whatever they do: scanning, publishing, or starting yet."""
        time.sleep(seconds if self.others else 0.0)
        for other in self.others:
            other.kill()
            other.wait()
        self.others.clear()

    def remove_index(self) -> None:
        shutil.rmtree(self.index, ignore_errors=True)

    def damage_index(self, chance: random.Random) -> None:
        """Any byte of any file of the index, for whoever opens it next. A process that has it mapped keeps what it has."""
        files = sorted(path for path in self.index.rglob("*") if path.is_file())
        if not files:
            return
        path = chance.choice(files)
        data = bytearray(path.read_bytes())
        if chance.random() < 0.3:
            del data[chance.randrange(len(data) + 1) :]
        elif data:
            data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
        beside = path.with_name("damaged")
        beside.write_bytes(data)
        os.replace(beside, path)

    # What the doors say

    def check(self, chance: random.Random) -> None:
        self.checks += 1
        new = self.layout.read(self.root)
        run = rollscope.open(self.root, index_dir=str(self.index))
        _assert_same("Python", doors.listed(run), new)
        some = chance.sample(sorted(new), min(3, len(new)))
        for address in some:
            sample = run.sample(address)
            _assert_sample("Python", address, sample.reward, "".join(m.text for m in sample.messages), new[address])
        found = {hit.address for hit in run.search(NEEDLE, fields=["response"])}
        whole = {address for address, said in new.items() if said["text"] is not None}
        expected = {address for address in whole if NEEDLE in new[address]["text"]}
        assert found & whole == expected, f"search: {sorted(found ^ expected)}"
        (count,) = run.sql("SELECT count(*) FROM samples").rows
        assert count == [len(new)]
        told = {step.step: step.samples for step in run.steps()} if new else {}
        steps = [int(address.split("/")[1]) for address in new]
        assert told == {step: steps.count(step) for step in set(steps)}
        if chance.random() < 0.3:
            rows = doors.command("samples", self.root, "--all", "--json", "--limit", 0, "--index-dir", self.index)
            _assert_same("the command line", doors.by_address(rows), new)
        self._check_server(new, some)
        self.old = new

    def _check_server(self, new: Said, some: list[str]) -> None:
        run = next(item["id"] for item in self.server.json("/api/runs") if item["path"] == str(self.root))
        end = time.monotonic() + SEEN_SECONDS
        while True:
            page = self.server.json(f"/api/runs/{run}/samples", discarded="all", limit=1000, wait=5)
            rows = doors.by_address(page["rows"])
            if _same(rows, new):
                break
            whole = not self.old or _same(rows, self.old)
            assert whole or not page["progress"]["done"], f"a mixture of two states: {_first(rows, new)}"
            assert time.monotonic() < end, f"the server still says after {SEEN_SECONDS:g} s: {_first(rows, new)}"
            time.sleep(0.02)
        for address in some:
            sample = self.server.json(f"/api/runs/{run}/sample", address=address)
            reward = doors.one(sample).get("reward")
            text = "".join(part["text"] for m in sample["messages"] for part in m.get("parts", ()))
            _assert_sample("HTTP", address, reward, text, new[address])


def _same(rows: Said, expected: Said) -> bool:
    return _first(rows, expected) is None


def _first(rows: Said, expected: Said) -> str | None:
    """The first difference, in words."""
    if rows.keys() != expected.keys():
        return f"only there {sorted(rows.keys() - expected.keys())}, only here {sorted(expected.keys() - rows.keys())}"
    for address, said in expected.items():
        if not _same_reward(rows[address].get("reward"), said["reward"]):
            return f"{address}: reward {rows[address].get('reward')!r}, in the file {said['reward']!r}"
    return None


def _assert_same(door: str, rows: Said, expected: Said) -> None:
    assert _same(rows, expected), f"{door}: {_first(rows, expected)}"


def _same_reward(shown: Any, written: Any) -> bool:
    if type(written) not in (int, float, type(None)):
        return True  # an edit made something else of it, which is another test's subject
    return same_number(shown, naive_reward(written))


def _assert_sample(door: str, address: str, reward: Any, text: str, said: Mapping[str, Any]) -> None:
    assert _same_reward(reward, said["reward"]), f"{door} {address}: reward {reward!r}, in the file {said['reward']!r}"
    if said["text"] is not None:
        assert text == said["text"], f"{door} {address}: {text!r}, in the file {said['text']!r}"


@contextmanager
def changing_runs(folder: Path) -> Iterator[dict[str, ChangingRun]]:
    """A run of each layout below one root, and a server over it, whose index the other doors share."""
    root, index = folder / "runs", folder / "index"
    for layout in LAYOUTS.values():
        path = layout.path(root / layout.name, 0)
        path.parent.mkdir(parents=True)
        path.write_bytes(json.dumps(layout.record(0, 0, random.Random(1))).encode() + b"\n")
    environment = {"ROLLSCOPE_INDEX_DIR": str(index), "XDG_DATA_HOME": str(folder / "data")}
    with serving(root, env=environment) as server:
        made = {name: ChangingRun(layout, root / name, index, server) for name, layout in LAYOUTS.items()}
        try:
            yield made
        finally:
            for run in made.values():
                run.kill_others()
