"""The task table: the one place that defines the task types.

A row defines a task's arguments, the schema of its result (`results.ResultSchema`), the sentence that puts the
result into an answer, whether a language model does the task well by itself, which method of
`huggingface_hub.InferenceClient` runs it, and which models it has besides the catalogue's.
Experts that run on this machine declare their task themselves.

Task names are those of JARVIS (arXiv 2303.17580, table 13 and its code); `zero-shot-classification`,
`fill-mask` and further controls are added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hugginggpt.core import results
from hugginggpt.core.results import Kind, ResultSchema


@dataclass(frozen=True, slots=True)
class Arg:
    """An argument of a task: `kind` is the kind of its value; `many` means a list of strings."""

    name: str
    kind: Kind = "text"
    required: bool = True
    about: str = ""
    many: bool = False


@dataclass(frozen=True, slots=True)
class HubMethod:
    """A method of `InferenceClient` and the task's argument for each of its parameters."""

    name: str
    params: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TaskType:
    """One row of the table."""

    name: str
    about: str
    args: tuple[Arg, ...]
    result: ResultSchema
    answer: str = "{}"
    llm: bool = False
    hub: HubMethod | None = None
    models: tuple[str, ...] = ()
    _by_name: dict[str, Arg] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name.update((arg.name, arg) for arg in self.args)

    def arg(self, name: str) -> Arg | None:
        """The argument of that name, or None if the task has none."""
        return self._by_name.get(name)

    @property
    def required(self) -> tuple[Arg, ...]:
        return tuple(arg for arg in self.args if arg.required)


TEXT_IN = Arg("text")
IMAGE_IN = Arg("image", "image")
AUDIO_IN = Arg("audio", "audio")
QUESTION = Arg("text", about="the question")


def _hub(method: str, **params: str) -> HubMethod:
    return HubMethod(method, params)


_TEXT_TASKS = (
    TaskType(
        "text-classification", "say which class a text belongs to, by default its sentiment",
        (TEXT_IN,), results.LABELS, answer="The text reads as {}.", hub=_hub("text_classification", text="text"),
    ),
    TaskType(
        "zero-shot-classification", "sort a text into classes that the request names",
        (TEXT_IN, Arg("labels", many=True, about="the classes")), results.LABELS, answer="The text fits best: {}.",
        hub=_hub("zero_shot_classification", text="text", candidate_labels="labels"),
    ),
    TaskType(
        "token-classification", "find the named entities (people, places, organisations, dates) in a text",
        (TEXT_IN,), results.ENTITIES, answer="Named in the text: {}.", hub=_hub("token_classification", text="text"),
    ),
    TaskType(
        "question-answering", "answer a question from a given text",
        (QUESTION, Arg("context", about="the text that holds the answer")), results.ANSWER,
        answer="The answer from the text: {}",
        hub=_hub("question_answering", question="text", context="context"),
    ),
    TaskType(
        "summarization", "make a text shorter, keeping what matters",
        (TEXT_IN,), results.TEXT, answer="In short: {}", llm=True, hub=_hub("summarization", text="text"),
    ),
    TaskType(
        "translation", "put a text into another language",
        (TEXT_IN, Arg("language", required=False, about="the language to translate to")), results.TEXT,
        answer="The translation: {}",
        llm=True, hub=_hub("translation", text="text"),
    ),
    TaskType(
        "text2text-generation", "rewrite a text: paraphrase, correct, simplify",
        (TEXT_IN,), results.TEXT, answer="Rewritten: {}", llm=True,
    ),
    TaskType(
        "text-generation", "write or continue a text",
        (TEXT_IN,), results.TEXT, answer="{}", llm=True, hub=_hub("text_generation", prompt="text"),
    ),
    TaskType("conversational", "reply to a remark in a conversation", (TEXT_IN,), results.TEXT, llm=True),
    TaskType(
        "fill-mask", "fill the gap marked [MASK] in a sentence",
        (TEXT_IN,), results.FILLED, answer="{}", hub=_hub("fill_mask", text="text"),
    ),
    TaskType(
        "sentence-similarity", "say how close two texts are in meaning, from 0 to 1",
        (Arg("text1"), Arg("text2")), results.SCORES, answer="The similarity of the two texts is {} (1 is the same).",
        hub=_hub("sentence_similarity", sentence="text1", other_sentences="text2"),
    ),
    TaskType(
        "tabular-classification", "predict the missing classes of a table's rows",
        (Arg("table", "table", about="CSV text or a .csv file"),), results.CLASSES, answer="The predicted classes: {}.",
        hub=_hub("tabular_classification", table="table"),
    ),
)  # fmt: skip

_IMAGE_TASKS = (
    TaskType(
        "image-classification", "say what a picture shows, as labels",
        (IMAGE_IN,), results.LABELS, answer="The picture {image} shows: {}.",
        hub=_hub("image_classification", image="image"),
    ),
    TaskType(
        "object-detection", "find, name and box the objects in a picture; also to count them",
        (IMAGE_IN, Arg("labels", required=False, many=True, about="what to look for")), results.BOXES,
        answer="In {image}: {}.", hub=_hub("object_detection", image="image"),
    ),
    TaskType(
        "image-segmentation", "mark which parts of a picture belong to what",
        (IMAGE_IN,), results.MASKS, answer="Marked in {image}: {}.", hub=_hub("image_segmentation", image="image"),
    ),
    TaskType(
        "depth-estimation", "estimate how far away each part of a picture is",
        (IMAGE_IN,), results.IMAGE, answer="The depth in {image}, near is bright: {}",
    ),
    TaskType(
        "image-to-text", "describe a picture, or read the text in it",
        (IMAGE_IN,), results.TEXT, answer="{image}: {}", hub=_hub("image_to_text", image="image"),
    ),
    TaskType(
        "visual-question-answering", "answer a question about a picture",
        (IMAGE_IN, QUESTION), results.ANSWERS, answer="The answer for {image}: {}.",
        hub=_hub("visual_question_answering", image="image", question="text"),
    ),
    TaskType(
        "document-question-answering", "answer a question about a scanned page, form or invoice",
        (IMAGE_IN, QUESTION), results.ANSWERS, answer="The page {image} says: {}.",
        hub=_hub("document_question_answering", image="image", question="text"),
    ),
    TaskType(
        "image-to-image", "change a picture: edit it as a text says, restore or enlarge it",
        (IMAGE_IN, Arg("text", required=False, about="what to change")), results.IMAGE,
        answer="The changed picture: {}",
        hub=_hub("image_to_image", image="image", prompt="text"),
    ),
    TaskType(
        "text-to-image", "make a picture from a description",
        (TEXT_IN,), results.IMAGE, answer="The picture: {}", hub=_hub("text_to_image", prompt="text"),
    ),
    TaskType(
        "text-to-video", "make a short video from a description",
        (TEXT_IN,), results.VIDEO, answer="The video: {}", hub=_hub("text_to_video", prompt="text"),
    ),
)  # fmt: skip

_AUDIO_TASKS = (
    TaskType(
        "automatic-speech-recognition", "write down what is said in a recording",
        (AUDIO_IN,), results.TEXT, answer="The recording {audio} says: “{}”",
        hub=_hub("automatic_speech_recognition", audio="audio"),
    ),
    TaskType(
        "audio-classification", "say what a recording holds, as labels (speech, music, a language, an emotion)",
        (AUDIO_IN,), results.LABELS, answer="The recording {audio} holds: {}.",
        hub=_hub("audio_classification", audio="audio"),
    ),
    TaskType(
        "audio-to-audio", "change a recording: remove noise, separate voices, change a voice",
        (AUDIO_IN,), results.AUDIO, answer="The changed recording: {}", hub=_hub("audio_to_audio", audio="audio"),
    ),
    TaskType(
        "text-to-speech", "read a text aloud",
        (TEXT_IN,), results.AUDIO, answer="Read aloud: {}", hub=_hub("text_to_speech", text="text"),
    ),
)  # fmt: skip

CONTROLS = {
    "canny": "its edges (Canny)",
    "hed": "its soft edges (HED)",
    "mlsd": "its straight lines (M-LSD)",
    "normal": "its surface normals",
    "openpose": "the pose of the people in it",
    "depth": "its depth",
    "scribble": "a scribble of it",
    "seg": "its regions",
}
"""The control pictures of ControlNet (arXiv 2302.05543): what each extracts from a picture."""

_CONTROL_MODELS = {"depth": "midas-control"}
"""The models of controls whose model and task have different names, as in JARVIS."""

_CONTROL_TASKS = tuple(
    TaskType(
        f"{control}-control", f"draw of a picture {what}",
        (IMAGE_IN,), results.IMAGE, answer=f"Drawn of {{image}}, {what}: {{}}",
        models=(_CONTROL_MODELS.get(control, f"{control}-control"),),
    )
    for control, what in CONTROLS.items()
)  # fmt: skip

_CONTROLLED_TASKS = tuple(
    TaskType(
        f"{control}-text-to-image", f"make a new picture from a description and, of another picture, {what}",
        (IMAGE_IN, TEXT_IN), results.IMAGE, answer="The picture: {}", models=(f"lllyasviel/sd-controlnet-{control}",),
    )
    for control, what in CONTROLS.items()
)  # fmt: skip

TASKS: dict[str, TaskType] = {
    row.name: row for row in (*_TEXT_TASKS, *_IMAGE_TASKS, *_AUDIO_TASKS, *_CONTROL_TASKS, *_CONTROLLED_TASKS)
}
"""Every task type by its name."""

ALIASES = {
    "sentiment-analysis": "text-classification",
    "named-entity-recognition": "token-classification",
    "ner": "token-classification",
    "text-summarization": "summarization",
    "image-captioning": "image-to-text",
    "optical-character-recognition": "image-to-text",
    "ocr": "image-to-text",
    "vqa": "visual-question-answering",
    "image-editing": "image-to-image",
    "speech-recognition": "automatic-speech-recognition",
    "speech-to-text": "automatic-speech-recognition",
    "text-to-audio": "text-to-speech",
    "midas-control": "depth-control",
}
"""Other names for the same tasks that language models, Hugging Face and TaskBench use."""


def find_task_type(name: str) -> TaskType | None:
    """The row for a name as a language model may write it ("Image to Text", "image_to_text", "ocr")."""
    key = "-".join(name.strip().lower().replace("_", " ").replace("-", " ").split())
    return TASKS.get(ALIASES.get(key, key))


ARG_ALIASES = {
    "question": "text",
    "prompt": "text",
    "query": "text",
    "sentence": "text",
    "input": "text",
    "instruction": "text",
    "img": "image",
    "image_url": "image",
    "img_url": "image",
    "audio_url": "audio",
    "sentence1": "text1",
    "sentence2": "text2",
    "source_sentence": "text1",
    "candidate_labels": "labels",
    "target_language": "language",
    "csv": "table",
    "data": "table",
}
"""Names that language models use for arguments, and the table's name for each."""
