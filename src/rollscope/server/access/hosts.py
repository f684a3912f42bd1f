"""Under which names the server may be called.

A page of another site can point a name of its own at this machine (DNS rebinding) and would then count as the same site.
So a request is answered only when its Host is an address, a name of this machine, or one that was allowed.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?", re.IGNORECASE)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on ``host``."""
    if host.lower() == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def host_name(header: str) -> str | None:
    """The name in a Host header, or in an Origin's authority: lower case, no port, no brackets. None if it is no name."""
    match = _HOST.fullmatch(header)
    return match[1].lower().strip("[]").rstrip(".") if match else None


@dataclass(frozen=True)
class Hosts:
    names: frozenset[str]
    #: Addresses of other machines' networks count too.
    any_address: bool
    #: node17, where node17.cluster.example counts too. Only behind a token: anyone may own node17.evil.example.
    own: str | None

    @classmethod
    def of(cls, bind: str, allowed: tuple[str, ...], *, token: bool) -> Hosts:
        names = {"localhost", bind.lower(), *(name.lower() for name in allowed)}
        if is_loopback(bind):
            return cls(frozenset(names), any_address=False, own=None)
        # Not getfqdn(): it may ask a name server and wait for it.
        host = socket.gethostname().lower()
        own = host.partition(".")[0]
        return cls(frozenset(names | {host, own}), any_address=True, own=own if token else None)

    def allows(self, name: str) -> bool:
        if name in self.names or "*" in self.names:
            return True
        address = _address(name)
        if address is not None:
            return self.any_address or address.is_loopback
        return self.own is not None and name.partition(".")[0] == self.own


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
