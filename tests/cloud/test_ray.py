"""Indexing and searching by a real Ray cluster of two nodes, whose workers and node are killed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import Struct
from tests.cloud.ray_cluster import ENVIRONMENT
from tests.cloud.servers import KEYS, Bucket, Server, keys_below
from tests.fixtures import REPOSITORY
from tests.runs import write_relax

import rollscope


class Cluster(Struct):
    address: str


@pytest.fixture(scope="module")
def cluster(s3_server: Server) -> Iterator[Cluster]:
    # Sockets have names of at most 107 characters: pytest's folders are too deep.
    folder = tempfile.mkdtemp(prefix="rs-ray-")
    os.makedirs(os.path.join(folder, "ray"))
    environment = {**os.environ, "RAY_TMPDIR": folder, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])}
    environment.pop("RAY_ADDRESS", None)
    # Its nodes know the store, as those of a lab do.
    environment |= {**KEYS, "AWS_ENDPOINT_URL": s3_server.endpoint, "AWS_REGION": "us-east-1"}
    process = subprocess.Popen(
        [sys.executable, str(REPOSITORY / "tests" / "cloud" / "ray_cluster.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        line = next((line for line in process.stdout if line.startswith("{")), "")
        assert line, "the cluster did not start"
        yield Cluster(**json.loads(line))
    finally:
        assert process.stdin is not None
        process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)


def python(code: str, cluster: Cluster, *given: str, **variables: str) -> str:
    """In a process of its own, that joins the cluster."""
    environment = {
        **os.environ,
        **ENVIRONMENT,
        "RAY_ADDRESS": cluster.address,
        "PYTHONPATH": str(REPOSITORY),
        **variables,
    }
    done = subprocess.run(
        [sys.executable, "-c", code, *given], env=environment, capture_output=True, text=True, check=False, timeout=90
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


INDEX = """
import sys, rollscope
from rollscope.index.engines.ray import RayEngine
sent = []
whole = RayEngine.submit
RayEngine.submit = lambda self, task: (sent.append(task.function), whole(self, task))[1]
run = rollscope.open(sys.argv[1], engine="ray", index_dir=sys.argv[2])
run.refresh()
hits = [hit.address for hit in run.search("response 7", limit=5)]
print(len(sent), run._index.engine.count, run._index.snapshot.sample_count, len(hits))
"""


def many(tmp_path: Path) -> Path:
    return write_relax(tmp_path / "run", steps=600, samples=8)


def same_as_local(root: Path | str, place: Path, tmp_path: Path) -> None:
    """The index that was made is whole: nothing is left to read, and its rows are those of an index made here."""
    made, local = rollscope.open(root, index_dir=str(place)), rollscope.open(root, index_dir=str(tmp_path / "local"))
    local.refresh()
    there, here = made._index.snapshot, local._index.snapshot
    assert list(there.steps) == list(here.steps)
    columns = [name for name in here.all_rows.column_names if name != "file"]
    assert there.all_rows.select(columns).to_pylist() == here.all_rows.select(columns).to_pylist()


def test_the_cluster_s_index_is_the_one_made_here(cluster: Cluster, tmp_path: Path) -> None:
    root = many(tmp_path)
    sent, cores, samples, _ = map(int, python(INDEX, cluster, str(root), str(tmp_path / "index")).split())
    assert sent >= 2
    assert cores == 2
    assert samples == 600 * 8
    same_as_local(root, tmp_path / "index", tmp_path)


FEATURES = """
import sys
from rollscope.cli.main import main
from rollscope.index.features import feature_rows
feature_rows.INLINE_BYTES = 0
from rollscope.index.engines.ray import RayEngine
sent = []
whole = RayEngine.submit
RayEngine.submit = lambda self, task: (sent.append(task.function), whole(self, task))[1]
try:
    code = main(["index", "--features", "--engine", "ray", "--index-dir", sys.argv[2], sys.argv[1]])
finally:
    print(sorted({name.rpartition(":")[2] for name in sent}), file=sys.__stdout__, flush=True)
"""


def test_the_command_computes_features_by_the_cluster(cluster: Cluster, tmp_path: Path) -> None:
    root = many(tmp_path)
    said = python(FEATURES, cluster, str(root), str(tmp_path / "index"))
    assert "feature_task" in said
    wanted = ["text.compression", "text.repetition", "text.copies"]
    there = rollscope.open(root, index_dir=str(tmp_path / "index"))
    here = rollscope.open(root, index_dir=str(tmp_path / "local"))
    made = there.samples(split="train", step=7, features=wanted)
    assert [row.features for row in made.rows] == [
        row.features for row in here.samples(split="train", step=7, features=wanted).rows
    ]
    assert made.rows[0].features["text.compression"] is not None


def test_a_run_in_a_bucket_is_indexed_by_the_cluster(cluster: Cluster, bucket: Bucket, tmp_path: Path) -> None:
    """Workers know the store by what the environment of their nodes says, which tests cannot change any more: so the
    task is told where to go, and who may."""
    root = write_relax(tmp_path / "run", steps=40, samples=60)
    url = bucket.upload(root, "run")
    code = "import os, sys\nfrom ray.runtime_env import RuntimeEnv\nimport ray\n" + INDEX
    code = code.replace(
        "run = rollscope.open(",
        "names = {k: v for k, v in os.environ.items() if k.startswith('AWS_')}\n"
        "ray.init(address=os.environ['RAY_ADDRESS'], runtime_env={'env_vars': names}, log_to_driver=False)\n"
        "run = rollscope.open(",
        1,
    )
    sent, _, samples, _ = map(int, python(code, cluster, url, str(tmp_path / "index")).split())
    assert (samples, sent > 0) == (40 * 60, True)
    same_as_local(url, tmp_path / "index", tmp_path)


def block(kind: str) -> str:
    """What docs/scaling.md tells a lab to do."""
    page = (REPOSITORY / "docs" / "scaling.md").read_text()
    return page.partition(f"```{kind}\n")[2].partition("```")[0]


def test_the_steps_of_the_documentation_lead_from_nothing_to_two_viewers(
    cluster: Cluster, bucket: Bucket, tmp_path: Path
) -> None:
    """As they stand, but for the names of the bucket and of the cluster; the last one, which serves, is told a port."""
    write_relax(tmp_path / "runs" / "exp", steps=30, samples=8)
    python = os.path.dirname(sys.executable)
    environment = {
        **os.environ,
        **ENVIRONMENT,
        "PATH": f"{python}{os.pathsep}{os.environ['PATH']}",
        "ROLLSCOPE_INDEX_DIR": "",
    }

    def told(kind: str) -> str:
        text = block(kind).replace('S3Store("lab"', f'S3Store("{bucket.name}", prefix="{bucket.folder}"')
        return text.replace("s3://lab", bucket.url).replace("10.0.0.1:6379", cluster.address)

    def shell(script: str, machine: str) -> str:
        home = {**environment, "XDG_CACHE_HOME": str(tmp_path / machine)}
        done = subprocess.run(
            ["bash", "-e"],
            input=script,
            env=home,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shell(f"python - <<'END'\n{told('python upload')}\nEND", "one")
    assert "240 samples" in shell(told("sh index"), "one")
    *commands, serve = told("sh view").strip().splitlines()
    assert serve == f"rollscope {bucket.url}/runs"
    before = keys_below(bucket, "rollscope")
    assert any("/roots/" in key for key in before)
    for machine in ("two", "three"):
        assert len(shell("\n".join(commands), machine).splitlines()) >= 30
    assert keys_below(bucket, "rollscope") == before, "viewers write nothing"


def test_a_node_with_another_version_is_told_before_anything_is_read(cluster: Cluster, tmp_path: Path) -> None:
    code = (
        "import sys, rollscope\nfrom rollscope.errors import UsageError\nimport rollscope.index.scan as scan\n"
        "scan.own_version = lambda: '99.0'\nrun = rollscope.open(sys.argv[1], engine='ray', index_dir=sys.argv[2])\n"
        "try:\n    run.refresh()\nexcept UsageError as error:\n    print(error)\n"
    )
    said = python(code, cluster, str(many(tmp_path)), str(tmp_path / "index"))
    assert "is not ready: it has Rollscope" in said
    assert "not 99.0" in said


def test_a_cluster_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    root = write_relax(tmp_path / "run", steps=1)
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    command = [sys.executable, "-m", "rollscope", "index", str(root), "--engine", "ray"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 2
    assert "RAY_ADDRESS names none" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_interrupted_index_is_valid_and_goes_on(cluster: Cluster, tmp_path: Path) -> None:
    root = many(tmp_path)
    place = tmp_path / "index"
    environment = {**os.environ, **ENVIRONMENT, "RAY_ADDRESS": cluster.address}
    command = [sys.executable, "-m", "rollscope", "index", str(root), "--engine", "ray", "--index-dir", str(place)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    until(lambda: any(place.rglob("*.arrow")) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    rollscope.open(root, index_dir=str(place)).refresh()
    same_as_local(root, place, tmp_path)


WAIT = """
import os, sys
from pathlib import Path
from rollscope.index.engines.base import Task
from rollscope.index.engines.ray import RayEngine
engine = RayEngine()
socket = engine._ray._private.worker.global_worker.node.raylet_socket_name
Path(sys.argv[1]).parent.joinpath("node").write_text(socket)
futures = [engine.submit(Task("tests.cloud.ray_tasks:wait_for_go", os.fsencode(folder))) for folder in sys.argv[1:]]
print([future.result(120) for future in futures])
"""


def until(holds: Callable[[], bool], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def attempts(folder: Path) -> list[tuple[int, int]]:
    """(worker, its node), in no order."""
    texts = [path.read_text().split() for path in folder.glob("attempt-*")]
    return [(int(words[0]), int(words[1])) for words in texts if len(words) == 2]


def waiting(cluster: Cluster, *folders: Path) -> subprocess.Popen[str]:
    for folder in folders:
        folder.mkdir()
    environment = {**os.environ, **ENVIRONMENT, "RAY_ADDRESS": cluster.address, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.Popen(
        [sys.executable, "-c", WAIT, *map(str, folders)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def test_the_task_of_a_killed_worker_is_done_by_another(cluster: Cluster, tmp_path: Path) -> None:
    driver = waiting(cluster, tmp_path / "one")
    until(lambda: len(attempts(tmp_path / "one")) == 1)
    os.kill(attempts(tmp_path / "one")[0][0], signal.SIGKILL)
    until(lambda: len(attempts(tmp_path / "one")) == 2)
    (tmp_path / "one" / "go").touch()
    out, _ = driver.communicate(timeout=100)
    assert "[b'done']" in out.splitlines()
    assert len(attempts(tmp_path / "one")) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="which process is which node is told by /proc")
def test_the_tasks_of_a_killed_node_are_done_by_the_other(cluster: Cluster, tmp_path: Path) -> None:
    """The last test of the file: one node is left after it."""
    folders = [tmp_path / "one", tmp_path / "two"]
    driver = waiting(cluster, *folders)
    until(lambda: all(len(attempts(folder)) == 1 for folder in folders))
    # Not the node that the driver itself is connected to.
    own = b"--raylet_socket_name=" + (tmp_path / "node").read_bytes() + b"\0"
    (lost,) = [folder for folder in folders if own not in Path(f"/proc/{attempts(folder)[0][1]}/cmdline").read_bytes()]
    worker, node = attempts(lost)[0]
    os.kill(node, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)
    (kept,) = [folder for folder in folders if folder != lost]
    (kept / "go").touch()
    until(lambda: len(attempts(lost)) == 2)
    (lost / "go").touch()
    out, _ = driver.communicate(timeout=100)
    assert "[b'done', b'done']" in out.splitlines()
    assert len(attempts(kept)) == 1
