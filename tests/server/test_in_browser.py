"""The token, the policy and other sites' pages, as a real browser sees them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.waiting import settle
from tests.server.client import Server, serving
from tests.server.data import write_run

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A browser that has never been here."""
    with browser.new_context() as context:
        yield context.new_page()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that asks for a token."""
    run = write_run(tmp_path_factory.mktemp("served") / "run-a")
    index = tmp_path_factory.mktemp("index")
    with serving(run, host="0.0.0.0", env={"ROLLSCOPE_INDEX_DIR": str(index)}) as server:
        yield server


@contextmanager
def other_site(html: str) -> Iterator[str]:
    """A page of somebody else's: 127.0.0.1 is another site than localhost."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = html.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name in the base class
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


#: Puts an element that loads something into the page; "refused" when it does not load.
LOADED = """([tag, url]) => new Promise(done => {
    const element = document.createElement(tag);
    element.onload = () => done("loaded");
    element.onerror = () => done("refused");
    element.src = url;
    document.body.append(element);
})"""


def wait_for_app(page: Page) -> None:
    page.wait_for_selector("#root > *")


def test_the_printed_address_opens_the_page_and_loses_its_token(guarded: Server, page: Page) -> None:
    page.goto(guarded.url)
    wait_for_app(page)
    assert "token" not in page.url
    page.reload()
    wait_for_app(page)
    assert page.evaluate("document.cookie") == ""


def test_without_a_token_one_can_be_pasted(guarded: Server, page: Page) -> None:
    answer = page.goto(f"http://localhost:{guarded.port}/")
    assert answer.status == 401
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Open").click()
    page.get_by_text("not the right one").wait_for()
    page.get_by_label("Token").fill(guarded.token or "")
    page.get_by_role("button", name="Open").click()
    wait_for_app(page)
    assert "token" not in page.url


def test_a_link_on_another_site_leads_to_the_page(guarded: Server, page: Page) -> None:
    page.goto(guarded.url)
    wait_for_app(page)
    with other_site(f'<a href="http://localhost:{guarded.port}/?x=1">look at this</a>') as url:
        page.goto(url)
        page.get_by_text("look at this").click()
        wait_for_app(page)


def test_another_site_can_neither_read_nor_change_nor_frame(guarded: Server, page: Page) -> None:
    page.goto(guarded.url)
    wait_for_app(page)
    target = f"http://localhost:{guarded.port}"
    with other_site("<title>other</title>") as url:
        page.goto(url)
        for options in ("{}", "{mode: 'no-cors'}", "{credentials: 'include'}", "{method: 'POST', mode: 'no-cors'}"):
            got = page.evaluate(
                f"fetch('{target}/api/runs', {options}).then(r => r.text().then(t => r.type + t)).catch(e => 'refused')"
            )
            assert "run-a" not in got
        assert page.evaluate(LOADED, ["iframe", f"{target}/"]) != "refused"
        assert page.frames[-1].locator("#root").count() == 0
        assert page.evaluate(LOADED, ["script", f"{target}/api/runs"]) == "refused"
        assert page.evaluate(LOADED, ["img", f"{target}/favicon.svg"]) == "refused"


def test_the_page_keeps_to_its_policy_and_to_its_server(guarded: Server, page: Page) -> None:
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(guarded.url)
    wait_for_app(page)
    page.wait_for_load_state("load")
    assert not [text for text in said if "Content Security Policy" in text or "Refused" in text], said
    assert all(url.startswith((f"http://localhost:{guarded.port}/", "data:", "blob:")) for url in asked), asked


def test_inline_script_does_not_run(guarded: Server, page: Page) -> None:
    page.goto(guarded.url)
    wait_for_app(page)
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);"
        " const d = document.createElement('div'); d.innerHTML = '<img src=x onerror=\"window.ran = 1\">';"
        " document.body.append(d); }"
    )
    settle(page)
    assert page.evaluate("window.ran") is None
