"""Six screens look as they did when somebody last looked at them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.tui.pictures import FOLDER, PAGE, RECORDING, SCENES, picture, recording, with_keys


@pytest.mark.asyncio
@pytest.mark.parametrize("name", SCENES)
async def test_the_screen_looks_as_before(
    name: str, run_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("NO_COLOR", "COLORTERM", "TEXTUAL_COLOR_SYSTEM"):
        monkeypatch.delenv(variable, raising=False)
    now = await picture(run_path, SCENES[name])
    before = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    if now != before:
        (tmp_path / f"{name}.svg").write_text(now, encoding="utf-8")
        assert words(now) == words(before), f"compare {tmp_path}/{name}.svg with {FOLDER}/{name}.svg"
        pytest.fail(f"only looks changed: compare {tmp_path}/{name}.svg with {FOLDER}/{name}.svg")


def words(svg: str) -> list[str]:
    """The rows of text of a picture."""
    return re.findall(r">([^<>]+)</text>", svg)


def test_the_recording_is_made_of_these_pictures() -> None:
    frames = [(FOLDER / f"{name}.svg").read_text(encoding="utf-8") for name in SCENES]
    assert RECORDING.read_text(encoding="utf-8") == recording(frames), "run python -m tests.tui.pictures"


def test_the_documentation_has_every_key() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_keys(page) == page, "run python -m tests.tui.pictures"


def test_pictures_load_nothing_from_the_network() -> None:
    for path in [RECORDING, *FOLDER.iterdir()]:
        svg = path.read_text(encoding="utf-8")
        assert not re.search(r"url\((?!#)|<script|href=", svg), path
