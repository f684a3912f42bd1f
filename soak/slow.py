"""Clients that read slowly or not at all: the server goes on answering others, and its memory stays flat."""

from __future__ import annotations

import socket
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.fixtures import write_jsonl
from tests.runs import append, relax_record
from tests.server.client import Server, eventually, serving

from soak import Figures, Violation

CLIENTS = 100
SECONDS = 20
MAX_ANSWER_SECONDS = 5.0
MAX_GROWTH_MB = 150


def private_mb(process: int) -> float:
    """Memory that this process wrote. Pages of a library are as much its own only while no other process maps it: what
    else runs on the machine would be counted."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty:")) / 1024


def run(long: bool) -> Figures:
    seconds = SECONDS * (10 if long else 1)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, ExitStack() as stack:
        root = Path(folder) / "run"
        file = root / "train" / "0.jsonl"
        write_jsonl(file, [relax_record(0, i, response="needle " * 20_000) for i in range(200)])
        server = stack.enter_context(serving(root, env={"ROLLSCOPE_INDEX_DIR": f"{folder}/index"}))
        identifier = server.run_id()
        eventually(lambda: server.json(f"/api/runs/{identifier}", wait=10)["info"]["progress"]["done"])
        before = private_mb(server.process.pid)
        paths = [
            "/api/events",
            f"/api/runs/{identifier}/search?q=needle&limit=100000",
            f"/api/runs/{identifier}/sample?address=train/0/7",
            f"/api/runs/{identifier}/samples?limit=1000",
        ]
        deaf = [stack.enter_context(_deaf(server, paths[number % len(paths)])) for number in range(CLIENTS)]
        slow = [stack.enter_context(_deaf(server, paths[number % len(paths)])) for number in range(CLIENTS)]
        for client in slow:
            client.setblocking(False)
        worst, most, answers, number = 0.0, before, 0, 1_000
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            append(file, relax_record(0, number))
            number += 1
            for client in slow:
                try:
                    client.recv(64)
                except (BlockingIOError, OSError):
                    continue
            started = time.monotonic()
            server.json(f"/api/runs/{identifier}/samples", step=0, limit=50)
            server.json(f"/api/runs/{identifier}/sample", address="train/0/3")
            worst = max(worst, time.monotonic() - started)
            answers += 2
            most = max(most, private_mb(server.process.pid))
        if worst > MAX_ANSWER_SECONDS:
            raise Violation(f"another client waited {worst:.1f} s")
        if most - before > MAX_GROWTH_MB:
            raise Violation(f"the server grew from {before:.0f} to {most:.0f} MB")
        told = len(deaf) + len(slow)
    return [
        ("clients that stopped reading, that read 64 bytes at a time", f"{CLIENTS}, {told - CLIENTS}, for {seconds} s"),
        ("answers to another client meanwhile", f"{answers:,}; two of them took {worst:.2f} s at worst, none failed"),
        ("private memory of the server", f"{before:.0f} MB before, {most:.0f} MB at most"),
    ]


def _deaf(server: Server, path: str) -> socket.socket:
    """Asks and does not listen."""
    client = socket.create_connection(("127.0.0.1", server.port))
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    return client
