"""`--download-llm`: shows what is to be fetched, asks, fetches."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from hugginggpt.common.paths import install_command
from hugginggpt.common.signals import DONE, NOTHING_DONE
from hugginggpt.config import LLAMA_PACKAGE, Config
from hugginggpt.llm.downloads import fetch, look_up, names, others


def download_llm(config: Config, name: str, *, ask: bool = True) -> int:
    """Fetches a language model; `name` "" is the first of the configuration. Returns 1 if the person does not want it.

    Raises UserError or BackendError.
    """
    wanted = name or next(iter(names(config)), "")
    offer = look_up(config, wanted)
    print(f"{offer.repo}/{offer.file}\n  {offer.about}")
    print(f"  {offer.size / 1e9:.2f} GB, {(offer.size - offer.there) / 1e9:.2f} to fetch, into {offer.target.parent}")
    print(f"  SHA-256 {offer.sha256} (from the {offer.checked_by}); revision {offer.revision}")
    if not name:
        print("  Others, for --download-llm:")
        print("\n".join(f"    {other}" for other in [*others(config, wanted), "OWNER/REPOSITORY/FILE.gguf"]))
    if ask:
        print("Fetch it? [y/N] ", end="", flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            print("Nothing was fetched.")
            return NOTHING_DONE
    file = fetch(config, offer)
    print(
        f"{file} is complete and checked. It is used where no other language model is set up, or with --llm embedded."
    )
    if not find_spec(LLAMA_PACKAGE):
        print(f"To run it: {install_command('llm')}")
    return DONE
