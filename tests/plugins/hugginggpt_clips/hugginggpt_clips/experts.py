"""The expert: a function of the task's arguments that returns what Hugging Face's task would."""

import itertools
from pathlib import Path
from typing import Any

from hugginggpt.experts.registry import expert

MOVING = 2.0
"""The mean difference of neighbouring frames, of 255, from which on a clip counts as moving."""


@expert("frame-difference", "clip-classification", "Compares neighbouring frames of a video.", ("av", "numpy"))
def motion(video: Path) -> list[dict[str, Any]]:
    """The labels moving and still with their scores, likelier first."""
    import av
    import numpy as np

    with av.open(str(video)) as container:
        frames = [frame.to_ndarray(format="gray").astype(np.float32) for frame in container.decode(video=0)]
    change = max((float(np.abs(b - a).mean()) for a, b in itertools.pairwise(frames)), default=0.0)
    score = change / (change + MOVING)
    return [{"label": "moving", "score": score}, {"label": "still", "score": 1 - score}]
