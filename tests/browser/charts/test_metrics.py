"""The Metrics page: charts, their settings, what they leave out and say so, dashboards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser.charted import SPIKES, STEPS, UNKNOWN, write_charted_run
from tests.browser.conftest import Served
from tests.browser.waiting import eventually_equal, settle
from tests.server.client import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    root = tmp_path_factory.mktemp("runs")
    write_charted_run(root / "first")
    write_charted_run(root / "second", learning_rate=5e-7, steps=25)
    return serve(root)


def open_metrics(page: Page, server: Server, query: str = "run=first") -> None:
    page.goto(f"{server.url}?page=metrics&{query}")
    expect(page.get_by_role("region", name="rollouts")).to_be_visible()


def chart(page: Page, name: str) -> Locator:
    """The chart of that name, scrolled to and drawn."""
    figure = page.get_by_role("figure", name=name, exact=True)
    figure.scroll_into_view_if_needed()
    expect(figure.get_by_role("slider")).to_be_visible()
    return figure


def open_menu(page: Page, name: str) -> Locator:
    chart(page, name).get_by_role("button", name=re.compile("^Settings of")).click()
    return page.get_by_role("dialog", name=f"Settings of {name}")


def expect_reading(figure: Locator, text: str | re.Pattern[str]) -> None:
    expect(figure.get_by_role("slider")).to_have_attribute("aria-valuetext", text)


def save(page: Page, menu: Locator, what: str) -> Path:
    with page.expect_download() as download:
        menu.get_by_role("button", name=what).click()
    return Path(download.value.path())


def test_every_metric_has_a_chart_in_its_section(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    for section in ("rollouts", "General", "optim"):
        expect(page.get_by_role("region", name=section, exact=True)).to_be_visible()
    for name in ("reward, mean", "reward, distribution over steps", "entropy", "optim/grad_norm"):
        chart(page, name)


def test_the_catalog_is_searched_as_one_types(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    page.get_by_label("Search metrics").fill("GRAD optim")
    expect(page.get_by_role("figure")).to_have_count(1)
    expect(page.get_by_role("figure", name="optim/grad_norm")).to_be_visible()
    page.get_by_label("Search metrics").fill("no such thing")
    expect(page.get_by_text("No metric has “no such thing” in its name")).to_be_visible()


def test_a_value_that_is_not_a_number_is_said_and_not_drawn_as_zero(page: Page, runs: Server) -> None:
    open_metrics(page, runs, f"run=first&step={UNKNOWN[0]}&ema=off")
    expect_reading(chart(page, "entropy"), f"step {UNKNOWN[0]}: first NaN")


def test_a_distribution_says_that_overlaid_runs_are_not_in_it(page: Page, runs: Server) -> None:
    open_metrics(page, runs, "run=first&compare=second")
    expect(chart(page, "reward, distribution over steps").get_by_text("first only")).to_be_visible()
    expect(chart(page, "reward, mean").get_by_text("first only")).to_have_count(0)


def test_smoothing_is_the_average_of_the_url(page: Page, runs: Server) -> None:
    open_metrics(page, runs, "run=first&step=1&ema=3")
    # α = 2 / (3 + 1) = 0.5 over 2 and 1.975.
    expect_reading(chart(page, "entropy"), "step 1: first 1.99")
    page.get_by_role("button", name="EMA 3").click()
    page.get_by_text("Smooth the lines").click()
    expect(page).to_have_url(re.compile("ema=off"))
    expect_reading(chart(page, "entropy"), "step 1: first 1.98")


def test_outliers_are_left_out_and_counted_until_one_wants_them_back(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    menu = open_menu(page, "optim/grad_norm")
    expect(menu.get_by_label(re.compile("interquartile ranges outside"))).to_have_value("6")
    menu.get_by_text("Ignore outliers").click()
    figure = page.get_by_role("figure", name="optim/grad_norm")
    expect(figure.get_by_text(f"{len(SPIKES)} outliers hidden")).to_be_visible()
    table = save(page, menu, "Save as CSV").read_text().splitlines()
    assert len(table) == 1 + STEPS - len(SPIKES)

    page.reload()
    expect(chart(page, "optim/grad_norm").get_by_text(f"{len(SPIKES)} outliers hidden")).to_be_visible()
    figure.get_by_role("button", name="Show the outliers again").click()
    expect(figure.get_by_text("outliers hidden")).to_have_count(0)


def test_the_first_step_can_be_ignored(page: Page, runs: Server) -> None:
    open_metrics(page, runs, "run=first&ema=off")
    menu = open_menu(page, "loss")
    menu.get_by_text("Ignore first step").click()
    rows = save(page, menu, "Save as CSV").read_text().splitlines()
    assert rows[0] == "step,first"
    assert rows[1] == "1,1"


def test_a_range_that_cannot_be_is_said_and_not_used(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    menu = open_menu(page, "loss")
    menu.get_by_label("Y minimum").fill("5")
    menu.get_by_label("Y maximum").fill("2")
    expect(menu.get_by_role("alert")).to_have_text("The minimum must lie below the maximum.")
    menu.get_by_label("Y maximum").fill("9")
    expect(menu.get_by_role("alert")).to_have_count(0)


def test_what_never_changes_and_what_a_band_shows_is_folded_away(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    expect(chart(page, "reward, mean")).to_be_visible()
    expect(page.get_by_role("figure", name="reward, std")).to_have_count(0)
    expect(page.get_by_role("figure", name="optim/lr")).to_have_count(0)
    page.get_by_role("region", name="optim", exact=True).get_by_role("button", name="1 constant metric").click()
    expect(chart(page, "optim/lr")).to_be_visible()
    menu = open_menu(page, "reward, mean")
    expect(menu.get_by_role("button", name="Standard deviation", pressed=True)).to_be_visible()
    menu.get_by_role("button", name="Smallest to largest").click()
    page.reload()
    expect(
        open_menu(page, "reward, mean").get_by_role("button", name="Smallest to largest", pressed=True)
    ).to_be_visible()


def test_several_metrics_are_drawn_in_one_chart(page: Page, runs: Server) -> None:
    open_metrics(page, runs, "run=first&ema=off&step=2")
    menu = open_menu(page, "loss")
    menu.get_by_role("button", name="Draw other metrics in this chart").click()
    menu.get_by_label("Search the catalog").fill("grad")
    menu.get_by_title("optim/grad_norm").click()
    page.keyboard.press("Escape")
    both = chart(page, "loss and 1 more")
    expect(both.get_by_role("list", name="Lines").get_by_role("listitem")).to_have_text(["loss", "optim/grad_norm"])
    expect_reading(both, "step 2: loss 0.5, optim/grad_norm 1.09")
    table = save(page, open_menu(page, "loss and 1 more"), "Save as CSV").read_text().splitlines()
    assert table[0] == "step,loss,optim/grad_norm"

    # With another run over it, colours are runs and dashes are metrics.
    page.goto(f"{runs.url}?page=metrics&run=first&compare=second&ema=off&step=2")
    expect(chart(page, "loss and 1 more").get_by_role("listitem")).to_have_count(4)
    menu = open_menu(page, "loss and 1 more")
    menu.get_by_role("button", name="Change the metrics of this chart").click()
    menu.get_by_role("button", name="Take out optim/grad_norm").click()
    expect(page.get_by_role("figure", name="loss", exact=True)).to_be_visible()


def test_a_large_catalog_opens_on_an_overview_and_has_each_eval_once(page: Page, demo: Server) -> None:
    open_metrics(page, demo, "ema=off&step=39")
    overview = page.get_by_role("region", name="Overview")
    components = overview.get_by_role("figure", name="Reward components")
    expect(components.get_by_role("listitem").filter(has_text="correct")).to_be_visible()
    expect(overview.get_by_role("figure", name="Evals: reward").get_by_role("listitem")).to_have_count(3)
    expect(page.get_by_role("region", name="Held-out math")).to_have_count(0)
    evals = page.get_by_role("region", name="eval", exact=True)
    expect(evals.get_by_role("button", name="metrics logged for these evals")).to_be_attached()
    page.get_by_label("Search metrics").fill("grad_norm")
    expect(overview).to_have_count(0)
    expect(page.get_by_role("figure")).to_have_count(1)


def test_zero_has_no_place_on_a_logarithmic_axis_and_the_chart_says_so(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    page.get_by_role("button", name=re.compile("more statistic")).first.click()
    open_menu(page, "reward, min").get_by_text("Log scale").click()
    expect(chart(page, "reward, min").get_by_text("≤ 0 hidden")).to_be_visible()


def test_a_chart_is_saved_as_a_picture(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    picture = save(page, open_menu(page, "entropy"), "Save as PNG").read_bytes()
    assert picture.startswith(b"\x89PNG")
    width = int.from_bytes(picture[16:20], "big")
    assert width > 900


def test_a_chart_fills_the_window_and_escape_brings_the_page_back(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    open_menu(page, "entropy").get_by_role("button", name="Full screen").click()
    full = page.get_by_role("dialog", name="entropy", exact=True)
    expect(full.get_by_role("slider", name="entropy")).to_be_visible()
    expect(full.get_by_text("first")).to_be_visible()
    page.keyboard.press("Escape")
    expect(full).to_have_count(0)


def test_a_click_opens_the_rollouts_of_that_step(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    plot = chart(page, "entropy").locator(".u-over")
    settle(page)
    box = plot.bounding_box()
    assert box is not None
    plot.click(position={"x": box["width"] / 2, "y": 20})
    expect(page).to_have_url(re.compile(r"step=(19|20)\b"))
    expect(page.get_by_role("navigation", name="Pages").get_by_text("Rollouts")).to_have_attribute(
        "aria-current", "page"
    )


def test_the_keyboard_reads_a_chart_and_opens_a_step(page: Page, runs: Server) -> None:
    open_metrics(page, runs, "run=first&ema=off&step=10")
    slider = chart(page, "entropy").get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", "step 10: first 1.75")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "step 11: first 1.73")
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "step 0: first 2")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"step=0\b"))


def test_the_cursor_is_at_the_same_step_on_all_charts(page: Page, runs: Server) -> None:
    open_metrics(page, runs, "run=first&ema=off")
    page.get_by_label("Search metrics").fill("o")
    hovered, other = chart(page, "entropy"), chart(page, "optim/lr")
    hovered.locator(".u-over").hover(position={"x": 40, "y": 30})
    expect(page.get_by_text(re.compile(r"^step \d+$"))).to_be_visible()
    expect(other.get_by_text("4.00e−5")).to_be_visible()


def test_runs_lie_over_each_other_each_with_its_own_values(page: Page, runs: Server) -> None:
    open_metrics(page, runs, "run=first&compare=second&ema=off&step=20")
    expect_reading(chart(page, "optim/lr"), "step 20: first 4.00e−5, second 5.00e−7")
    rows = save(page, open_menu(page, "optim/lr"), "Save as CSV").read_text().splitlines()
    assert rows[0] == "step,first,second"
    assert rows[25] == "24,0.00004,5e-7"
    assert rows[26] == "25,0.00004,"


def test_nothing_after_the_max_step_is_drawn(page: Page, runs: Server) -> None:
    open_metrics(page, runs, "run=first&ema=off")
    page.get_by_label("Max step").fill("9")
    expect(page).to_have_url(re.compile("max=9"))
    rows = save(page, open_menu(page, "loss"), "Save as CSV").read_text().splitlines()
    assert len(rows) == 1 + 10


def test_the_x_axis_can_be_the_clock_or_the_time_since_the_start(page: Page, runs: Server) -> None:
    open_metrics(page, runs, "run=first&ema=off&step=2")
    page.get_by_role("button", name="Step", exact=True).click()
    page.get_by_role("button", name="Relative time").click()
    expect(page).to_have_url(re.compile("x=relative"))
    expect_reading(chart(page, "loss"), "2:00: first 0.5")
    page.get_by_role("button", name="Relative time").click()
    page.get_by_role("button", name="Wall time").click()
    expect_reading(chart(page, "loss"), re.compile(r"^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d: first 0\.5$"))


def test_dragging_across_a_chart_zooms_all_of_them(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    plot = chart(page, "reward, mean").locator(".u-over")
    settle(page)
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 30, steps=6)
    page.mouse.up()
    page.get_by_role("button", name="Zoomed").click()
    expect(page.get_by_role("button", name="Zoomed")).to_have_count(0)


def test_a_section_folds_and_stays_so(page: Page, runs: Server) -> None:
    open_metrics(page, runs)
    page.get_by_role("button", name="Fold optim").click()
    expect(page.get_by_role("figure", name="optim/lr")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Unfold optim")).to_be_visible()
    expect(page.get_by_role("figure", name="optim/lr")).to_have_count(0)


def names(scope: Page | Locator) -> list[str | None]:
    return [figure.get_attribute("aria-label") for figure in scope.get_by_role("figure").all()]


def make_dashboard(page: Page, server: Server, name: str, *plots: str) -> None:
    open_metrics(page, server)
    page.get_by_role("button", name="All metrics").click()
    page.get_by_role("button", name="New dashboard…").click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create").click()
    page.get_by_role("button", name="Add charts").click()
    for plot in plots:
        page.get_by_label("Search the catalog").fill(plot)
        page.get_by_role("dialog", name="Add charts").get_by_title(plot, exact=True).click()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Saved on the server")).to_be_visible()


def test_a_dashboard_is_kept_on_the_server_for_every_browser(page: Page, runs: Server) -> None:
    make_dashboard(page, runs, "Health", "entropy", "optim/grad_norm", "entropy")
    section = page.get_by_role("region", name="Charts", exact=True).last
    eventually_equal(page, lambda: names(section), ["entropy", "optim/grad_norm", "entropy"])
    assert [entry["name"] for entry in runs.json("/api/dashboards")] == ["Health"]

    another = page.context.browser.new_context() if page.context.browser else page.context
    colleague = another.new_page()
    colleague.goto(page.url)
    expect(colleague.get_by_role("figure")).to_have_count(3)
    another.close()

    page.get_by_role("button", name="Health").click()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("button", name="All metrics")).to_be_visible()
    eventually_equal(page, lambda: runs.json("/api/dashboards"), [])


def test_charts_of_a_dashboard_move_by_keyboard_and_by_drag(page: Page, runs: Server) -> None:
    make_dashboard(page, runs, "Moves", "entropy", "loss", "optim/lr")
    page.get_by_role("button", name="Move entropy").focus()
    page.keyboard.press("Space")
    expect(page.get_by_text("Lifted entropy, 1 of 3 in Charts.")).to_be_attached()
    settle(page)  # The lifted chart takes keys from the next turn of the event loop on.
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("entropy is over place 2 of 3 in Charts.")).to_be_attached()
    page.keyboard.press("Space")
    expect(page.get_by_role("figure").first).to_have_attribute("aria-label", "loss")

    page.get_by_role("button", name="Add a section").click()
    empty = page.get_by_text("Add charts, or drag one here.")
    expect(empty).to_be_visible()
    page.get_by_role("figure", name="loss").hover()
    settle(page)
    target = empty.bounding_box()
    handle = page.get_by_role("button", name="Move loss").bounding_box()
    assert target is not None
    assert handle is not None
    page.mouse.move(handle["x"] + 5, handle["y"] + 8)
    page.mouse.down()
    page.mouse.move(handle["x"] + 30, handle["y"] + 40, steps=5)
    page.mouse.move(target["x"] + 120, target["y"] + 25, steps=10)
    page.mouse.up()
    expect(page.get_by_role("region", name="New section").get_by_role("figure", name="loss")).to_be_visible()
    expect(page.get_by_text("Saved on the server")).to_be_visible()
    page.reload()
    expect(page.get_by_role("region", name="New section").get_by_role("figure", name="loss")).to_be_visible()
