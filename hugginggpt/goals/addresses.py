"""Web addresses in texts, in one spelling, to compare them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

from hugginggpt.media.references import find_resources

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
"""As long as it can be: what is longer than an address that was shown is another one."""
_AFTER = ".,;:!?)]}>*_\"'`"
"""What ends a sentence rather than an address."""


def addresses_in(text: str) -> list[str]:
    """The addresses in a text, normalised, in order and once each."""
    return list(dict.fromkeys(normal_address(match[0].rstrip(_AFTER)) for match in _ADDRESS.finditer(text)))


def addresses_to_fetch(texts: Iterable[str]) -> list[str]:
    """The addresses in the texts of a request, as they are read here and as the pipeline reads them."""
    texts = list(texts)
    named = [address for text in texts for address in addresses_in(text)]
    fetched = [each.text for text in texts for each in find_resources(text) if "://" in each.text]
    return list(dict.fromkeys([*named, *map(normal_address, fetched)]))


def normal_address(address: str) -> str:
    """Scheme and host in lower case, no fragment, no slash at the end; the text itself if it is no address."""
    try:
        parts = urlsplit(address.strip())
        host = parts.netloc.lower().removesuffix({"http": ":80", "https": ":443"}.get(parts.scheme, "\0"))
    except ValueError:
        return address.strip()
    return urlunsplit((parts.scheme.lower(), host, parts.path.rstrip("/"), parts.query, ""))


def host_of(address: str) -> str:
    """The host and port of an address; the address itself where it has none."""
    try:
        return urlsplit(normal_address(address)).netloc or address.strip()
    except ValueError:
        return address.strip()


def hosts_of(addresses: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(map(host_of, addresses)))
