"""Colours that say what they mean at a glance, and names that are told apart."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.charted import write_charted_run
from tests.browser.conftest import Served
from tests.browser.school import write_school
from tests.browser.waiting import settle
from tests.fixtures import fixture_path
from tests.server.client import Server

pytestmark = pytest.mark.browser

#: The pixel that an element's background paints, whatever colour space its style names.
PIXEL = """dot => {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(dot).backgroundColor;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_school(tmp_path_factory.mktemp("colours") / "school"))


def lightness_and_hue(dot: Locator) -> tuple[float, float, float]:
    """(L, a, b) in OKLab: lightness, green to red, blue to yellow."""
    expect(dot).to_be_visible()
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in dot.evaluate(PIXEL))
    )
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def dot(page: Page, field: str, value: str, sample: int) -> Locator:
    return page.get_by_title(f"{field} {value} · sample {sample}", exact=True)


def test_the_middle_of_the_light_scale_is_light_and_its_ends_are_red_and_green(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=1")
    low, middle, high = (
        lightness_and_hue(dot(page, "reward", value, sample)) for value, sample in (("0", 4), ("0.5", 6), ("1", 7))
    )
    assert middle[0] == pytest.approx(0.8, abs=0.04)
    assert middle[0] > max(low[0], high[0]) + 0.1
    assert math.degrees(math.atan2(middle[2], middle[1])) == pytest.approx(95, abs=12)
    assert low[1] > 0.1 > -0.1 > high[1]


def test_a_small_advantage_is_told_from_none_and_none_is_grey(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=1")
    none, above, below = (
        lightness_and_hue(dot(page, "advantage", value, sample))
        for value, sample in (("0", 0), ("0.063", 6), ("−0.188", 5))
    )
    assert math.hypot(*none[1:]) < 0.03
    assert above[1] < -0.02
    assert below[1] > 0.02
    assert min(math.dist(none, above), math.dist(none, below)) > 0.03


def test_blue_is_good_and_orange_is_bad_in_the_colour_blind_palette(page: Page, school: Server) -> None:
    page.goto(f"{school.url}?step=1")
    page.get_by_role("button", name="Appearance and help").click()
    page.get_by_role("button", name=re.compile("^Colour-blind safe")).click()
    page.keyboard.press("Escape")
    bad, good = lightness_and_hue(dot(page, "reward", "0", 4)), lightness_and_hue(dot(page, "reward", "1", 7))
    assert good[2] < -0.05
    assert bad[1] > 0.05
    assert bad[2] > 0.05


def test_long_names_of_runs_are_told_apart_in_tooltips(page: Page, tmp_path: Path, serve: Served) -> None:
    names = [f"qwen3-8b-math-and-tools-lr5e-7-batch-512-seed-{seed}-with-judge" for seed in range(5)]
    for name in names:
        write_charted_run(tmp_path / name, steps=3)
    page.goto(f"{serve(tmp_path).url}?page=metrics&run={names[0]}&compare={','.join(names[1:])}")
    chart = page.get_by_role("figure", name="entropy", exact=True)
    chart.scroll_into_view_if_needed()
    expect(chart.get_by_role("slider")).to_be_visible()
    settle(page)
    chart.locator(".u-over").hover(position={"x": 60, "y": 60})
    cells = page.locator("[aria-hidden=true] td:first-child")
    expect(cells).to_have_text([f"…{seed}…" for seed in range(5)])


def test_a_telescope_run_has_the_name_that_its_config_gives(page: Page, serve: Served) -> None:
    page.goto(serve(fixture_path("telescope")).url)
    expect(page.get_by_role("button", name="grpo-math-tools")).to_be_visible()
    expect(page).to_have_title(re.compile("grpo-math-tools"))
