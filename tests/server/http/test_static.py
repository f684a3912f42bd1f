"""The page: its document for every address, its files, its place below a prefix."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp
from tests.server.asgi import ask

from rollscope.server.http.errors import EXCEPTION_HANDLERS
from rollscope.server.http.static import static_page, with_base

DOCUMENT = b'<!doctype html><html><head><script type="module" src="./assets/app-1234.js"></script></head></html>'
SCRIPT = b"console.log('rollscope');" * 200


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "static" / "assets").mkdir(parents=True)
    (tmp_path / "static" / "index.html").write_bytes(DOCUMENT)
    (tmp_path / "static" / "favicon.svg").write_bytes(b"<svg/>")
    (tmp_path / "static" / "assets" / "app-1234.js").write_bytes(SCRIPT)
    (tmp_path / "secret.txt").write_text("secret")
    return tmp_path / "static"


def served(built: Path, base_path: str = "") -> ASGIApp:
    """The page as the server has it, with its errors answered, and nothing else."""
    return Starlette(routes=[Mount("", static_page(base_path, built))], exception_handlers=EXCEPTION_HANDLERS)


@pytest.mark.parametrize("path", ["/", "/index.html", "/run-a/train/12", "/run-0.5/eval/x.y/3", "/assets", "/apix"])
def test_every_address_that_is_no_file_is_the_page(built: Path, path: str) -> None:
    sent = ask(served(built), path)
    assert sent.status == 200
    assert sent.headers["content-type"] == "text/html; charset=utf-8"
    assert sent.headers["cache-control"] == "no-cache"
    assert b'<base href="/" />' in sent.body


def test_the_document_says_where_it_is_served(built: Path) -> None:
    assert b'<head>\n    <base href="/absproxy/8080/" />' in ask(served(built, "/absproxy/8080"), "/a/b").body
    assert b'href="&quot;&gt;/"' in with_base(DOCUMENT, '">')


def test_files_named_by_their_content_are_kept_for_ever(built: Path) -> None:
    page = served(built)
    script = ask(page, "/assets/app-1234.js")
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in script.headers["cache-control"]
    assert script.body == SCRIPT
    assert ask(page, "/favicon.svg").headers["cache-control"] == "no-cache"
    assert ask(page, "/favicon.svg").headers["content-type"] == "image/svg+xml"


def test_an_asset_of_an_earlier_build_is_not_the_page(built: Path) -> None:
    assert ask(served(built), "/assets/app-0000.js").status == 404


def test_files_are_compressed_and_revalidated(built: Path) -> None:
    page = served(built)
    packed = ask(page, "/assets/app-1234.js", accept_encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == SCRIPT
    again = ask(page, "/assets/app-1234.js", if_none_match=packed.headers["etag"])
    assert (again.status, again.body) == (304, b"")


def test_a_new_build_is_served_at_once(built: Path) -> None:
    page = served(built)
    before = ask(page, "/")
    (built / "index.html").write_bytes(DOCUMENT.replace(b"1234", b"56789"))
    after = ask(page, "/", if_none_match=before.headers["etag"])
    assert after.status == 200
    assert b"app-56789.js" in after.body


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/assets/../../secret.txt", "//secret.txt", "/a\0b", "/" + "x" * 5_000]
)
def test_nothing_outside_the_page_is_served(built: Path, path: str) -> None:
    sent = ask(served(built), path)
    assert b"secret" not in sent.body


def test_a_link_out_of_the_page_is_not_followed(built: Path) -> None:
    (built / "link.txt").symlink_to(built.parent / "secret.txt")
    assert b"secret" not in ask(served(built), "/link.txt").body


def test_a_page_that_is_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    sent = ask(served(tmp_path), "/")
    assert sent.status == 503
    assert b"npm run build" in sent.body


def test_only_reading_is_possible(built: Path) -> None:
    assert ask(served(built), "/", "POST").status == 405
    assert ask(served(built), "/", "HEAD").status == 200
