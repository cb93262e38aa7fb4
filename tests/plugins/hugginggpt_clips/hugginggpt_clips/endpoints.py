"""The endpoint: a place where models run, here a studio that answers by itself."""

from hugginggpt.catalog.catalog import ModelCard
from hugginggpt.config import Config
from hugginggpt.core.tasks import TaskType
from hugginggpt.endpoints.base import Args, Endpoint, EndpointStatus, Inference, Tier, settle
from hugginggpt.media.store import MediaStore


class Studio(Endpoint):
    """Has one model, for videos."""

    name = "studio"
    label = "the studio"
    tier = Tier.REMOTE

    def __init__(self, media: MediaStore) -> None:
        self.media = media

    def status(self) -> EndpointStatus:
        return EndpointStatus("a studio that looks at videos", hint="The studio has more models: ask its owner.")

    def models(self, task: TaskType, top: int) -> list[ModelCard]:
        return [ModelCard("studio/viewer", task.name, "Looks at videos.")] if task.name == "clip-classification" else []

    def infer(self, model: str, task: TaskType, args: Args) -> Inference:
        return Inference(settle(task, [{"label": "moving", "score": 0.75}], args, self.media))


def make_studio(config: Config, media: MediaStore) -> Studio | None:
    """The studio, where the configuration allows remote endpoints."""
    return Studio(media) if config.inference_mode != "local" else None
