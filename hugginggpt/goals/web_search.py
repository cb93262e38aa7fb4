"""Searching the web: a SearXNG of one's own, a service with a key, or the package ddgs, which needs neither.

The service is the configuration's choice; a search goes to no other.
"""

from __future__ import annotations

import html
import importlib.util
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests

from hugginggpt.common.paths import install_command
from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, ConfigError, UserError, brief
from hugginggpt.core.results import visible
from hugginggpt.net.http_limits import limited_body

MOST_HITS = 8
MOST_BYTES = 2_000_000
TITLE_CHARS, SNIPPET_CHARS, QUERY_CHARS, URL_CHARS = 200, 500, 400, 2000


@dataclass(frozen=True)
class Hit:
    """A page that a search names."""

    title: str
    url: str
    """http or https."""
    snippet: str


@dataclass(frozen=True)
class Service:
    """How a search service is asked over HTTP, and where its answer has the hits."""

    address: str
    """Empty: the configuration has to name one."""
    headers: Callable[[str], dict[str, str]]
    """The headers that carry the key."""
    question: Callable[[str], dict[str, Any]]
    """What is sent: parameters of the address of a GET, or the JSON of a POST."""
    post: bool
    hits: tuple[str, ...]
    """The keys that lead to the list of hits."""
    names: tuple[str, str, str]
    """The keys of title, address and text in a hit."""


SERVICES: Mapping[str, Service] = {
    "searxng": Service(
        "", lambda key: {"Authorization": f"Bearer {key}"} if key else {},
        lambda query: {"q": query, "format": "json"}, False, ("results",), ("title", "url", "content"),
    ),
    "brave": Service(
        "https://api.search.brave.com/res/v1/web/search", lambda key: {"X-Subscription-Token": key},
        lambda query: {"q": query, "count": MOST_HITS}, False, ("web", "results"), ("title", "url", "description"),
    ),
    "tavily": Service(
        "https://api.tavily.com/search", lambda key: {"Authorization": f"Bearer {key}"},
        lambda query: {"query": query, "max_results": MOST_HITS}, True, ("results",), ("title", "url", "content"),
    ),
    "serper": Service(
        "https://google.serper.dev/search", lambda key: {"X-API-KEY": key},
        lambda query: {"q": query, "num": MOST_HITS}, True, ("organic",), ("title", "link", "snippet"),
    ),
}  # fmt: skip
DDGS = "ddgs"
CHOICES = "a SearXNG (web_search.endpoint), brave, tavily or serper (web_search.service and WEB_SEARCH_API_KEY)"


def search(query: str, config: Config, most: int = MOST_HITS) -> list[Hit]:
    """The first hits for a query, at most `most`.

    Raises UserError for an empty query, ConfigError where nothing is set up, BackendError where the service fails.
    """
    query = " ".join(query.split())[:QUERY_CHARS]
    if not query:
        raise UserError("A search needs words to search for.")
    name = _service(config)
    found = _ask_ddgs(query, config) if name == DDGS else _ask(name, query, config)
    return [hit for hit in map(_hit, found) if hit][:most]


def search_status(config: Config) -> str:
    """The service that searches go to, or what to set; for `--doctor`."""
    try:
        return f"searches go to {_service(config)}"
    except ConfigError as error:
        return str(error)


def _service(config: Config) -> str:
    """The name of the service in use. Raises ConfigError if it lacks something."""
    settings = config.web_search
    name: str = settings.service
    if name == "auto":
        name = "searxng" if settings.endpoint else DDGS
    if name == DDGS:
        if not importlib.util.find_spec(DDGS):
            raise ConfigError(f"No web search is set up: set {CHOICES}, or {install_command('goals')}.")
    elif name == "searxng":
        if not settings.endpoint:
            raise ConfigError("The web search searxng needs its address: set web_search.endpoint.")
    elif not settings.api_key:
        raise ConfigError(f"The web search {name} needs a key: set WEB_SEARCH_API_KEY or web_search.api_key.")
    return name


Found = tuple[Any, Any, Any]
"""Title, address and text as a service gives them."""


def _ask(name: str, query: str, config: Config) -> list[Found]:
    service, settings = SERVICES[name], config.web_search
    address = (settings.endpoint or service.address).rstrip("/")
    if name == "searxng" and not address.endswith("/search"):
        address += "/search"
    answer = _answer(name, service, address, query, config)
    for key in service.hits:
        answer = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(answer, list):
        raise BackendError(f"The web search {name} answered in an unknown form.")
    keys = service.names
    return [tuple(hit.get(key) for key in keys) for hit in answer if isinstance(hit, dict)]  # type: ignore[misc]


def _answer(name: str, service: Service, address: str, query: str, config: Config) -> Any:
    """The JSON of the answer. Redirects are not followed: the key is for that host alone."""
    seconds = config.limits.inference_seconds
    proxies = {"http": config.proxy, "https": config.proxy} if config.proxy and name != "searxng" else {}
    question = service.question(query)
    sent: dict[str, Any] = {"json": question} if service.post else {"params": question}
    try:
        with requests.Session() as session:
            session.trust_env = False
            with session.request(
                "POST" if service.post else "GET", address, **sent, stream=True, allow_redirects=False,
                headers={"Accept": "application/json", **service.headers(config.web_search.api_key or "")},
                timeout=(config.limits.connect_seconds, seconds), proxies=proxies,
            ) as response:  # fmt: skip
                if response.status_code != requests.codes.ok:
                    raise BackendError(_refusal(name, response.status_code), status=response.status_code)
                return json.loads(limited_body(response, MOST_BYTES, time.monotonic() + seconds))
    except (requests.RequestException, ValueError, RecursionError) as error:
        why = "it is no JSON" if isinstance(error, ValueError | RecursionError) else type(error).__name__
        raise BackendError(f"The web search {name} cannot be used: {why}.") from error


def _refusal(name: str, status: int) -> str:
    if name == "searxng" and status == requests.codes.forbidden:
        return "The web search searxng answers 403: add json to search.formats in its settings.yml."
    hints = {401: ": check the key", 403: ": check the key", 429: ": it was asked too often, try again later"}
    return f"The web search {name} answers {status}{hints.get(status, '')}."


def _ask_ddgs(query: str, config: Config) -> list[Found]:
    from ddgs import DDGS as Searching

    try:
        with Searching(proxy=config.proxy, timeout=int(config.limits.connect_seconds + 5)) as searching:
            found = searching.text(query, max_results=MOST_HITS)
    except Exception as error:  # its errors, and those of the services that it asks
        raise BackendError(
            f"The web search ddgs failed ({brief(error)}): it is often asked too much; try again, or set {CHOICES}."
        ) from error
    return [(hit.get("title"), hit.get("href"), hit.get("body")) for hit in found]


def _hit(found: Found) -> Hit | None:
    """A hit as plain text; None if its address is none of the web."""
    title, url, snippet = found
    if not isinstance(url, str) or not is_web_address(url):
        return None
    return Hit(_plain(title, TITLE_CHARS) or url, url, _plain(snippet, SNIPPET_CHARS))


def is_web_address(url: str) -> bool:
    """Whether it is an http or https URL with a host, in characters that show as they are."""
    if len(url) > URL_CHARS or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _plain(text: Any, most: int) -> str:
    """A text without tags, entities and characters that do not show."""
    if not isinstance(text, str):
        return ""
    return visible(" ".join(html.unescape(re.sub(r"<[^<>]{1,100}>", "", text)).split()))[:most]
