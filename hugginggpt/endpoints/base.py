"""What all endpoints share: the interface, and how an expert's answer becomes the result of a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.common.threads import spawn
from hugginggpt.core.errors import BackendError, MediaError
from hugginggpt.core.results import INVALID_RESULT_ERRORS, Kind, files_of, well_formed
from hugginggpt.core.tasks import TaskTable, TaskType
from hugginggpt.core.usage import Usage
from hugginggpt.media.decoding import load_image
from hugginggpt.media.drawing import cut_out, draw_boxes, draw_masks
from hugginggpt.media.store import MediaStore

Args = Mapping[str, Any]
"""The arguments that an endpoint receives: texts as strings, files as checked local paths."""


class Inference(NamedTuple):
    """The result of a task in its schema, and the tokens that a language model used for it; `remembered` tells that it
    was computed before, wholly or in the part that takes long, for the same content.
    """

    value: Any
    usage: Usage = Usage()
    remembered: bool = False


class Tier(IntEnum):
    """What kind of place an endpoint is, which is its rank: of a model that several have, the first one's is taken."""

    LANGUAGE_MODEL = 0
    OWN_SERVER = 1
    REMOTE = 2
    EMBEDDED = 3

    @property
    def is_asked(self) -> bool:
        """Whether another process is asked what models there are, which takes time."""
        return self in (Tier.OWN_SERVER, Tier.REMOTE)


@dataclass(frozen=True, slots=True)
class EndpointStatus:
    """Whether an endpoint can be used: `about` says what it is, `problem` why it cannot, or only in part ("not
    running"), and `hint`, a sentence, what to set to get more of it. `details` are lines on its parts. `untried`: it is
    configured, and nothing was asked of it yet, so that nobody knows whether it works.
    """

    about: str
    problem: str = ""
    hint: str = ""
    details: tuple[str, ...] = ()
    untried: bool = False

    @property
    def ready(self) -> bool:
        return not self.problem


ALL = 1_000_000
"""As many models as there are."""


class Endpoint(ABC):
    """Where models run.

    `name` identifies it in choices and in the prompt of the selection; `label` is its name for people, as it stands
    behind "on": "Hugging Face", "this machine".
    """

    name: str
    label: str
    tier: Tier = Tier.REMOTE
    is_free: bool = False
    """Whether a call costs nothing but the time of a machine of one's own: its models may be begun before they are
    chosen.
    """

    @abstractmethod
    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        """The models that can do the task here now, best first, `top` at most."""

    def offers(self, model: str, task: TaskType) -> ModelCard | None:
        """One model by its id, if it can do the task here now."""
        return next((card for card in self.models(task, ALL) if card.id == model), None)

    def knows(self, model: str) -> bool:
        """Whether it has a model of that id which no catalogue lists, so that a request may name it."""
        return False

    def covers(self, task: TaskType, aspect: str = "") -> bool:
        """Whether it may have a model for a task, or for an aspect of it, as far as is known without asking."""
        return True

    @abstractmethod
    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        """Runs one model on one task. Raises BackendError, or MediaError for a file it cannot use."""

    def version(self, model: str, task: TaskType) -> str | None:
        """What besides its name and arguments determines a model's result, None for one whose results differ."""
        return None

    def configured(self, model: str, task: TaskType) -> str:
        """What the configuration says of how a model is called, where that changes its results: none is then taken from
        the cache that came of another configuration.
        """
        return ""

    def repeatable(self, model: str, task: TaskType) -> bool:
        """Whether a model may be run again on the same task, beside another one, or ahead of the complete plan.

        What acts on the world may not: it is run once, its result is not cached, and nothing else is tried once it may
        have acted (`BackendError.may_have_acted`).
        """
        return True

    def notices(self, task: TaskType) -> list[str]:
        """What a person should know about its models for a task, in sentences; told once a run."""
        return []

    def status(self) -> EndpointStatus:
        """Whether it can be used now; may ask another process, and that briefly."""
        return EndpointStatus(self.label)

    def what_to_set(self, task: TaskType) -> str:
        """What would let it do a task for which it has no model, as an imperative; "" if nothing would."""
        return ""

    def what_to_set_for(self, model: str) -> str:
        """What would let it run a model that it does not offer, as an imperative; "" if nothing would."""
        return ""

    def check(self, table: TaskTable) -> Iterator[tuple[str, str]]:
        """One cheap call of each model, when a person asks for it: what was called, and what came of it."""
        return iter(())

    def close(self) -> None:  # noqa: B027  most have nothing to close
        """Closes the connections."""


DECODED_EARLY_MEGAPIXELS = 4
"""Larger pictures are not decoded ahead, since they would occupy memory for as long as the expert runs."""


def picture_to_draw_on(task: TaskType, args: Args) -> Future[Image.Image | None] | None:
    """The picture over which the task's boxes or masks will be drawn, decoded while the expert runs."""
    path = _picture(task, args)
    return spawn(_if_small, path, name="decode") if task.result.draws and isinstance(path, Path) else None


def _picture(task: TaskType, args: Args) -> Any:
    """The argument that is a picture, whatever its name."""
    return next((args[arg.name] for arg in task.args if arg.kind == "image" and args.get(arg.name)), None)


def _if_small(path: Path) -> Image.Image | None:
    with Image.open(path) as image:
        small = image.width * image.height <= DECODED_EARLY_MEGAPIXELS * 1_000_000
    return load_image(path) if small else None


def settle(
    task: TaskType, raw: Any, args: Args, media: MediaStore, picture: Future[Image.Image | None] | None = None
) -> Any:
    """An expert's raw answer in the schema of the task's result: files saved, boxes and masks drawn.

    `picture` is the decoded picture, if there is one already. Raises BackendError when the answer does not fit the
    schema.
    """
    answered, raw = raw, _saved(task, raw, media)
    masks: list[Image.Image] = []
    regions = raw.get("predicted") if isinstance(raw, dict) else raw
    if task.result.draws == "masks" and isinstance(regions, list):
        rows = [row for row in regions if isinstance(row, dict)]
        masks = [row.pop("mask") for row in rows if isinstance(row.get("mask"), Image.Image)]
    try:
        value = task.result.validate(well_formed(raw))
        if not isinstance(answered, Image.Image | bytes):
            _check_files(value, media)
        path = _picture(task, args)
        if task.result.draws and "generated image" not in value and isinstance(path, Path):
            image = (picture.result() if picture else None) or load_image(path)
            cut = cut_out(image, masks)
            drawn = draw_masks(image, masks) if masks else draw_boxes(image, value["predicted"])
            saved = media.save_image(drawn, photo=True)
            several = {"generated images": [saved, media.save_image(cut)]} if cut else {}
            value = {"generated image": saved, **several, **value}
    except INVALID_RESULT_ERRORS as error:
        raise BackendError(f"The expert's answer is no result of {task.name}: {error}.") from error
    return value


def _check_files(value: Any, media: MediaStore) -> None:
    """Raises ValueError when a result names a file that does not exist."""
    for path in files_of(value):
        try:
            media.resolve(path)
        except MediaError as error:
            raise ValueError(f"it names the file {path[:100]}, which there is not") from error


def _kept(kind: Kind, data: Any, media: MediaStore, format: str) -> str:
    """The public path of a new file. Raises BackendError for one that is too large."""
    if isinstance(data, Image.Image):
        return media.save_image(data, photo=format == "jpg")
    if len(data) > media.max_bytes:
        raise BackendError(f"The file would be larger than {media.max_bytes / 1e6:g} MB (limits.max_file_mb).")
    return media.save(kind, data, format)


def _saved(task: TaskType, raw: Any, media: MediaStore) -> Any:
    """Pictures and bytes replaced by the public path of a new file."""
    made = task.result.makes
    if isinstance(raw, list) and len(raw) == 1 and isinstance(raw[0], Image.Image | bytes):
        raw = raw[0]
    if isinstance(raw, Image.Image):
        return {"generated image": media.save_image(raw)}
    if isinstance(raw, dict) and isinstance(raw.get("generated image"), Image.Image):
        return {**raw, "generated image": media.save_image(raw["generated image"])}
    if isinstance(raw, dict) and made and isinstance(data := raw.get(key := f"generated {made[0]}"), bytes | list):
        format, several = raw.get("format", ""), data if isinstance(data, list) else [data]
        if not several or not all(isinstance(one, Image.Image | bytes) for one in several):
            raise BackendError(f"The expert's answer is no result of {task.name}: its {key} is no list of files.")
        paths = [_kept(made[0], one, media, str(format)) for one in several]
        return {**raw, key: paths[0], **({f"{key}s": paths} if len(paths) > 1 else {})}
    if isinstance(raw, bytes) and made:
        return {f"generated {made[0]}": media.save(made[0], raw)}
    return raw
