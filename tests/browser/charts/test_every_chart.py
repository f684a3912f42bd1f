"""Every chart there is, scrolled through: nothing throws, nothing stays blank, flat is flat, memory stays small."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served
from tests.fixtures import DATA
from tests.server.client import Server, serving

from rollscope import record

pytestmark = pytest.mark.browser

HEAP_MB = 300
RUNS = sorted(path.name for path in DATA.iterdir() if path.is_dir())

#: Scrolls to a chart and says what is drawn: its name, the rows of its first and last coloured pixel, or what it says.
LOOK = """async (figure) => {
  // A screen at a time: each scrolling is painted in software.
  const { top, bottom } = figure.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) figure.scrollIntoView({ block: "start" });
  const frame = () => new Promise(requestAnimationFrame);
  const name = figure.querySelector("figcaption b [title]").title;
  const patience = performance.now() + 20_000;
  let ink = null;
  while (performance.now() < patience) {
    await frame();
    const words = figure.querySelector("figcaption ~ div p")?.textContent;
    if (words) return { name, words, ink: null };
    const canvas = figure.querySelector("canvas");
    const over = figure.querySelector(".u-over");
    if (!canvas || !over || canvas.width === 0) continue;
    const ratio = canvas.width / canvas.getBoundingClientRect().width;
    const [left, top, width, height] =
      [over.offsetLeft, over.offsetTop, over.offsetWidth, over.offsetHeight].map((side) => Math.round(side * ratio));
    const { data } = canvas.getContext("2d").getImageData(left, top, width, height);
    const rows = [];
    for (let i = 0; i < data.length; i += 4) {
      // Lines have colour, the grid is grey.
      const chroma = Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]);
      if (data[i + 3] > 8 && chroma > 60) rows.push(Math.floor(i / 4 / width));
    }
    if (rows.length > 0) return { name, words: null, ink: [rows[0], rows.at(-1), height] };
    if (ink === null) ink = performance.now();
    // A canvas is painted in the frame in which it is made, or soon after.
    if (performance.now() - ink > 1000) break;
  }
  return { name, words: null, ink: null };
}"""


def look_at_every_chart(page: Page, server: Server, run: str) -> list[dict[str, Any]]:
    """Scrolls through the Metrics page of one run. What stays blank though it has values, or fills memory, fails."""
    heap = page.context.new_cdp_session(page)
    heap.send("Performance.enable")
    page.goto(f"{server.url}?page=metrics&run={quote(run)}")
    figures = page.get_by_role("figure")
    expect(figures.or_(page.get_by_text("This run has no metrics")).first).to_be_visible()
    for folded in page.get_by_role("button", name=re.compile("more statistic|constant metric|logged for these")).all():
        folded.click()
    seen = [figure.evaluate(LOOK) for figure in figures.element_handles()]
    blank = [chart["name"] for chart in seen if chart["ink"] is None and chart["words"] is None]
    unexplained = [name for name in blank if has_values(server, run, name)]
    assert not unexplained, f"blank: {unexplained}"
    used = heap_mb(heap)
    assert used < HEAP_MB, f"{used:.0f} MB after {len(seen)} charts"
    return seen


def heap_mb(heap: Any) -> float:
    heap.send("HeapProfiler.collectGarbage")
    metrics = heap.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "JSHeapUsedSize")) / 1e6


def has_values(server: Server, run: str, name: str) -> bool:
    columns = server.json(f"/api/runs/{quote(run, safe='')}/series_columns", name=name)
    return any(value is not None for series in columns for value in series["values"])


def test_every_chart_of_the_demo_is_drawn(page: Page, demo: Server) -> None:
    assert len(look_at_every_chart(page, demo, demo.run_id())) > 100


@pytest.fixture(scope="module")
def trainers() -> Iterator[Server]:
    """Every trainer's runs. Charts of texts' features are the demo's: each run would have a hundred more of the same."""
    with serving(DATA, flags=["--no-features"]) as server:
        yield server


@pytest.mark.parametrize("name", RUNS)
def test_every_chart_of_every_trainers_run_is_drawn(page: Page, trainers: Server, name: str) -> None:
    server = trainers
    folder = str(DATA / name)
    runs = [run for run in server.json("/api/runs") if run["path"] == folder or run["path"].startswith(folder + "/")]
    for run in runs:
        if run["state"] != "unreadable":
            look_at_every_chart(page, server, run["id"])


#: Name of the metric -> its value at a step. All are flat to the eye.
FLAT: dict[str, Callable[[int], float]] = {
    "flat/tenth": lambda step: 0.1,
    "flat/third": lambda step: 1 / 3,
    "flat/zero": lambda step: 0.0,
    "flat/negative": lambda step: -2.3,
    "flat/learning_rate": lambda step: 4e-5,
    "flat/last_bits": lambda step: 0.7 + (step % 3) * 2e-16,
    "flat/huge": lambda step: 1e30,
    "flat/largest": lambda step: 1.5e308,
    "flat/tiny": lambda step: 1e-300,
    "flat/smallest": lambda step: 5e-324,
}


def test_a_constant_is_a_flat_line_in_the_middle_whatever_its_size(page: Page, tmp_path: Path, serve: Served) -> None:
    with record.start(tmp_path / "flat", {}) as run:
        for step in range(60):
            with run.iteration(step) as iteration:
                iteration.log_metrics({name: value(step) for name, value in FLAT.items()})
                iteration.log_metrics({"wide/all_numbers": (-1) ** step * 1.7e308, "wide/unknown": math.nan})
    server = serve(tmp_path)
    seen = {chart["name"]: chart["ink"] for chart in look_at_every_chart(page, server, server.run_id())}
    assert seen.keys() >= FLAT.keys() | {"wide/all_numbers"}
    for name in FLAT:
        first, last, height = seen[name]
        assert last - first <= 4, f"{name} is not flat: rows {first} to {last} of {height}"
        assert abs((first + last) / 2 - height / 2) <= height / 8, f"{name} is not in the middle"
