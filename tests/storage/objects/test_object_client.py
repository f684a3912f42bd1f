"""URLs, credentials and errors of object stores, without a store: tests/cloud talks to real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import rollscope
from rollscope.errors import MissingExtraError, UnreadableError, UsageError
from rollscope.storage.objects import object_client
from rollscope.storage.objects.object_client import is_url, listing_error, parse_url, reading_error, s3_config
from rollscope.storage.store import StoreUnavailableError


def test_urls_name_a_bucket_and_a_folder() -> None:
    url = parse_url("s3://bucket//runs/a b#1/")
    assert (url.base, url.prefix, str(url)) == ("s3://bucket", "runs/a b#1", "s3://bucket/runs/a b#1")
    assert [is_url(text) for text in ("gs://b/x", "https://h/x", "/tmp/x", "memory://x", "C://x")] == [
        True, True, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize("url", ["s3://", "s3://key:secret@bucket/x", "https://host/x?signature=1"])
def test_urls_hold_neither_users_nor_options(url: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_url(url)
    assert "secret" not in str(error.value)


def test_without_the_library_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_client, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="s3:// needs obstore") as error:
        rollscope.open("s3://bucket/run")
    assert "rollscope[cloud]" in error.value.hint


def test_credentials_come_from_variables_then_from_the_profile(tmp_path: Path) -> None:
    (tmp_path / "credentials").write_text("[lab]\naws_access_key_id = one\naws_secret_access_key = two%\n")
    (tmp_path / "config").write_text("[profile lab]\nregion = eu-west-1\nendpoint_url = http://127.0.0.1:1\n")
    files = {
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
    }
    assert s3_config({**files, "AWS_PROFILE": "lab"}) == {
        "access_key_id": "one",
        "secret_access_key": "two%",
        "endpoint": "http://127.0.0.1:1",
        "region": "eu-west-1",
    }
    # obstore reads the variables itself.
    assert s3_config({**files, "AWS_PROFILE": "lab", "AWS_ACCESS_KEY_ID": "x"}) == {"region": "us-east-1"}
    assert s3_config({**files, "AWS_EC2_METADATA_DISABLED": "true"}) == {"skip_signature": True, "region": "us-east-1"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"AWS_PROFILE": "lba"}, "no profile 'lba'"),
        ({"AWS_PROFILE": "sso"}, "by sso_session"),
        ({"AWS_PROFILE": "typo"}, "endpoint_url of the profile is no address"),
        ({"AWS_ACCESS_KEY_ID": "x", "AWS_ENDPOINT_URL": "not an address"}, "AWS_ENDPOINT_URL is no address"),
        ({"AWS_ACCESS_KEY_ID": "x", "AWS_ENDPOINT_URL": "127.0.0.1:9000"}, "AWS_ENDPOINT_URL is no address"),
        ({"AWS_ACCESS_KEY_ID": "x", "AWS_ENDPOINT_URL": "http://host:port"}, "AWS_ENDPOINT_URL is no address"),
    ],
)
def test_settings_that_cannot_be_followed_are_one_sentence(tmp_path: Path, given: dict[str, str], words: str) -> None:
    (tmp_path / "config").write_text("[profile sso]\nsso_session = x\n[profile typo]\nendpoint_url = http//h\n")
    files = {"AWS_CONFIG_FILE": str(tmp_path / "config"), "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none")}
    with pytest.raises(UnreadableError, match=words):
        s3_config({**files, "AWS_EC2_METADATA_DISABLED": "true", **given})


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("404 Not Found: <Code>NoSuchBucket</Code>", "there is no bucket s3://b"),
        ("403 Forbidden: <Code>AccessDenied</Code>", "no permission to read s3://b/runs"),
        ("400 Bad Request: <Code>ExpiredToken</Code>", "the credentials for s3://b have expired"),
        ("400 Bad Request: <Code>InvalidToken</Code>", "does not accept the credentials for s3://b"),
        ("403 Forbidden: <Code>RequestTimeTooSkewed</Code>", "the clock of this machine differs"),
        (
            "400 Bad Request: <Code>AuthorizationHeaderMalformed</Code>",
            "s3://b is in another region than AWS_REGION says",
        ),
        ("Received redirect without LOCATION, this normally indicates", "s3://b is in another region than AWS_REGION"),
        (
            "500 Internal Server Error, max_retries: 6, retry_timeout: 30s",
            "the store of s3://b had an error of its own",
        ),
        ("HTTP error: request or response body error", "the store of s3://b broke off its answer"),
        ("503 Service Unavailable: <Code>SlowDown</Code>", "the store of s3://b asked to slow down"),
        ("HTTP error: error sending request", "the store of s3://b does not answer"),
        ("something new at https://host/x?X-Amz-Signature=abc", "something new at …"),
    ],
)
def test_errors_of_stores_are_one_sentence_without_signatures(words: str, meaning: str) -> None:
    error = Exception(f"Generic S3 error: {words}\n\nDebug source:\nGeneric {{ signature: abc }}")
    said = str(listing_error(error, parse_url("s3://b/runs")))
    assert meaning in said
    assert "abc" not in said
    assert "\n" not in said
    of_a_file = reading_error(error, parse_url("s3://b/runs"), "x.jsonl")
    assert "abc" not in str(of_a_file)
    # Where it is about the whole store, no other file is tried.
    assert isinstance(of_a_file, StoreUnavailableError) == ("read" not in said)
