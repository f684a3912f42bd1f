"""What axe finds on the pages of charts, of the run and of search: nothing serious, in either theme."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.charted import write_charted_run
from tests.browser.conftest import VIEWPORT, Served
from tests.browser.waiting import PATIENCE_MS
from tests.fixtures import REPOSITORY
from tests.server.client import Server

pytestmark = pytest.mark.browser

AXE = REPOSITORY / "web" / "node_modules" / "axe-core" / "axe.min.js"
#: A page, and what is there when it has loaded.
PAGES = {
    "page=metrics": "slider",
    "page=run&part=config": "tabpanel",
    "page=run&part=diff": "tabpanel",
    "page=run&part=checkpoints": "table",
    "page=run&part=reports": "article",
    "page=run&part=files": "tabpanel",
    "page=run&part=skipped": "tabpanel",
    "page=run&part=about": "table",
    "page=search&q=counted": "link",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, serve: Served) -> Server:
    return serve(write_charted_run(tmp_path_factory.mktemp("accessible") / "first"))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("query", PAGES)
def test_nothing_serious(browser: Browser, run: Server, query: str, theme: Any) -> None:
    # axe is injected as an inline script, which the page's own policy rightly refuses.
    context = browser.new_context(viewport=VIEWPORT, color_scheme=theme, bypass_csp=True)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(f"{run.url}?{query}")
    expect(page.get_by_role(PAGES[query]).first).to_be_visible(timeout=PATIENCE_MS)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    context.close()
    serious = [
        (fault["id"], [node["html"] for node in fault["nodes"]])
        for fault in found
        if fault["impact"] in {"serious", "critical"}
    ]
    assert not serious
