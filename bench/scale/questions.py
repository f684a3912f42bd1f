"""What is run in fresh processes: each prints its quantities as JSON. CPU seconds, and memory that is no file's."""

from __future__ import annotations

_COMMON = """
import json, os, sys, time
from bench.measure import private_megabytes
from rollscope.query import limits
from rollscope.query.library import open_run
limits.set_limits(limits.Limits(seconds=600))  # CPU is measured: what else the machine does must end no question
root, place, count = sys.argv[1], sys.argv[2], int(float(sys.argv[3]))
found = {}
def cpu(work):
    start = time.process_time()
    work()
    return time.process_time() - start
def measured(name, work):
    found[name] = cpu(work)
    found[f"MB, {name}"] = private_megabytes(os.getpid())
spent = []
def count_publishing():
    from rollscope.index.refresh import Refresh
    whole = Refresh._publish
    def publish(self, *given):
        start = time.process_time()
        whole(self, *given)
        spent.append(time.process_time() - start)
    Refresh._publish = publish
"""

INDEX = (
    _COMMON
    + """
count_publishing()
run = open_run(root, index_dir=place)
measured("index", run.refresh)
found["publishing"] = sum(spent)
print(json.dumps(found))
"""
)

LOOK = (
    _COMMON
    + """
from bench.data import small_step
# A part of the manifest is written again for each of its files: the last one is as full for any number of files.
first, count = count, count + -count % 256 + 32
for i in range(first, count):
    small_step(root, i)
run = open_run(root, index_dir=place)
run.refresh()
time.sleep(2.1)
run.refresh()
found["look, nothing new"] = min(cpu(run.refresh) for _ in range(3))
count_publishing()
added = []
for i in range(5):
    small_step(root, count + i)
    added.append(cpu(run.refresh))
found["one added file"] = sorted(added)[2]
found["… of that publishing"] = sorted(spent)[len(spent) // 2]
named = []
for i in range(5, 10):
    small_step(root, count + i)
    named.append(cpu(lambda: run.refresh(paths=[f"train/{count + i}.jsonl"])))
    assert run.info(look=False).splits[0].last_step == count + i
found["one added file that is named"] = sorted(named)[2]
print(json.dumps(found))
"""
)

_PAGE = """
def page():
    steps = run.steps().steps
    run.samples(split="train", step=steps[len(steps) // 2].step, limit=50, preview=True)
"""

FIRST_PAGE = (
    _COMMON
    + _PAGE
    + """
start = time.process_time()
run = open_run(root, index_dir=place)
page()
# With what Python and the libraries take to start: a person waits for that, too.
found["first page, CPU s"] = time.process_time()
found["… without starting"] = time.process_time() - start
found["MB, first page"] = private_megabytes(os.getpid())
print(json.dumps(found))
"""
)

ASK = (
    _COMMON
    + _PAGE
    + """
run = open_run(root, index_dir=place)
measured("first page", page)
measured("filter", lambda: run.samples(where="reward > 0.5", limit=50))
found["filter again"] = min(cpu(lambda: run.samples(where=f"reward > 0.5{i}", limit=50)) for i in range(1, 4))
measured("sort -reward, 50", lambda: run.samples(sort="-reward", limit=50))
measured("counts by step", lambda: run.step_counts(where="reward > 0.9"))
measured("SQL avg by step", lambda: run.sql("select step, avg(reward) from samples group by step", only_shown=True))
measured("scatter", lambda: run.scatter("completion_tokens"))
measured("export of 1 %", lambda: run.export(os.path.join(place, "few.parquet"), where="reward > 0.99"))
measured("one chart", lambda: run.metrics("rollouts/reward/mean"))
measured("groups, 50", lambda: run.groups(limit=50))
measured("groups -reward, 50", lambda: run.groups(sort="-reward", limit=50))
middle = run.steps().steps[-1].step // 2
measured("contrast of halves", lambda: run.contrast(split="train", a_steps=f":{middle}", b_steps=f"{middle}:"))
measured("compare with itself", lambda: run.compare(open_run(root, index_dir=place), limit=50))
print(json.dumps(found))
"""
)

#: The same questions of the run as one table, and a batch of steps at a time, as runs of more than a million samples are asked.
SAME = (
    _COMMON
    + """
from msgspec.json import encode
from rollscope.index.rows import run_order
def answers():
    run = open_run(root, index_dir=place)
    middle = run.steps().steps[-1].step // 2
    yield "filter", run.samples(where="reward > 0.5", limit=1000).rows
    yield "filter, later page", run.samples(where="reward > 0.5", offset=count // 4, limit=1000).rows
    yield "sort", run.samples(sort="-reward", limit=1000).rows
    yield "sort and filter", run.samples(where="completion_tokens < 500", sort="reward", limit=1000).rows
    yield "counts by step", run.step_counts(where="reward > 0.9")
    # The last digits of a mean depend on the order in which numbers are added, which SQL does not fix.
    ordered = "select step, round(avg(reward), 12), count(*) from samples group by step order by step"
    yield "SQL", run.sql(ordered, only_shown=True).to_arrow().to_pylist()
    yield "steps", run.samples(steps=f"{middle}:{middle + 5}", sort="-reward").rows
    yield "groups", run.groups(sort="-reward", limit=200).rows
found_by = []
for large in (1 << 60, 1):
    run_order.LARGE_ROWS = large
    found_by.append({name: encode(answer) for name, answer in answers()})
assert all(len(answer) > 1000 for answer in found_by[0].values())
found["questions"] = len(found_by[0])
found["answered otherwise as one table"] = sum(found_by[1][name] != answer for name, answer in found_by[0].items())
print(json.dumps(found))
"""
)

#: What findings need of each sample is stored before they are measured, in a process of its own.
FEATURES = (
    _COMMON
    + """
measured("features", open_run(root, index_dir=place).compute_features)
print(json.dumps(found))
"""
)

FINDINGS = (
    _COMMON
    + """
measured("findings", open_run(root, index_dir=place).findings_report)
print(json.dumps(found))
"""
)

PROMPT = (
    _COMMON
    + """
measured("prompt over all steps", lambda: open_run(root, index_dir=place).prompt("train/0/0"))
print(json.dumps(found))
"""
)
