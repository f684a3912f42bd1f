"""The page's lines of the table: a real Chromium on a real server, measured from inside the page.

Frames are counted beside the same page standing still, since on a shared machine that too may miss some. What the
page's main thread computes for a frame is counted too: it depends on the page and hardly on who shares the machine.
"""

from __future__ import annotations

import http.client
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page
from tests.chromium import launched_chromium

from bench.http_client import Running, once, rollscope
from bench.measure import Row, private_megabytes
from bench.page_data import (
    CHARTS,
    COUNTS,
    HUGE,
    LARGE,
    LIST_SAMPLES,
    POINTS,
    SIZES,
    SMALL,
    STEPS,
    last_words,
    write_page_runs,
)

VIEWPORT = {"width": 1600, "height": 1000}
PATIENCE_MS = 60_000
FRAME_MS = 1000 / 60
#: A list scrolled by hand moves about this fast; dragged by its scrollbar it passes from end to end in the same time.
PIXELS_PER_SECOND = 3_000
SCROLL_MS = 3_000
STILL_MS = 1_000
#: One frame in twenty may be late before it is said to be.
FRAMES_BAR = 57.0
#: Key presses before those that count: the first ones load what formats text.
WARM_UP = 4
#: From one key press to the next, as of someone who looks at each sample.
BETWEEN_KEYS_MS = 250
#: What may still come after the text is there: measuring, prefetching, formulas.
SETTLE_MS = 1_500

#: What the page says of itself. Times are of its own clock; a text is painted when the frame that has it is done.
PROBE = """
window.bench = (() => {
  const longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries())).observe({ type: "longtask", buffered: true });

  const afterPaint = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now());
    channel.port2.postMessage(null);
  }));

  /** Frame times while the element goes `pixels` further (or the whole way, for null) in that many milliseconds. */
  const scroll = (element, pixels, milliseconds) => new Promise((done) => {
    const from = element.scrollTop;
    const way = pixels ?? element.scrollHeight - element.clientHeight - from;
    const frames = [];
    const step = (now) => {
      frames.push(now);
      const part = Math.min(1, (now - frames[0]) / milliseconds);
      if (way) element.scrollTop = from + way * part;
      if (part < 1) requestAnimationFrame(step);
      else done(frames);
    };
    requestAnimationFrame(step);
  });

  /** From the next key press until the sample's text has these words. */
  let arrival;
  const watch = (words) => {
    arrival = new Promise((done) => {
      addEventListener("keydown", (event) => {
        const look = () => {
          const text = document.querySelector("[aria-label='Sample text'], [aria-label='Raw text']")?.textContent;
          if (!text?.includes(words)) return;
          observer.disconnect();
          afterPaint().then((end) => done({ start: event.timeStamp, milliseconds: end - event.timeStamp }));
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { childList: true, characterData: true, subtree: true });
      }, { capture: true, once: true });
    });
  };
  const arrived = () => arrival;

  /** The longest time since then in which the page could neither paint nor listen. */
  const longestTask = (since) =>
    Math.max(0, ...longTasks.filter((task) => task.startTime >= since).map((task) => task.duration));

  const loadedBefore = (time) => performance.getEntriesByType("resource")
    .filter(({ name, startTime }) => /\\.(js|css)$/.test(new URL(name).pathname) && startTime <= time)
    .map(({ name }) => name);
  const firstPaint = () => performance.getEntriesByName("first-contentful-paint")[0].startTime;

  return { scroll, watch, arrived, longestTask, loadedBefore, firstPaint };
})();
"""


class Frames(NamedTuple):
    per_second: float
    #: Share of the frames that should have been.
    dropped: float
    #: Milliseconds of processor time the page's main thread took for each.
    computed: float


class MainThread:
    """Processor time that the page's main thread takes from now on."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._start = self._total()

    def milliseconds(self) -> float:
        return self._total() - self._start

    def _total(self) -> float:
        seconds = {item["name"]: item["value"] for item in self._session.send("Performance.getMetrics")["metrics"]}
        return float(seconds["ThreadTime"]) * 1e3


def page_speed(data: Path) -> Iterator[Row]:
    root = write_page_runs(data / "page")
    with rollscope(root, data / "page-index") as server, launched_chromium() as browser:
        for run in ("list", "steps", "texts", "charts"):
            once(server.port, f"/api/runs/{run}/steps?wait=60")
        yield _bundle(browser, server)
        yield from _long_lists(browser, server)
        yield _next_sample(browser, server, SMALL, "10 KB", 50)
        yield _next_sample(browser, server, LARGE, "1 MB", 200)
        yield from _huge_response(browser, server)
        yield from _charts(browser, server)
        memory = private_megabytes(server.pid)
    yield Row("server's private memory after all this", f"{memory:.0f} MB", "", None, "≤ 300 MB", memory <= 300)


@contextmanager
def _opened(browser: Browser, server: Running, query: str) -> Iterator[Page]:
    """A fresh window with nothing remembered, at this view."""
    context = browser.new_context(viewport=VIEWPORT, color_scheme="light", locale="en-GB")
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(PROBE)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/?{query}")
    try:
        yield page
    finally:
        context.close()


def _wait_for_sample(page: Page, step: int, sample: int) -> None:
    page.get_by_role("article", name=f"Sample train/{step}/{sample}", exact=True).wait_for()
    page.get_by_text(last_words(step, sample)).first.wait_for()


# --- first paint ------------------------------------------------------------------------------------------------------


def _bundle(browser: Browser, server: Running) -> Row:
    """Scripts and styles the browser had asked for when it first painted something, as the server compresses them."""
    with _opened(browser, server, f"run=texts&step={SMALL}&sample=0") as page:
        _wait_for_sample(page, SMALL, 0)
        first = page.evaluate("bench.loadedBefore(bench.firstPaint())")
        read = page.evaluate("bench.loadedBefore(performance.now())")
        milliseconds = page.evaluate("bench.firstPaint()")
    size = sum(_compressed_size(server, url) for url in first) / 1e3
    until_read = sum(_compressed_size(server, url) for url in read) / 1e3
    return Row(
        f"scripts and styles before first paint ({len(first)} files, gzip)",
        f"{size:.0f} KB",
        f"{until_read:.0f} KB until a sample is read; painted after {milliseconds:.0f} ms",
        None,
        "≤ 400 KB",
        size <= 400,
    )


def _compressed_size(server: Running, url: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", urlsplit(url).path, headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    size = len(answer.read())
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{url} answered {answer.status}")
    return size


# --- frames -----------------------------------------------------------------------------------------------------------


def _long_lists(browser: Browser, server: Running) -> Iterator[Row]:
    with _opened(browser, server, "run=list") as page:
        page.get_by_role("treeitem").nth(5).wait_for()
        yield from _scrolled(page, f"{LIST_SAMPLES:,} samples in groups", "[role=tree]")
    with _opened(browser, server, "run=list&list=samples") as page:
        page.get_by_role("option").nth(5).wait_for()
        yield from _scrolled(page, f"{LIST_SAMPLES:,} samples in one list", "[role=listbox][aria-label=Samples]")
    with _opened(browser, server, "run=steps&step=0") as page:
        page.get_by_role("button", name="All steps").click()
        page.get_by_role("listbox", name="Steps").get_by_role("option").nth(5).wait_for()
        yield from _scrolled(page, f"{STEPS:,} steps", "[role=listbox][aria-label=Steps]")


def _charts(browser: Browser, server: Running) -> Iterator[Row]:
    with _opened(browser, server, "run=charts&page=metrics") as page:
        page.locator("figure canvas").nth(5).wait_for()
        box = "section[aria-label=Charts]"
        what = f"{CHARTS} charts of {POINTS:,} points"
        still = _frames(page, box, 0, STILL_MS)
        yield _frames_row(f"{what}, scrolled from end to end, loading", _frames(page, box, None, SCROLL_MS), still)
        page.wait_for_timeout(SETTLE_MS)
        height = page.evaluate(f"document.querySelector('{box}').scrollTop")
        yield _frames_row(f"{what}, scrolled back", _frames(page, box, -height, SCROLL_MS), still)


def _scrolled(page: Page, what: str, scroller: str) -> Iterator[Row]:
    page.wait_for_timeout(SETTLE_MS)
    still = _frames(page, scroller, 0, STILL_MS)
    by_hand = _frames(page, scroller, PIXELS_PER_SECOND * SCROLL_MS / 1000, SCROLL_MS)
    yield _frames_row(f"{what}, scrolled", by_hand, still)
    yield _frames_row(f"{what}, dragged from end to end", _frames(page, scroller, None, SCROLL_MS), still)


def _frames(page: Page, scroller: str, pixels: float | None, milliseconds: int) -> Frames:
    clock = MainThread(page)
    times: list[float] = page.evaluate(
        "([selector, pixels, milliseconds]) => bench.scroll(document.querySelector(selector), pixels, milliseconds)",
        [scroller, pixels, milliseconds],
    )
    computed = clock.milliseconds()
    gaps = [later - earlier for earlier, later in pairwise(times)]
    missing = sum(max(0, round(gap / FRAME_MS) - 1) for gap in gaps)
    return Frames(
        len(gaps) * 1000 / (times[-1] - times[0]), missing / (missing + len(gaps)), computed / max(1, len(gaps))
    )


def _frames_row(what: str, found: Frames, still: Frames) -> Row:
    return Row(
        what,
        f"{found.per_second:.1f} frames/s, {found.dropped:.1%} dropped, {found.computed:.1f} ms computing each",
        f"standing still {still.per_second:.1f}, {still.dropped:.1%}, {still.computed:.1f} ms",
        None,
        f"60 frames/s (≥ {FRAMES_BAR:g})",
        found.per_second >= FRAMES_BAR,
    )


# --- text -------------------------------------------------------------------------------------------------------------


def _next_sample(browser: Browser, server: Running, step: int, size: str, bar_ms: float) -> Row:
    taken: list[float] = []
    with _opened(browser, server, f"run=texts&step={step}&sample=0") as page:
        _wait_for_sample(page, step, 0)
        for sample in range(1, COUNTS[step]):
            page.wait_for_timeout(BETWEEN_KEYS_MS)
            _, milliseconds = _press(page, "n", last_words(step, sample))
            if sample == WARM_UP:
                clock = MainThread(page)
            elif sample > WARM_UP:
                taken.append(milliseconds)
        computed = clock.milliseconds() / len(taken)
    p95 = _p95(taken)
    return Row(
        f"next sample of {size} by key, to painted text, 95th percentile of {len(taken)}",
        f"{p95:.0f} ms",
        f"median {statistics.median(taken):.0f} ms; {computed:.0f} ms computing each, with what is fetched ahead",
        None,
        f"≤ {bar_ms:g} ms ({min(taken):.0f}–{max(taken):.0f})",
        p95 <= bar_ms,
    )


def _huge_response(browser: Browser, server: Running) -> Iterator[Row]:
    """From the step before it by a key, so that the page's own start is not part of what is measured."""
    size = f"{SIZES[HUGE] / 1e6:g} MB"
    with _opened(browser, server, f"run=texts&step={LARGE}&sample=0") as page:
        _wait_for_sample(page, LARGE, 0)
        page.wait_for_timeout(SETTLE_MS)
        for what, key in (("response opens", "N"), ("response opens as raw text", "s")):
            start, milliseconds = _press(page, key, last_words(HUGE, 0))
            page.wait_for_timeout(SETTLE_MS)
            longest = page.evaluate("bench.longestTask", start)
            yield Row(
                f"a {size} {what}: longest freeze",
                f"{longest:.0f} ms",
                f"its end painted after {milliseconds:.0f} ms",
                None,
                "≤ 200 ms",
                longest <= 200,
            )


def _press(page: Page, key: str, words: str) -> tuple[float, float]:
    """When the key was pressed by the page's clock, and the milliseconds until these words were painted."""
    page.evaluate("bench.watch", words)
    page.keyboard.press(key)
    found = page.evaluate("bench.arrived()")
    return found["start"], found["milliseconds"]


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[18]
