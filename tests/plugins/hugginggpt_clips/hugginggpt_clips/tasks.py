"""The task type: a row of the task table."""

from hugginggpt.core.results import LABELS
from hugginggpt.core.tasks import Arg, Cue, TaskType

CLIP_CLASSIFICATION = TaskType(
    name="clip-classification",
    about="say whether anything moves in a video",
    args=(Arg("video", "video"),),
    result=LABELS,
    answer="The clip {video} is {}.",
    aliases=("video-motion",),
    cues=(Cue(r"\b(?:anything|something|nothing) moves\b|\bmotion in\b", sure=True),),
)
