"""The names by which answers call files: the user's own, as short as they stay different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from hugginggpt.core.conversation import Attachment


class FileNames:
    """The names of the files of a run, by how arguments refer to them (`Attachment.reference`, a public path, a URL).

    A file that was attached is called what the user called it; any other by the end of its path, and generated files by
    their whole public path. Of files with the same name, so many folders are named that they differ.
    """

    def __init__(
        self, references: Iterable[str], attached: Iterable[Attachment] = (), generated: Iterable[str] = ()
    ) -> None:
        known = {file.reference: file.name for file in reversed(list(attached))}
        paths = {one: known.get(one) or _path(one) for one in dict.fromkeys(references)}
        paths = {one: path.replace("\\", "/").strip("/") for one, path in paths.items()}
        made = {path: path for path in generated if path not in known}
        self._names = {**_shortest({one: path for one, path in paths.items() if one not in made}), **made}

    def __getitem__(self, reference: str) -> str:
        """The name of a file; a text that refers to none is itself."""
        return self._names.get(reference, reference)


def _path(reference: str) -> str:
    """The path in a URL that ends in a file's name; any other reference as it is."""
    if "://" not in reference:
        return reference
    path = unquote(urlsplit(reference).path)
    return path if "." in path.rpartition("/")[2] else reference


def _shortest(paths: dict[str, str]) -> dict[str, str]:
    """The shortest end of each path that no other has; equal paths of different files are numbered."""
    names: dict[str, str] = {}
    numbers: Counter[str] = Counter()
    equal = Counter(paths.values())
    for reference, path in paths.items():
        parts = path.split("/") if "://" not in path else [path]
        ends = ["/".join(parts[-size:]) for size in range(1, len(parts) + 1)]
        others = [other for other in paths.values() if other != path]
        name = next((end for end in ends if not any(_ends_with(other, end) for other in others)), path)
        if equal[path] > 1:
            numbers[path] += 1
            name = f"{name} ({numbers[path]})"
        names[reference] = name
    return names


def _ends_with(path: str, end: str) -> bool:
    return path == end or path.endswith(f"/{end}")
