"""100 hostile samples in the browser: each would show a dialog, ask a stranger or change the page, if it came alive."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

from playwright.sync_api import Dialog, Page
from tests.browser.reading.test_untrusted import ATTACKS
from tests.chromium import launched_chromium
from tests.server.client import serving

from rollscope import record
from soak import Figures, Violation

SAMPLES = 100
#: Where an attack stands: what surrounds it is rendered by another part of the page.
PLACES = (
    "{}",
    "<think>{}</think>",
    "```\n{}\n```",
    "> {}\n\n- {}",
    '<tool_call>{{"name": "x", "arguments": "{}"}}</tool_call>',
    "<answer>{}</answer> \\boxed{{{}}}",
)
ALIVE = "script, iframe, object, embed, base, meta, style, img, a[href^=javascript]"


def run(long: bool) -> Figures:
    pairs = itertools.islice(itertools.cycle(itertools.product(PLACES, ATTACKS.values())), SAMPLES * (5 if long else 1))
    texts = [place.replace("{}", attack) for place, attack in pairs]
    harm: list[str] = []
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, launched_chromium() as browser:
        root = Path(folder) / "hostile"
        with record.start(root, {"a": 1}, code_dir=None) as recording, recording.iteration(0) as iteration:
            for number, text in enumerate(texts):
                with iteration.group(number, prompt=text, env=text[:100]) as group:
                    group.add(response=f"{text}\n\nstill here: {number}", reward=1.0, golden_answers={"a": text})
        with serving(root, env={"ROLLSCOPE_INDEX_DIR": f"{folder}/index"}) as server:
            page = browser.new_page()
            page.on("dialog", lambda dialog: _refuse(dialog, harm))
            page.on("request", lambda request: _note(request.url, server.url, harm))
            page.on("framenavigated", lambda frame: harm.append(f"frame {frame.url}") if frame.parent_frame else None)
            for number in range(len(texts)):
                _open(page, f"{server.url}?step=0&sample={number}", number, harm)
    if harm:
        raise Violation(f"{len(harm)} effects, the first: {harm[0]}")
    return [
        ("hostile samples opened in Chromium", f"{len(texts)}: {len(ATTACKS)} attacks in {len(PLACES)} surroundings"),
        ("dialogs, requests to others, frames, live elements", "0"),
    ]


def _refuse(dialog: Dialog, harm: list[str]) -> None:
    harm.append(f"dialog {dialog.message}")
    dialog.dismiss()


def _note(url: str, own: str, harm: list[str]) -> None:
    if not url.startswith((own, "data:image/", "blob:")):
        harm.append(f"request {url}")


def _open(page: Page, url: str, number: int, harm: list[str]) -> None:
    page.goto(url)
    article = page.get_by_role("article")
    article.get_by_text(f"still here: {number}").first.wait_for()
    if count := article.locator(ALIVE).count():
        harm.append(f"{count} live elements in sample {number}")
    handlers = "all => all.filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length"
    if count := article.locator("*").evaluate_all(handlers):
        harm.append(f"{count} handlers in sample {number}")
