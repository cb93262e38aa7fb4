"""The planning demonstrations that are nearest to a request, from a pool of examples.

Examples similar to the request help a language model more than a fixed list does (arXiv 2101.06804). Similarity
is the cosine of sentence embeddings; file names are replaced, since they say nothing about the tasks.
"""

from __future__ import annotations

import hashlib
import json
import logging
import uuid
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.text_files import numbered_lines, read_text
from hugginggpt.common.threads import once
from hugginggpt.config import Config
from hugginggpt.core.errors import ConfigError, ExpertUnavailable
from hugginggpt.llm.prompts import Demonstration
from hugginggpt.media.references import Resource, find_resources

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]
    Embed = Callable[[Sequence[str]], Array]

log = logging.getLogger(__name__)
FEW = 3


class Demonstrations:
    """A pool of demonstrations, read and embedded at first use.

    The embeddings are cached in `folder`, under the digest of the pool. If they cannot be computed (the weights
    are missing), there are no nearest demonstrations, and the log says so once.
    """

    def __init__(self, pool: Path, count: int, folder: Path, embed: Embed | None = None) -> None:
        self.count = count
        self._embed = embed or _minilm
        self._folder = folder
        self.pool = once(lambda: read_pool(pool))
        self._vectors = once(self._embedded)

    def nearest(
        self, request: str, tasks: Collection[str] | None = None, named: Sequence[Resource] | None = None
    ) -> list[Demonstration]:
        """Up to `count` demonstrations, the nearest first, of plans that keep to `tasks` (None: all); `named` is what
        the request names, where that is known.

        Raises ConfigError for a pool that cannot be read.
        """
        vectors = self._vectors()
        if vectors is None:
            return []
        import numpy as np

        closeness = vectors @ self._embed([without_files(request, named)])[0]
        order = [self.pool()[at] for at in np.argsort(-closeness, kind="stable")]
        fit = (demo for demo in order if tasks is None or all(task["task"] in tasks for task in demo.plan))
        return [demo for demo, _ in zip(fit, range(self.count), strict=False)]

    def _embedded(self) -> Array | None:
        """The vectors of the pool's requests, shape (requests, width); None of an empty pool or without the weights."""
        texts = [without_files(demo.request) for demo in self.pool()]
        if not texts:
            return None
        file = self._folder / f"demonstrations-{hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]}.npy"
        import numpy as np

        try:
            self._embed(texts[:1])  # without the weights the cached embeddings are of no use
            vectors: Array = np.load(file, allow_pickle=False)
            if vectors.shape[:1] == (len(texts),):
                return vectors
        except ExpertUnavailable as error:
            log.warning(
                "The demonstrations nearest to a request cannot be computed, the fixed ones are used: %s", error
            )
            return None
        except (OSError, ValueError):
            pass  # not cached yet, or not readable: computed below
        vectors = self._embed(texts)
        _keep(file, vectors)
        return vectors


def make_demonstrations(config: Config) -> Demonstrations | None:
    """The configured pool; None if the fixed demonstrations are configured."""
    if config.demonstrations == "fixed":
        return None
    pool, folder = config.input_file(config.demonstrations_pool), config.path(config.cache.folder)
    return Demonstrations(pool, config.demonstrations_count, folder)


def few_demonstrations(config: Config) -> Demonstrations:
    """The pool, of which a prompt with a shortlist of tasks holds a few."""
    return Demonstrations(config.input_file(config.demonstrations_pool), FEW, config.path(config.cache.folder))


def read_pool(file: Path) -> list[Demonstration]:
    """The demonstrations of a file, one JSON object a line. Raises ConfigError, naming file and line."""
    text = read_text(file, "the demonstrations", ConfigError)
    return [_demonstration(line, f"{file}, line {number}") for number, line in numbered_lines(text)]


def without_files(request: str, named: Sequence[Resource] | None = None) -> str:
    """The request with each file or URL replaced by the kind of thing that it is."""
    for resource in reversed(find_resources(request) if named is None else named):
        if resource.kind != "text":
            request = f"{request[: resource.start]}the {resource.kind or 'file'}{request[resource.end :]}"
    return request


def _demonstration(line: str, where: str) -> Demonstration:
    try:
        row = json.loads(line)
        demo = Demonstration(row["request"], row["plan"], row.get("history", ()))
        if isinstance(demo.request, str) and all(isinstance(task["task"], str) for task in demo.plan):
            return demo
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise ConfigError(f'{where} should be a JSON object {{"request": text, "plan": [tasks]}}.')


def _minilm(texts: Sequence[str]) -> Array:
    from hugginggpt.experts.minilm import embed

    return embed(texts)


def _keep(file: Path, vectors: Array) -> None:
    """Caches the embeddings; a folder that cannot be written to is not an error."""
    import numpy as np

    partial = file.with_name(f"{uuid.uuid4().hex}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as stream:
            np.save(stream, vectors, allow_pickle=False)
        partial.replace(file)
    except OSError as error:
        log.info("The embeddings of the demonstrations cannot be kept in %s: %s", file.parent, error)
