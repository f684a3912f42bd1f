"""A writer of a shared index, for a process of its own: it commits one step after the other."""

from __future__ import annotations

WRITER = """
import os, sys, time
import rollscope
from rollscope.query.live.watch import holds
url, number, writers, steps = sys.argv[1], *map(int, sys.argv[2:])
run = rollscope.open(url)
for step in range(number, steps, writers):
    run._index.refresh(only=holds("train", step))
print("finished")
"""
