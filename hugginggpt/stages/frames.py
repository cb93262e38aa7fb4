"""Tasks for pictures, done to a video: some of its pictures are looked at, and what they gave becomes one result.

The pictures are spread over the video, one in as many seconds as the request says ("look twice a second"), else in
`limits.frame_seconds`, but never more than `limits.max_frames`.
One that is like the one before it is not looked at again. Looking ends when most of the time for a task is over; the
result says how closely the video was looked at.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hugginggpt.common.scratch import scratch_prefix
from hugginggpt.core.errors import BackendError, ExpertUnavailable
from hugginggpt.core.moments import Look, put_together
from hugginggpt.core.tasks import TaskType
from hugginggpt.core.usage import Usage
from hugginggpt.endpoints.base import Inference
from hugginggpt.endpoints.calls import current_call
from hugginggpt.media.types import kind_of
from hugginggpt.media.video import looks, seconds

if TYPE_CHECKING:
    from PIL.Image import Image

    from hugginggpt.config import Limits

Infer = Callable[[TaskType, Mapping[str, Any]], Inference]
"""Does a task to a picture."""
SHARE_OF_TIME = 0.6
"""The share of a task's time after which no further picture is looked at."""
SIDE, MAX_DIFFERENCE = 64, 10
"""Pictures are alike whose grey values, on so small a square, differ nowhere by more than this of 255."""
QUALITY = 92


def video_of(task: TaskType, args: Mapping[str, Any]) -> tuple[str, Path] | None:
    """The name and value of the argument for a picture that is a video; None where there is none."""
    for arg in task.args:
        file = args.get(arg.name)
        if arg.may_be_video and isinstance(file, Path) and kind_of(file.name) == "video":
            return arg.name, file
    return None


def version_of(limits: Limits, every: float | None = None) -> str:
    """What a result for a video depends on besides its content and model; `every` as for `infer_over`."""
    return f"every {every or limits.frame_seconds:g} s, {limits.max_frames} pictures"


def infer_over(
    task: TaskType, args: Mapping[str, Any], infer: Infer, limits: Limits, every: float | None = None
) -> Inference:
    """The result of a task for pictures of a video, put together, with the times. `every` so many seconds are between
    two pictures where the request tells it. Raises the error of the last picture where none gave a result.
    """
    found = video_of(task, args)
    if found is None:
        raise ValueError(f"{task.name} was given no video")
    name, video = found
    undrawn = replace(task, result=replace(task.result, draws=""))
    seen: list[Look] = []
    usage, failed = Usage(), None
    end = time.monotonic() + SHARE_OF_TIME * limits.task_seconds
    with tempfile.TemporaryDirectory(prefix=scratch_prefix()) as folder:
        for at, picture in _pictures(video, Path(folder), limits, every or limits.frame_seconds):
            if picture is None:  # as before
                seen.append(Look(at, seen[-1].value))
                continue
            try:
                inference = infer(undrawn, {**args, name: picture})
            except ExpertUnavailable as error:  # there is nothing of it in this picture
                seen.append(Look(at))
                failed = error
                continue
            usage += inference.usage
            seen.append(Look(at, inference.value))
            if time.monotonic() > end:
                break
    if failed and not any(look.value for look in seen):
        raise failed
    value = put_together(task.result.name, seen, seconds(video), every)
    return Inference(task.result.validate(value), usage)


def _pictures(video: Path, folder: Path, limits: Limits, every: float) -> Iterator[tuple[float, Path | None]]:
    """The seconds and files of the pictures to look at; None for one that is like the one before."""
    last: Any = None
    for at, picture in looks(video, limits.max_frames, every, int(limits.max_megapixels * 1_000_000)):
        if current_call().is_over:
            raise BackendError(f"{video.name} was not looked at to its end: nobody waits for it any more.")
        small = _small(picture)
        if last is not None and abs(small - last).max() <= MAX_DIFFERENCE:
            yield at, None
            continue
        last = small
        file = folder / f"{at:.2f}.jpg"
        picture.save(file, quality=QUALITY)
        current_call().report(at, seconds(video), "")
        yield at, file
        file.unlink()


def _small(picture: Image) -> Any:
    import numpy as np
    from PIL.Image import Resampling

    return np.asarray(picture.convert("L").resize((SIDE, SIDE), Resampling.BOX), np.int16)
