"""Waiting for what a page will show, for as long as a busy machine takes: never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from playwright.sync_api import Page

T = TypeVar("T")

#: A shared machine may stall; what never comes fails all the same.
PATIENCE_MS = 60_000


def eventually(page: Page, read: Callable[[], T], holds: Callable[[T], bool]) -> T:
    """What `read` gives as soon as `holds` is true of it; what it gave last where that never comes."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while True:
        found = read()
        if holds(found) or time.monotonic() > deadline:
            return found
        page.wait_for_timeout(50)  # Playwright hears of the page's events only while it waits


def eventually_equal(page: Page, read: Callable[[], object], wanted: object) -> None:
    found = eventually(page, read, lambda value: value == wanted)
    assert found == wanted, f"it stayed {found!r}"


def settle(page: Page) -> None:
    """Until nothing is being loaded and everything that was scheduled for the next two frames is drawn."""
    page.wait_for_load_state("networkidle")
    page.evaluate("() => document.fonts.ready")
    page.evaluate(
        "() => Promise.all(document.getAnimations().filter(a => a.effect?.getComputedTiming().iterations !== Infinity)"
        ".map(a => a.finished.catch(() => null)))"
    )
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
    )
