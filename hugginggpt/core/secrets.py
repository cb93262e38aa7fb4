"""Keys and tokens: the values that are never shown, and `$NAME` in the configuration, which stands for one.

A value of the configuration may name variables of the environment, `$NAME` or `${NAME}` in capitals; `$$` is a dollar
sign. The values themselves stand in no file: `Variables` has those of the variables that are named, `Secrets` has all
that must be masked, also a token that a service gives out while the program runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from hugginggpt.core.errors import masked

MOST_TOKENS = 100
"""How many tokens that services gave out are masked; the oldest ones have expired long ago."""
TOKEN = "token"  # noqa: S105
"""The one name in small letters: `$token` is what a service gave out."""
FROM_ENVIRONMENT = 'should come from the environment: write the name of a variable, such as "$API_KEY", in its place'

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_DOLLAR = re.compile(rf"\$(?:(\$)|\{{({_NAME})\}}|({_NAME}))")
_SECRET_NAME = re.compile(
    r"(?:^|[-_.])(?:(?:api|access|secret|private|app|subscription|auth)[-_]?key|token|accesstoken|authtoken|secret"
    r"|clientsecret|password|passwd|pwd|authorization|cookie|credentials?)$",
    re.IGNORECASE,
)
_WRITTEN_SECRET = re.compile(
    r"^(?:Bearer|Basic|Token)\s+(?:[^\s$]|\$\$){8,}|^(?:sk|hf|gh[pous]|xox[bp])[-_][\w-]{12,}|^AIza[\w-]{20,}"
)


class Secrets:
    """All keys and tokens that must not be shown. What masks them keeps this collection and no copy of it: it grows."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = tuple(dict.fromkeys(known))
        self._tokens: tuple[str, ...] = ()
        self._lock = Lock()

    def __iter__(self) -> Iterator[str]:
        return iter((*self._known, *self._tokens))

    def __reduce__(self) -> tuple[type[Secrets], tuple[tuple[str, ...]]]:
        """A configuration is handed to processes of our own."""
        return Secrets, (tuple(self),)

    def add(self, token: str) -> None:
        """Masks a token that a service gave out, from now on."""
        with self._lock:
            self._tokens = (*(known for known in self._tokens if known != token), token)[-MOST_TOKENS:]

    def mask(self, value: Any) -> Any:
        """A text, or a value of lists and objects with texts in it, without secrets; keys stay as they are."""
        return masked_value(value, tuple(self))


def masked_value(value: Any, secrets: Iterable[str]) -> Any:
    """The value with secrets masked in its texts, but not in keys: readers depend on them."""
    if isinstance(value, str):
        return masked(value, secrets)
    if isinstance(value, list):
        return [masked_value(item, secrets) for item in value]
    if isinstance(value, dict):
        return {name: masked_value(inner, secrets) for name, inner in value.items()}
    return value


class Variables:
    """The variables of the environment that values of the configuration name, and no others."""

    def __init__(self, environment: Mapping[str, str], *values: Any) -> None:
        self._values = {name: environment.get(name, "").strip() for name in self.names(*values)}

    def __iter__(self) -> Iterator[str]:
        """The values that are set, all of which are taken for secrets."""
        return (value for value in self._values.values() if value)

    def what_to_set(self, *values: Any) -> str:
        """What has to be set before the values can be used, as an imperative ("set HF_TOKEN"); "" if nothing."""
        names = self.names(*values)
        missing = [name for name in names if not self._values.get(name)]
        if missing:
            return f"set {' and '.join(missing)}"
        wrong = [name for name in names if not (self._values[name].isascii() and self._values[name].isprintable())]
        return f"set {' and '.join(wrong)} to printable ASCII characters" if wrong else ""

    @staticmethod
    def names(*values: Any) -> list[str]:
        """The variables that the values name."""
        return list(dict.fromkeys(name for value in values for name in _names(value)))

    def filled(self, value: Any, **given: str) -> Any:
        """A text, list or object with the values of the variables, and of `given` names in small letters (`$token`).

        Raises KeyError for a variable that is not set.
        """
        if isinstance(value, str):
            return _DOLLAR.sub(lambda match: self._value(match, given), value)
        if isinstance(value, Mapping):
            return {key: self.filled(inner, **given) for key, inner in value.items()}
        return [self.filled(item, **given) for item in value] if isinstance(value, list | tuple) else value

    def in_url(self, url: str, **given: str) -> str:
        """As `filled`, percent-encoded."""
        return _DOLLAR.sub(lambda match: quote(self._value(match, given), safe=""), url)

    def _value(self, match: re.Match[str], given: Mapping[str, str]) -> str:
        name = match[2] or match[3]
        if not name:
            return "$"
        if name.isupper():
            return self._values[name]
        return given.get(name, match[0])


def mentions(value: Any, name: str) -> bool:
    """Whether a text, list or object names `$name`."""
    return name in _all_names(value)


def _names(value: Any) -> Iterator[str]:
    return (name for name in _all_names(value) if name.isupper())


def _all_names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from (name for match in _DOLLAR.finditer(value) if (name := match[2] or match[3]))
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _all_names(inner)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _all_names(item)


def written_secret(values: Any, where: str = "", in_query: bool = False) -> str:
    """The place in an object of a key or token that is written out, where `$NAME` should stand; "" if there is none.

    It is known by the name that it has ("api_key", "Authorization"; in a query also "key", unless an argument stands
    there), or by how it begins ("Bearer …", "sk-…").
    """
    if isinstance(values, Mapping):
        inner = ((f"{where}.{key}" if where else str(key), value) for key, value in values.items())
        return next((found for key, value in inner if (found := written_secret(value, key, in_query))), "")
    if isinstance(values, list | tuple):
        return next((found for item in values if (found := written_secret(item, where, in_query))), "")
    if not isinstance(values, str) or not values or any(name.isupper() or name == TOKEN for name in _all_names(values)):
        return ""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", where.rpartition(".")[2])
    if in_query and name.lower() == "key" and "{" not in values:
        return where
    return where if _SECRET_NAME.search(name) or _WRITTEN_SECRET.search(values) else ""


def secret_in_url(url: str) -> str:
    """What of a URL is a key that is written out: its user name, or a parameter; "" if nothing is."""
    parts = urlsplit(url)
    if parts.username is not None or parts.password is not None:
        return "its user name and password"
    found = written_secret(dict(parse_qsl(parts.query)), in_query=True)
    return "api_key" if found == "key" else found


def without_login(url: str) -> str:
    """A URL as it may be shown: without user, password and query; the scheme alone where a sign of the password that
    is not encoded hides its end.
    """
    scheme, _, rest = url.partition("://")
    place = re.split("[?#]", rest)[0]
    host, slash, path = place.rpartition("@")[2].partition("/")
    return (
        f"{scheme}://…"
        if "@" in rest[len(place) :] or "@" in place.partition("/")[2]
        else f"{scheme}://{host}{slash}{path}"
    )


def login_of(url: str) -> list[str]:
    """What of a URL is secret: its password, and the values of its query; as they are and as they stand there."""
    login = url.partition("://")[2].rpartition("@")[0]
    written = [login.partition(":")[2], *(value for _, value in parse_qsl(url.partition("?")[2]))]
    return [form for secret in written if secret for form in (secret, unquote(secret))]
