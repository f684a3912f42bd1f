"""A picture of every page, light and dark: `make screenshots`, or `python -m scripts.screenshots FOLDER`.

They are taken from a demo run in a real Chromium: the one that CHROMIUM names, else the system's, else Playwright's own.
`--readme` also puts those that the README shows into docs/images.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser
from tests.chromium import launched_chromium

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
README_SHOWS = ("rollouts-light", "insights-light", "metrics-dark")
SCHEMES = ("light", "dark")
#: Name of the picture -> the view's address.
VIEWS: dict[str, dict[str, str]] = {
    "rollouts": {"step": "24", "sample": "18"},
    "rollouts-tools": {"step": "24", "sample": "62"},
    "rollouts-raw": {"step": "24", "sample": "18", "raw": "1"},
    "discarded": {"page": "discarded"},
    "evals": {"page": "evals"},
    "evals-side-by-side": {"page": "evals", "side": "1"},
    "insights": {"page": "insights"},
    "insights-contrast": {"page": "insights", "tab": "contrast", "preset": "changes"},
    "rollouts-tree": {"step": "30", "sample": "3", "tree": "1"},
    "metrics": {"page": "metrics"},
    "run": {"page": "run"},
    "search": {"page": "search", "q": "therefore"},
    "nothing-found": {"step": "24", "where": "reward > 1000"},
}
#: After the page has loaded: fonts and formulas follow.
SETTLE_MS = 2_500
PATIENCE_MS = 120_000
#: Every chart in the window is drawn, or says why it is not.
CHARTS_DRAWN = """() => [...document.querySelectorAll("figure")]
  .filter((figure) => figure.getBoundingClientRect().top < innerHeight)
  .every((figure) => figure.querySelector("canvas, figcaption ~ div p"))"""


@contextmanager
def viewer(directory: Path) -> Iterator[str]:
    """A viewer on a fresh demo run; its address."""
    command = [sys.executable, "-m", "rollscope"]
    run = str(directory / "demo")
    environment = {
        **os.environ,
        "ROLLSCOPE_INDEX_DIR": str(directory / "index"),
        "XDG_DATA_HOME": str(directory / "data"),
    }
    subprocess.run([*command, "demo", run, "--no-serve"], check=True, env=environment)
    serve = [*command, "view", run, "--host", "127.0.0.1", "--port", "0", "--no-browser"]
    process = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def take(browser: Browser, url: str, folder: Path) -> None:
    for scheme in SCHEMES:
        context = browser.new_context(
            viewport={"width": 1600, "height": 1000},
            color_scheme=scheme,
            device_scale_factor=1.5,
            locale="en-GB",
            timezone_id="UTC",
        )
        page = context.new_page()
        for name, view in VIEWS.items():
            page.goto(f"{url}?{urlencode(view)}", wait_until="load")
            page.wait_for_timeout(SETTLE_MS)
            page.get_by_role("status", name="Looking").wait_for(state="detached")
            page.get_by_role("status", name="Comparing").wait_for(state="detached")
            page.wait_for_function(CHARTS_DRAWN, timeout=PATIENCE_MS)
            page.screenshot(path=folder / f"{name}-{scheme}.png")
            print(folder / f"{name}-{scheme}.png")
        context.close()


def main() -> None:
    folder = Path(next((word for word in sys.argv[1:] if not word.startswith("--")), "screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, viewer(Path(directory)) as url, launched_chromium() as browser:
        take(browser, url, folder)
    if "--readme" in sys.argv:
        IMAGES.mkdir(parents=True, exist_ok=True)
        for name in README_SHOWS:
            shutil.copyfile(folder / f"{name}.png", IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
