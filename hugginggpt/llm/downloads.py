"""Fetches a GGUF file for the embedded language model: looked up first, resumed where it broke off, checked.

huggingface_hub looks up and transfers; its own download to a folder begins anew when it broke off, so the part that is
there is kept here and handed to it.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hugginggpt.config import Config
from hugginggpt.core.errors import BackendError, UserError, brief

PART = ".part"
TRIES = 1
"""How often a Hub that falls silent is asked once more before a person is told; the library's 5 take a minute."""
PIECE = re.compile(r".*-\d{5}-of-(?!00001)\d{5}\.gguf")
SOMETHING = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+)/(?P<file>(?!.*\.\.)[\w./-]+\.gguf)")


@dataclass(frozen=True, slots=True)
class Offer:
    """A file on the Hub at a revision: its size in bytes, its SHA-256 and who says so, and what the configuration says
    about it.
    """

    repo: str
    file: str
    revision: str
    size: int
    sha256: str
    checked_by: str
    about: str
    target: Path

    @property
    def there(self) -> int:
        """The bytes that are there already, of the whole file or of the part that has arrived."""
        return next((file.stat().st_size for file in (self.target, self.part) if file.is_file()), 0)

    @property
    def part(self) -> Path:
        """What has arrived: by its checksum, so that another repository's file of this name does not go on in it."""
        return self.target.with_name(f"{self.target.name}.{self.sha256[:12]}{PART}")


def names(config: Config) -> list[str]:
    """The names of the models that the configuration lists."""
    return [row.name for row in config.embedded_llm.models]


def others(config: Config, name: str) -> list[str]:
    """The listed models besides one, each with its size and what it is."""
    rows = [row for row in config.embedded_llm.models if row.name != name]
    return [f"{row.name}: {f'{row.size / 1e9:.2f} GB, ' if row.size else ''}{row.about}" for row in rows]


def look_up(config: Config, name: str) -> Offer:
    """What the Hub has under a name of `embedded_llm.models` or under OWNER/REPOSITORY/FILE.gguf. Nothing is fetched.

    Raises UserError for a name that is neither, for a piece of a model, and where another file has its place,
    BackendError if the Hub does not have it or cannot be asked.
    """
    row = next((row for row in config.embedded_llm.models if row.name == name), None)
    named = SOMETHING.fullmatch(f"{row.repo}/{row.file}" if row else name)
    if named is None:
        known = ", ".join(names(config))
        raise UserError(f"{name} is no model to download: choose {known}, or OWNER/REPOSITORY/FILE.gguf.")
    repo, file = named["repo"], named["file"]
    if PIECE.fullmatch(file):
        raise UserError(f"{file} is one piece of a model in several files: choose a model of {repo} in one file.")
    try:
        found = _hub(config).get_paths_info(repo, [file], expand=True, revision=row and row.revision)
    except Exception as error:  # of the network, of the Hub
        raise BackendError(f"The Hub cannot be asked for {repo}/{file}: {brief(error)}.") from error
    lfs = getattr(found[0], "lfs", None) if found else None
    if lfs is None:
        raise BackendError(f"The Hub has no file {file} in {repo}, or none with a checksum.")
    expected = (row and row.sha256) or lfs.sha256
    if expected != lfs.sha256:
        raise BackendError(
            f"{repo}/{file} has changed: its SHA-256 on the Hub is {lfs.sha256}, and sha256 in the configuration is "
            f"{expected}. Nothing was fetched."
        )
    newest = getattr(getattr(found[0], "last_commit", None), "oid", None) or "main"  # gateways may not tell it
    revision = (row and row.revision) or newest
    told = f"{row.about}; {row.licence}" if row else "its licence stands on its page on the Hub"
    target = config.path(config.embedded_llm.folder) / Path(file).name
    offer = Offer(
        repo, file, revision, lfs.size, expected, "configuration" if row and row.sha256 else "Hub", told, target
    )
    if target.is_file() and offer.there != offer.size:
        raise _other_file(offer)
    return offer


def fetch(config: Config, offer: Offer) -> Path:
    """The file, complete and checked. Raises UserError if there is no room or another file has its place, BackendError
    if it broke off: what has arrived is kept, and the next call goes on there.
    """
    if offer.target.is_file():
        if _sha256(offer.target) != offer.sha256:
            raise _other_file(offer)
        offer.target.touch()  # the newest is the one in use
        return offer.target
    offer.target.parent.mkdir(parents=True, exist_ok=True)
    part, have = offer.part, offer.there
    if have > offer.size:
        part.unlink()
        have = 0
    if (free := shutil.disk_usage(part.parent).free) < offer.size - have:
        raise UserError(
            f"{offer.file} needs {(offer.size - have) / 1e9:.1f} GB in {part.parent}, {free / 1e9:.1f} are free."
        )
    try:
        with part.open("ab") as file:
            _transfer(config, offer, file, have)
    except Exception as error:
        there = part.stat().st_size / 1e6
        raise BackendError(
            f"The download broke off after {there:.0f} of {offer.size / 1e6:.0f} MB ({brief(error)}): give the same "
            "command again, and it goes on there."
        ) from error
    if (arrived := _sha256(part)) != offer.sha256:
        part.unlink()
        raise BackendError(
            f"{offer.file} arrived damaged or is another file: its SHA-256 is {arrived}, "
            f"that of the {offer.checked_by} is {offer.sha256}. It was removed; download it again."
        )
    part.replace(offer.target)
    return offer.target


def _other_file(offer: Offer) -> UserError:
    return UserError(
        f"{offer.target} is not this file: the checksum or the size is another. Rename or remove it, and give the same "
        "command again."
    )


def _transfer(config: Config, offer: Offer, file: Any, have: int) -> None:
    from huggingface_hub import hf_hub_url
    from huggingface_hub.file_download import http_get

    url = hf_hub_url(offer.repo, offer.file, revision=offer.revision, endpoint=config.huggingface.base_url or None)
    headers = {"Authorization": f"Bearer {config.hub_token}"} if config.hub_token else {}
    http_get(
        url, file, resume_size=have, headers=headers, expected_size=offer.size, displayed_filename=offer.target.name,
        _nb_retries=TRIES,
    )  # fmt: skip


def _hub(config: Config) -> Any:
    import httpx2
    import huggingface_hub

    options: dict[str, Any] = {
        "proxy": config.proxy,
        "timeout": httpx2.Timeout(config.limits.inference_seconds, connect=config.limits.connect_seconds),
        "event_hooks": huggingface_hub.get_session().event_hooks,  # of its own client: they keep to HF_HUB_OFFLINE
    }
    huggingface_hub.set_client_factory(lambda: httpx2.Client(follow_redirects=True, **options))
    return huggingface_hub.HfApi(endpoint=config.huggingface.base_url or None, token=config.hub_token or False)


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
