"""Pictures of the viewer (the six that the tests compare, the recording in the documentation) and its table of keys.

``python -m tests.tui.pictures`` makes them anew from a small run. Look at them before you commit them.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.fixtures import REPOSITORY
from tests.tui.runs import write_run
from tests.tui.viewer import Viewer, viewing

from rollscope.tui.keys import SECTIONS

FOLDER = REPOSITORY / "tests" / "tui" / "pictures"
RECORDING = REPOSITORY / "docs" / "images" / "terminal.svg"
PAGE = REPOSITORY / "docs" / "terminal.md"

#: Columns and rows of every picture: room for the sidebar beside the text.
SIZE = (96, 24)
SECONDS_PER_FRAME = 3

Scene = Callable[[Viewer], Awaitable[None]]


async def reading(viewer: Viewer) -> None:
    await viewer.press("n", "n")


async def table(viewer: Viewer) -> None:
    await viewer.press("n", "s")


async def found(viewer: Viewer) -> None:
    await viewer.press("f")
    await viewer.type("zebra")
    await viewer.press("enter")


async def steps(viewer: Viewer) -> None:
    viewer.app.query_one("#choose-step").focus()
    await viewer.press("enter", "down")


async def wrong_filter(viewer: Viewer) -> None:
    await viewer.press("D", "/")
    await viewer.type('reward < 0.5 and statsu = "truncated"')
    await viewer.press("enter")


async def keys(viewer: Viewer) -> None:
    await viewer.press("?")


SCENES: dict[str, Scene] = {scene.__name__: scene for scene in (reading, table, found, steps, wrong_filter, keys)}


async def picture(run: Path, scene: Scene) -> str:
    """The screen after a scene, as SVG."""
    async with viewing(run, size=SIZE) as viewer:
        await scene(viewer)
        viewer.app.forget_notice()
        await viewer.settle()
        return without_remote_fonts(viewer.app.export_screenshot(title="rollscope tui"))


def without_remote_fonts(svg: str) -> str:
    """Rich's pictures load their font from the network; ours do with what there is."""
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def recording(frames: list[str]) -> str:
    """The frames as one picture that shows them in turn, by style alone: no script."""
    opening = frames[0][: frames[0].index(">") + 1]
    total = SECONDS_PER_FRAME * len(frames)
    share = 100 / len(frames)
    style = (
        f"<style>.frame {{ visibility: hidden; animation: show {total}s step-end infinite; }} "
        f"@keyframes show {{ 0% {{ visibility: visible; }} {share:.4f}% {{ visibility: hidden; }} }}</style>"
    )
    groups = [
        f'<g class="frame" style="animation-delay: {number * SECONDS_PER_FRAME - total}s">{_inside(frame)}</g>'
        for number, frame in enumerate(frames)
    ]
    return "\n".join([opening, style, *groups, "</svg>\n"])


def _inside(svg: str) -> str:
    return svg[svg.index(">") + 1 : svg.rindex("</svg>")].strip()


def keys_table() -> str:
    """The keys as the documentation has them, from the bindings themselves."""
    rows = ["| key | what it does |", "| --- | --- |"]
    for section in SECTIONS:
        rows.append(f"| **{section.title}** | |")
        for binding in section.bindings:
            shown = " ".join(f"`{key}`" for key in (binding.key_display or binding.key).split())
            rows.append(f"| {shown} | {binding.description} |")
    return "\n".join(rows)


def with_keys(page: str) -> str:
    before, _, rest = page.partition("<!-- keys -->\n")
    _, _, after = rest.partition("<!-- /keys -->")
    return f"{before}<!-- keys -->\n{keys_table()}\n<!-- /keys -->{after}"


async def _make_all() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ROLLSCOPE_INDEX_DIR"] = f"{folder}/index"
        run = write_run(Path(folder) / "arithmetic")
        frames = {name: await picture(run, scene) for name, scene in SCENES.items()}
    FOLDER.mkdir(exist_ok=True)
    for name, svg in frames.items():
        (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
    RECORDING.parent.mkdir(parents=True, exist_ok=True)
    RECORDING.write_text(recording(list(frames.values())), encoding="utf-8")
    PAGE.write_text(with_keys(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_make_all())
