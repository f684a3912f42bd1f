"""code.diff: the changes a training started with, its commit, and what is not in it."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from rollscope import record
from rollscope.record import code_diff


def run_git(directory: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    done = subprocess.run(
        ["git", "-C", str(directory), *identity, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "code"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "train.py").write_text("lr = 1\n")
    run_git(root, "init", "-q")
    run_git(root, "add", ".")
    run_git(root, "commit", "-qm", "first")
    return root


def test_changes_commit_and_untracked_files(repository: Path) -> None:
    (repository / "pkg" / "train.py").write_text("lr = 2\n")
    (repository / "notes with space.txt").write_text("x")
    diff = code_diff.code_diff(repository / "pkg").decode()
    assert f"# commit: {run_git(repository, 'rev-parse', 'HEAD').strip()}" in diff
    assert "-lr = 1\n+lr = 2\n" in diff
    assert "#   notes with space.txt" in diff


def test_the_file_can_be_applied(repository: Path, tmp_path: Path) -> None:
    (repository / "pkg" / "train.py").write_text("lr = 2\n")
    patch = tmp_path / "code.diff"
    patch.write_bytes(code_diff.code_diff(repository))
    run_git(repository, "checkout", "-q", ".")
    run_git(repository, "apply", str(patch))
    assert (repository / "pkg" / "train.py").read_text() == "lr = 2\n"


def test_no_changes_are_said_to_be_none(repository: Path) -> None:
    assert "# No local changes." in code_diff.code_diff(repository).decode()


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("x")
    run_git(tmp_path, "add", "a.py")
    diff = code_diff.code_diff(tmp_path).decode()
    assert "(no commit yet)" in diff
    assert "+x" in diff


def test_outside_a_repository_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert code_diff.code_diff(tmp_path).decode() == f"# No diff: {tmp_path} is not in a git repository.\n"


def test_a_long_diff_is_cut_and_says_so(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_diff, "MAX_DIFF_BYTES", 1000)
    (repository / "pkg" / "train.py").write_text("x = 1\n" * 1000)
    diff = code_diff.code_diff(repository).decode()
    assert "it was cut at 1,000" in diff
    assert len(diff) < 2000


def test_a_run_has_it(repository: Path, tmp_path: Path) -> None:
    (repository / "pkg" / "train.py").write_text("lr = 3\n")
    record.start(tmp_path / "run", code_dir=repository).close()
    assert "+lr = 3" in (tmp_path / "run" / "code.diff").read_text()


def test_the_training_does_not_wait_for_a_slow_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_answer = threading.Event()
    monkeypatch.setattr(code_diff, "code_diff", lambda directory: b"slow" if may_answer.wait(60) else b"")
    run = record.start(tmp_path / "run")
    run.log_metrics({"loss": 1.0}, step=0)
    assert not (tmp_path / "run" / "code.diff").exists()
    may_answer.set()
    run.close()
    assert (tmp_path / "run" / "code.diff").read_bytes() == b"slow"


def test_it_is_written_again_with_a_directory_that_was_deleted(repository: Path, tmp_path: Path) -> None:
    run = record.start(tmp_path / "run", code_dir=repository)
    run.flush()
    shutil.rmtree(tmp_path / "run")
    run.log_metrics({"loss": 1.0}, step=0)
    run.close()
    assert b"# No local changes." in (tmp_path / "run" / "code.diff").read_bytes()
