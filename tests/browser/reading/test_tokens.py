"""What is known of each token: coloured by meaning, a curve by position, a key to the next outlier."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import Served
from tests.server.client import Server

from rollscope import record

pytestmark = pytest.mark.browser

WORDS = [f"w{number} " for number in range(4000)]
OFF = {700: 4.0, 3200: 0.2}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_run(tmp_path_factory.mktemp("tokens") / "run"))


def write_run(path: Path) -> Path:
    """One sample of 4,000 tokens on which sampler and trainer agree, but for two."""
    run = record.start(path, {})
    with run.iteration(0) as iteration, iteration.group(prompt="Count.") as group:
        sampled = [-0.5] * len(WORDS)
        trained = [value + math.log(OFF.get(at, 1.0)) for at, value in enumerate(sampled)]
        sample = group.add(response="".join(WORDS), reward=1.0)
        sample.set_tokens(
            {"strings": WORDS, "ids": list(range(len(WORDS))), "logprobs": sampled, "trainer_logprobs": trained}
        )
    run.close()
    return path


def test_the_outlier_key_goes_from_one_mismatch_to_the_next(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?step=0&sample=0")
    page.get_by_role("button", name=re.compile("^Tokens 4,000 tokens")).click()
    page.get_by_role("radio", name="importance ratio").check()
    expect(page.get_by_role("img", name=re.compile("importance ratio by position, 0.2 to 4"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^2 beyond"))).to_be_visible()
    page.keyboard.press("o")
    under = page.get_by_role("status").filter(has_text="token ")
    expect(under).to_contain_text('token 700 "w700 " · log-probability −0.5')
    expect(under).to_contain_text("importance ratio 4")
    page.keyboard.press("o")
    expect(under).to_contain_text('token 3,200 "w3200 "')
    page.keyboard.press("o")
    expect(under).to_contain_text('token 700 "w700 "')


def test_pointing_at_the_text_says_what_is_known_of_the_token(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?step=0&sample=0")
    page.get_by_role("button", name=re.compile("^Tokens 4,000 tokens")).click()
    under = page.get_by_role("status").filter(has_text="token")
    expect(under).to_contain_text("Point at a token")
    page.keyboard.press("o")
    page.get_by_text("w0 w1 w2").last.hover(position={"x": 8, "y": 8})
    expect(under).to_contain_text('token 0 "w0 "')


def test_a_click_on_a_step_of_the_token_page_opens_it(page: Page, runs: Server) -> None:
    page.goto(f"{runs.url}?page=insights&tab=tokens")
    curve = page.get_by_role("img", name="quantiles over 1 step")
    expect(curve).to_be_visible()
    curve.locator("rect").first.click()
    expect(page).to_have_url(re.compile("step=0"))
    expect(page).to_have_title(re.compile("Rollouts"))
