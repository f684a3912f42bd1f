"""Connections to object stores: which URL means which store, with whose credentials, and what their errors mean.

Credentials come from where each store's own tools look for them (variables, profiles, the machine's role), are handed to
the library that talks to the store and kept nowhere else. A URL names a place and nothing more: no user, no options.
"""

from __future__ import annotations

import errno
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from rollscope.errors import MissingExtraError, UnreadableError, UsageError
from rollscope.storage.store import FileChanged, StoreUnavailableError

SCHEMES = ("s3", "gs", "az", "http", "https", "hf")
#: What the Hub keeps beside models, whose names have no such word before them.
_HUB_KINDS = ("datasets", "spaces", "buckets")
#: Tries of a request that failed for a moment (429, 5xx, a broken connection), with growing pauses, and all in all.
RETRIES = 6
RETRY_SECONDS = 30
#: Before an answer that broke off is asked for again, in seconds.
BROKEN_PAUSES = (0.2, 1.0, 3.0)
T = TypeVar("T")


class Url(Struct, frozen=True):
    scheme: str
    #: The bucket, container or host.
    bucket: str
    #: What comes behind it, without slashes around it.
    prefix: str

    @property
    def base(self) -> str:
        return f"{self.scheme}://{self.bucket}"

    def __str__(self) -> str:
        return f"{self.base}/{self.prefix}" if self.prefix else self.base


def is_url(address: str) -> bool:
    return address.partition("://")[0] in SCHEMES and "://" in address


def parse_url(address: str) -> Url:
    scheme, _, rest = address.partition("://")
    bucket, _, prefix = rest.partition("/")
    if scheme == "hf":
        parts = rest.split("/")
        length = 3 if parts[0] in _HUB_KINDS else 2
        if parts[length - 1 : length] and parts[length - 1].endswith("@refs"):
            length += 2  # a pull request or a converted copy: refs/pr/1, refs/convert/parquet
        if len([part for part in parts[:length] if part]) < length:
            raise UsageError("hf:// names no repository", hint="for example hf://datasets/USER/REPOSITORY/runs")
        bucket, prefix = "/".join(parts[:length]), "/".join(parts[length:])
        return Url(scheme, bucket, "/".join(part for part in prefix.split("/") if part))
    if not bucket:
        raise UsageError(f"{scheme}:// names no bucket", hint=f"for example {scheme}://BUCKET/runs")
    if "@" in bucket:
        raise UsageError(
            f"a {scheme}:// URL holds no user or password", hint="the store's usual variables and files have them"
        )
    if "?" in rest and scheme in ("http", "https"):
        raise UsageError("a URL of a run has no options behind a question mark", hint="give the folder's own address")
    return Url(scheme, bucket, "/".join(part for part in prefix.split("/") if part))


_clients: dict[tuple[str, tuple[tuple[str, str], ...]], Any] = {}
_lock = threading.Lock()


def client_of(url: Url) -> Any:
    """The process's one connection to this bucket; another one when the credentials in the environment changed."""
    if url.scheme == "hf":
        return hub_of(url)
    if find_spec("obstore") is None:
        raise MissingExtraError(
            f"{url.scheme}:// needs obstore, which is not installed", hint="pip install 'rollscope[cloud]'"
        )
    given = tuple(sorted((k, v) for k, v in os.environ.items() if k.startswith(("AWS_", "GOOGLE_", "AZURE_"))))
    with _lock:
        client = _clients.get((url.base, given))
        if client is None:
            client = _clients[url.base, given] = _connect(url)
        return client


def hub_of(url: Url) -> Any:
    """The Hub's file system, which finds the token where `hf auth login` or HF_TOKEN put it."""
    if find_spec("huggingface_hub") is None:
        raise MissingExtraError(
            f"{url.scheme}:// needs huggingface_hub, which is not installed", hint="pip install 'rollscope[hub]'"
        )
    import logging  # only those who open the Hub wait for it

    from huggingface_hub import HfFileSystem

    if not os.environ.get("HF_HUB_VERBOSITY"):
        # Each repeated request would be a line of its own, between the lines of an answer or across the terminal viewer.
        logging.getLogger("huggingface_hub.utils._http").setLevel(logging.ERROR)
    return HfFileSystem(endpoint=os.environ.get("HF_ENDPOINT"))


def _connect(url: Url) -> Any:
    from obstore.exceptions import BaseError
    from obstore.store import AzureStore, GCSStore, HTTPStore, S3Store

    options: dict[str, Any] = {"timeout": "60s", "connect_timeout": "5s", "allow_http": True}
    retry: Any = {"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_SECONDS)}
    shared: dict[str, Any] = {"client_options": options, "retry_config": retry}
    try:
        if url.scheme == "s3":
            return S3Store(url.bucket, **s3_config(os.environ), **shared)
        if url.scheme == "gs":
            return GCSStore(url.bucket, **shared)
        if url.scheme == "az":
            return AzureStore(url.bucket, **shared)
        return HTTPStore.from_url(url.base, **shared)
    except (BaseError, ValueError) as error:
        raise UnreadableError(f"{url} cannot be opened: {_first_line(error)}", hint=_HINTS[url.scheme]) from None


def s3_config(environment: Mapping[str, str]) -> dict[str, Any]:
    """What obstore does not find itself: profiles, and that a bucket may be open to everybody."""
    found: dict[str, Any] = {}
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    if not environment.get("AWS_ACCESS_KEY_ID"):
        profile = _profile(environment)
        names = {"aws_access_key_id", "aws_secret_access_key", "aws_session_token"}
        found |= {name.removeprefix("aws_"): profile[name] for name in names if profile.get(name)}
        if profile.get("endpoint_url") and not environment.get("AWS_ENDPOINT_URL"):
            found["endpoint"] = profile["endpoint_url"]
        region = region or profile.get("region")
        if "access_key_id" not in found and not _has_role(environment):
            other = next((name for name in _OTHER_WAYS if profile.get(name)), None)
            if other is not None:
                raise UnreadableError(
                    f"the profile of AWS gets its credentials by {other}, which Rollscope does not do itself",
                    hint='eval "$(aws configure export-credentials --format env)" puts them where it looks',
                )
            found["skip_signature"] = True
    for variable in _ENDPOINTS:
        _check_endpoint(variable, environment.get(variable, ""))
    _check_endpoint("endpoint_url of the profile", found.get("endpoint", ""))
    found["region"] = region or "us-east-1"
    return found


#: Where obstore finds the address of an S3 server.
_ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT")
#: Profiles without keys: whoever may ask for them, a login, a program.
_OTHER_WAYS = ("role_arn", "sso_session", "sso_start_url", "credential_process", "login_session")


def _check_endpoint(name: str, value: str) -> None:
    """The library ends the thread, and says so in many lines, where this is no address."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(value)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if value and (not good or not re.fullmatch(r"[!-~]+", value)):
        raise UnreadableError(f"{name} is no address of a server", hint="for example http://127.0.0.1:9000")


def _profile(environment: Mapping[str, str]) -> dict[str, str]:
    name = environment.get("AWS_PROFILE") or environment.get("AWS_DEFAULT_PROFILE") or "default"
    import configparser  # only those who open a bucket wait for it

    home = Path.home() / ".aws"
    found: dict[str, str] = {}
    there = False
    for path, section in (
        (environment.get("AWS_CONFIG_FILE") or home / "config", name if name == "default" else f"profile {name}"),
        (environment.get("AWS_SHARED_CREDENTIALS_FILE") or home / "credentials", name),
    ):
        parser = configparser.ConfigParser(interpolation=None)
        try:
            parser.read(path, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue
        if parser.has_section(section):
            found |= dict(parser[section])
            there = True
    if not there and name != "default":
        raise UnreadableError(
            f"there is no profile {name!r} in {home}",
            hint="AWS_PROFILE names one, `aws configure list-profiles` lists them",
        )
    return found


def _has_role(environment: Mapping[str, str]) -> bool:
    """The machine or container may have credentials of its own. Asking for them where there are none takes seconds."""
    names = (
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    )
    if any(environment.get(name) for name in names):
        return True
    if environment.get("AWS_EC2_METADATA_DISABLED", "").lower() == "true":
        return False
    try:
        return "amazon" in Path("/sys/devices/virtual/dmi/id/sys_vendor").read_text(encoding="utf-8").lower()
    except OSError:
        return False


_HINTS = {
    "s3": "AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, say where and as whom",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS names the file with the credentials",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY say where and as whom",
    "http": "check the address",
    "https": "check the address",
    "hf": "HF_TOKEN or `hf auth login` says as whom",
}
#: What is found in the words of a store's error -> (what it means, the error number that reading functions give).
_MEANINGS: tuple[tuple[str, str, int], ...] = (
    (r"object with invalid path",
     "{what} holds an object whose name is no path (`a//b`, `.`, `..`, a control character): rename or move it", errno.EINVAL),
    (r"NoSuchBucket|ContainerNotFound|bucket does not exist", "there is no bucket {bucket}", errno.ENOENT),
    (r"(Repository|Revision|Bucket) ?Not ?Found",
     "there is no repository {bucket}, or it is not yours to see", errno.ENOENT),
    (r"ExpiredToken|TokenExpired", "the credentials for {bucket} have expired", errno.EACCES),
    (r"RequestTimeTooSkewed", "the clock of this machine differs from that of the store of {bucket}", errno.EACCES),
    (r"AuthorizationHeaderMalformed|PermanentRedirect|redirect without LOCATION",
     "{bucket} is in another region than AWS_REGION says", errno.EACCES),
    (r"InvalidToken|InvalidAccessKeyId|SignatureDoesNotMatch|AuthenticationFailed|401 Unauth",
     "the store does not accept the credentials for {bucket}", errno.EACCES),
    (r"AccessDenied|403 Forbidden|AuthorizationFailure", "no permission to read {what}", errno.EACCES),
    (r"SlowDown|429 Too Many|503 Service|TooManyRequests",
     "the store of {bucket} asked to slow down and did so still after several tries", errno.EAGAIN),
    (r"500 Internal|502 Bad|504 Gateway|InternalError",
     "the store of {bucket} had an error of its own and did so still after several tries", errno.EAGAIN),
    (r"response body error", "the store of {bucket} broke off its answer, and did so still after several tries", errno.EAGAIN),
    (r"error sending request|connection|timed out|timeout|dns error", "the store of {bucket} does not answer", errno.EIO),
)  # fmt: skip


def store_errors() -> tuple[type[Exception], ...]:
    """What a request may raise."""
    from obstore.exceptions import BaseError

    return BaseError, OSError, ValueError


def listing_error(error: Exception, url: Url) -> UnreadableError:
    what, number = _meaning(error, url, str(url))
    hints = {errno.EAGAIN: "ask again in a while", errno.EINVAL: ""}
    return UnreadableError(what, hint=hints.get(number, _HINTS[url.scheme]))


def reading_error(error: Exception, url: Url, path: str) -> OSError:
    """The error that a file on a disk would give, so that readers need not know where files are."""
    if type(error).__name__ == "PreconditionError":  # obstore's, which need not be installed for the Hub
        return FileChanged(path)
    if isinstance(error, FileNotFoundError) and "NoSuchBucket" not in str(error):
        return FileChanged(path, "it was removed while it was read")
    full_path = f"{url}/{path}"
    what, number = _meaning(error, url, full_path)
    # What does not name the file is about all of them.
    return (OSError if full_path in what else StoreUnavailableError)(number, what, path)


def repeated(work: Callable[[], T]) -> T:
    """What this reads of a store, again if the answer broke off in the middle: the library repeats a request that fails, but
    no listing that does so later."""
    for pause in BROKEN_PAUSES:
        try:
            return work()
        except store_errors() as error:
            if "response body error" not in _words(error):
                raise
            time.sleep(pause)
    return work()


def has_odd_name(error: Exception) -> bool:
    """Whether a listing failed by the name of one of the objects."""
    return "object with invalid path" in _words(error)


def is_passing(error: Exception) -> bool:
    """Whether the same request may succeed a moment later."""
    words = _words(error)
    number = next((number for pattern, _, number in _MEANINGS if re.search(pattern, words, re.IGNORECASE)), None)
    return number in (errno.EAGAIN, errno.EIO)


def _words(error: Exception) -> str:
    return str(error).partition("\n\nDebug source")[0]


def _meaning(error: Exception, url: Url, what: str) -> tuple[str, int]:
    words = _words(error)
    for pattern, meaning, number in _MEANINGS:
        if re.search(pattern, words, re.IGNORECASE):
            return meaning.format(bucket=url.base, what=what), number
    return f"{what} cannot be read: {_first_line(error)}", errno.EIO


def _first_line(error: Exception) -> str:
    """The store's own words, without addresses: those may hold signatures."""
    line = re.sub(r"https?://\S+", "…", str(error).strip().partition("\n")[0])
    return line[:200]
