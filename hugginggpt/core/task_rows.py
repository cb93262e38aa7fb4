"""The project's rows of the task table.

Task names are those of JARVIS (arXiv 2303.17580, table 13 and its code); `zero-shot-classification`,
`fill-mask` and further controls are added.
"""

from __future__ import annotations

from dataclasses import replace

from hugginggpt.core import results
from hugginggpt.core.operation_rows import OPERATIONS
from hugginggpt.core.task_aspects import ASPECTS
from hugginggpt.core.task_types import Arg, Cue, HubMethod, TaskType
from hugginggpt.core.task_words import CUES, DOCUMENT, SHAPE, SPEECH, STYLE

TEXT_IN = Arg("text")
IMAGE_IN = Arg("image", "image")
SEEN_IN = Arg("image", "image", about="a picture or video", may_be_video=True)
AUDIO_IN = Arg("audio", "audio")
QUESTION = Arg("text", about="the question")


def _hub(method: str, **params: str) -> HubMethod:
    return HubMethod(method, params)


_TEXT_TASKS = (
    TaskType(
        "text-classification", "say which class a text belongs to, by default its sentiment",
        (TEXT_IN,), results.LABELS, answer="The text reads as {}.", hub=_hub("text_classification", text="text"),
        aliases=("sentiment-analysis",), cues=CUES["text-classification"],
    ),
    TaskType(
        "zero-shot-classification", "sort a text into classes that the request names",
        (TEXT_IN, Arg("labels", many=True, about="the classes")), results.LABELS, answer="The text fits best: {}.",
        hub=_hub("zero_shot_classification", text="text", candidate_labels="labels"),
    ),
    TaskType(
        "token-classification", "find the named entities (people, places, organisations, dates) in a text",
        (TEXT_IN,), results.ENTITIES, answer="Named in the text: {}.", hub=_hub("token_classification", text="text"),
        also_called=("entity-extraction", "entity-recognition"),
        aliases=("named-entity-recognition", "ner"), cues=CUES["token-classification"],
    ),
    TaskType(
        "question-answering", "answer a question from a given text",
        (QUESTION, Arg("context", about="the text that holds the answer, or its file")), results.ANSWER,
        answer="{}",
        hub=_hub("question_answering", question="text", context="context"),
        writes_text=True, is_repeatable=True, wording="question",
    ),
    TaskType(
        "summarization", "make a text shorter, keeping what matters",
        (TEXT_IN, Arg("shape", required=False, about="how long, such as: one sentence, 3 points", pattern=SHAPE)),
        results.TEXT, answer="In short: {}", llm=True, hub=_hub("summarization", text="text"),
        aliases=("text-summarization",),
        writes_text=True, result_names=("summary", "gist"), is_digest=True, default="", cues=CUES["summarization"],
    ),
    TaskType(
        "translation", "put a text into another language",
        (TEXT_IN, Arg("language", required=False, about="the language to translate to")), results.TEXT,
        answer="The translation: {}",
        llm=True, hub=_hub("translation", text="text"),
        writes_text=True, result_names=("translation",), is_repeatable=True, cues=CUES["translation"],
    ),
    TaskType(
        "text2text-generation", "rewrite a text: paraphrase, correct, simplify",
        (TEXT_IN,), results.TEXT, also_called=("text-to-text",), answer="Rewritten: {}", llm=True,
        writes_text=True, cues=CUES["text2text-generation"],
    ),
    TaskType(
        "text-generation", "write or continue a text",
        (TEXT_IN,), results.TEXT, answer="{}", llm=True, hub=_hub("text_generation", prompt="text"),
        writes_text=True, result_names=("poem", "story"), is_repeatable=True, cues=CUES["text-generation"],
        wording="writing", serves="chats",
    ),
    TaskType("conversational", "reply to a remark in a conversation", (TEXT_IN,), results.TEXT, llm=True,
        writes_text=True, result_names=("reply",), wording="remark", serves="chats", cues=CUES["conversational"],
    ),
    TaskType(
        "fill-mask", "fill the gap marked [MASK] in a sentence",
        (TEXT_IN,), results.FILLED, answer="{}", hub=_hub("fill_mask", text="text"),
        cues=CUES["fill-mask"],
    ),
    TaskType(
        "sentence-similarity", "say how close two texts are in meaning, from 0 to 1",
        (Arg("text1"), Arg("text2")), results.SCORES, also_called=("text-similarity", "semantic-similarity"),
        answer="The similarity of the two texts is {} of 1; whether they say the very same, this does not tell.",
        hub=_hub("sentence_similarity", sentence="text1", other_sentences="text2"),
        cues=CUES["sentence-similarity"], wording="pair", serves="embeddings",
    ),
    TaskType(
        "tabular-classification", "predict the missing classes of a table's rows",
        (Arg("table", "table", about="CSV text or a .csv file"),), results.CLASSES, answer="The predicted classes: {}.",
        also_called=("table-classification",),
        hub=_hub("tabular_classification", table="table"),
        cues=CUES["tabular-classification"],
    ),
    TaskType(
        "table-question-answering",
        "answer a question from a table: count, sum, average, filter, group, sort, look up; or say what it holds",
        (Arg("table", "table", about="CSV text, or a file with a table"), QUESTION), results.ANSWER,
        answer="{}",
        hub=_hub("table_question_answering", table="table", query="text"), aliases=("tableqa", "table-qa"),
        writes_text=True, is_repeatable=True, wording="question", default="What is in this table?",
        cues=CUES["table-question-answering"],
    ),
)  # fmt: skip

_IMAGE_TASKS = (
    TaskType(
        "image-classification", "say what a picture shows, as labels",
        (SEEN_IN,), results.LABELS, answer="{image} shows: {}.",
        hub=_hub("image_classification", image="image"),
        cues=CUES["image-classification"],
    ),
    TaskType(
        "object-detection", "find, name and box the objects in a picture; also to count them",
        (SEEN_IN, Arg("labels", required=False, many=True, about="what to look for")), results.BOXES,
        answer="In {image}: {}.", hub=_hub("object_detection", image="image"),
        cues=CUES["object-detection"],
    ),
    TaskType(
        "image-segmentation", "mark which parts of a picture belong to what",
        (IMAGE_IN,), results.MASKS, answer="Marked in {image}: {}.", hub=_hub("image_segmentation", image="image"),
        cues=CUES["image-segmentation"],
    ),
    TaskType(
        "depth-estimation", "estimate how far away each part of a picture is",
        (IMAGE_IN,), results.IMAGE, answer="The depth in {image}, near is bright: {}",
        cues=CUES["depth-estimation"],
    ),
    TaskType(
        "image-to-text", "describe a picture, or read the text in it",
        (SEEN_IN,), results.TEXT, answer="{image}: {}", hub=_hub("image_to_text", image="image"),
        also_called=("text-recognition", "image-description"),
        aliases=("image-captioning", "optical-character-recognition", "ocr"),
        writes_text=True, result_names=("caption", "description"), reads_files=True, default="",
        cues=CUES["image-to-text"],
    ),
    TaskType(
        "visual-question-answering", "answer a question about a picture",
        (SEEN_IN, QUESTION), results.ANSWERS, answer="{image}: {}",
        hub=_hub("visual_question_answering", image="image", question="text"),
        aliases=("vqa",),
        writes_text=True, is_repeatable=True, wording="question", cues=CUES["visual-question-answering"],
    ),
    TaskType(
        "document-question-answering", "answer a question about a scanned page, form or invoice",
        (SEEN_IN, QUESTION), results.ANSWERS, answer="{image}: {}",
        hub=_hub("document_question_answering", image="image", question="text"),
        writes_text=True, is_repeatable=True, wording="question", subject=DOCUMENT,
    ),
    TaskType(
        "image-to-image", "change a picture: edit it as a text says, restore or enlarge it",
        (IMAGE_IN, Arg("text", required=False, about="what to change")), results.IMAGE,
        also_called=("image-enhancement", "image-manipulation", "image-modification"),
        answer="The changed picture: {}",
        hub=_hub("image_to_image", image="image", prompt="text"),
        aliases=("image-editing",), transforms_input=True, is_repeatable=True, cues=CUES["image-to-image"],
        wording="instruction",
    ),
    TaskType(
        "super-resolution", "make a picture larger, with finer detail than by stretching it",
        (IMAGE_IN, Arg("factor", required=False, about="2 or 4",
                       pattern=r"\b(?:x ?)?(4|four|quadruple|2|two|twice|doubl(?:e|ing))(?=\b|x\b)")),
        results.IMAGE,
        also_called=("image-super-resolution", "image-upscaling"), answer="The larger picture: {}",
        aliases=("upscaling",), transforms_input=True, cues=CUES["super-resolution"],
    ),
    TaskType(
        "style-transfer", "paint a picture in the style of another picture",
        (IMAGE_IN, Arg("style", "image", about="the picture whose style is taken", pattern=STYLE)), results.IMAGE,
        answer="{image} in the style of {style}: {}",
        also_called=("image-style-transfer", "image-stylization"), aliases=("neural-style-transfer",),
        transforms_input=True, is_repeatable=True, cues=CUES["style-transfer"],
        needs_words=Cue(r"^(?!\W*(?:does|did|is|are|was|were|which|what|who|how|why)\b)"),  # "does a look like b?"
    ),
    TaskType(
        "image-safety", "say whether a picture is safe for work: whether it shows naked people or sexual acts",
        (SEEN_IN,), results.LABELS, answer="Judged by nudity and sexual acts alone, {image} is: {}.",
        also_called=("image-moderation",), aliases=("nsfw-detection",), cues=CUES["image-safety"],
    ),
    TaskType(
        "text-to-image", "make a picture from a description",
        (TEXT_IN,), results.IMAGE, answer="The picture: {}", hub=_hub("text_to_image", prompt="text"),
        also_called=("image-generation", "image-creation"),
        transforms_input=True, is_repeatable=True, cues=CUES["text-to-image"], wording="scene", serves="images",
    ),
    TaskType(
        "text-to-video", "make a short video from a description",
        (TEXT_IN,), results.VIDEO, answer="The video: {}", hub=_hub("text_to_video", prompt="text"),
        also_called=("video-generation", "video-creation"),
        transforms_input=True, is_repeatable=True, unless_named=("video",), cues=CUES["text-to-video"], wording="scene",
    ),
)  # fmt: skip

_AUDIO_TASKS = (
    TaskType(
        "automatic-speech-recognition", "write down what is said in a recording",
        (AUDIO_IN,), results.TEXT, answer="The recording {audio} says: “{}”",
        also_called=("audio-to-text", "audio-transcription", "speech-transcription"),
        hub=_hub("automatic_speech_recognition", audio="audio"),
        aliases=("speech-recognition", "speech-to-text"),
        writes_text=True, result_names=("transcript", "transcription"), reads_files=True, default="",
        cues=CUES["automatic-speech-recognition"], serves="transcriptions",
    ),
    TaskType(
        "speech-translation", "write down in English what is said in a recording in another language",
        (AUDIO_IN,), results.TEXT, answer="What the recording {audio} says, in English: “{}”",
        also_called=("audio-translation", "speech-to-text-translation"),
        writes_text=True, writes_in="English", cues=CUES["speech-translation"],
    ),
    TaskType(
        "audio-classification", "say what a recording holds, as labels (speech, music, a language, an emotion)",
        (AUDIO_IN,), results.LABELS, answer="The recording {audio} holds: {}.",
        hub=_hub("audio_classification", audio="audio"),
        cues=CUES["audio-classification"],
    ),
    TaskType(
        "voice-activity-detection", "say when speech, singing and music are heard in a recording, and whether at all",
        (AUDIO_IN,), results.ANSWER, answer="In {audio}: {}.",
        also_called=("sound-event-detection", "audio-event-detection", "music-detection"), aliases=("vad",),
        cues=CUES["voice-activity-detection"],
    ),
    TaskType(
        "audio-to-audio", "change a recording: remove noise, separate voices, change a voice",
        (AUDIO_IN,), results.AUDIO, answer="The changed recording: {}", hub=_hub("audio_to_audio", audio="audio"),
        also_called=("audio-enhancement", "speech-enhancement", "noise-reduction"),
        transforms_input=True, cues=CUES["audio-to-audio"],
    ),
    TaskType(
        "text-to-speech", "read a text aloud",
        (TEXT_IN,), results.AUDIO, answer="Read aloud: {}", hub=_hub("text_to_speech", text="text"),
        also_called=("speech-synthesis", "speech-generation"),
        aliases=("text-to-audio",), transforms_input=True, needs_words=SPEECH, cues=CUES["text-to-speech"],
        wording="speech", serves="speech",
    ),
)  # fmt: skip

_CONTROLS = {
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

_SEEN_IN_VIDEOS = frozenset({"openpose"})
"""The controls that tell something of a video, drawn of some of its pictures."""

_CONTROL_MODELS = {"depth": "midas-control"}
"""The models of controls whose model and task have different names, as in JARVIS."""

_CONTROL_ALIASES = {"depth": ("midas-control",)}

_CONTROL_TASKS = tuple(
    TaskType(
        f"{control}-control", f"draw of a picture {what}",
        (SEEN_IN if control in _SEEN_IN_VIDEOS else IMAGE_IN,), results.IMAGE,
        answer=f"Drawn of {{image}}, {what}: {{}}",
        models=(_CONTROL_MODELS.get(control, f"{control}-control"),), aliases=_CONTROL_ALIASES.get(control, ()),
        draws_control=control, cues=CUES.get(f"{control}-control", ()),
    )
    for control, what in _CONTROLS.items()
)  # fmt: skip

_CONTROLLED_TASKS = tuple(
    TaskType(
        f"{control}-text-to-image", f"make a new picture from a description and, of another picture, {what}",
        (IMAGE_IN, TEXT_IN), results.IMAGE, answer="The picture: {}", models=(f"lllyasviel/sd-controlnet-{control}",),
        follows_control=control, transforms_input=True, is_repeatable=True, cues=CUES[f"{control}-text-to-image"],
    )
    for control, what in _CONTROLS.items()
)  # fmt: skip

ROWS: tuple[TaskType, ...] = tuple(
    replace(row, aspects=ASPECTS.get(row.name, ()))
    for row in (*_TEXT_TASKS, *_IMAGE_TASKS, *_AUDIO_TASKS, *OPERATIONS, *_CONTROL_TASKS, *_CONTROLLED_TASKS)
)
"""Every task type of the project."""
