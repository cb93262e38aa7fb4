"""The words by which the offline planner knows a task.

Order matters only between cues that begin at the same place; a cue counts where a resource of its kind is
at hand or can be made. `kind` is what the task takes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hugginggpt.core.results import Kind


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern that names a task, and the kind of resource that the task is then about."""

    task: str
    kind: Kind
    pattern: re.Pattern[str]
    sure: bool = False


def _cue(task: str, kind: Kind, *patterns: str) -> Cue:
    return Cue(task, kind, re.compile(rf"\b(?:{'|'.join(patterns)})", re.IGNORECASE))


_A_PICTURE = r"(?:picture|image|photo(?:graph)?|drawing|painting|illustration|poster|logo)s?\b"
_MAKE = r"(?:draw|generate|create|make|paint|design|produce|give me|show me)\b"
_ENTITIES = r"(?:people|persons|places|locations|cities|countries|names|organi[sz]ations|companies|entities)"

_DRAWN = {
    "openpose": r"(?:pose|posture|skeleton)",
    "hed": r"(?:soft[ -]edges?|hed)\b",
    "mlsd": r"(?:straight lines|m-?lsd|wireframe)",
    "canny": r"(?:edges?|outlines?|contours|canny)\b",
    "depth": r"depth\b",
    "normal": r"(?:normal map|surface normals|normals)",
    "scribble": r"(?:scribble|doodle)\b",
    "seg": r"(?:segmentation|segments|regions)\b",
}
"""What of a picture a new one is to keep, for each control."""

CUES = (
    Cue("text-to-speech", "text", re.compile(r"\b(?:aloud|out loud)\b|\bread (?:this |it |them )?out\b.*'text'|^\W*(?:say|speak|pronounce):? 'text'(?! in )", re.IGNORECASE), sure=True),
    Cue("text-classification", "text", re.compile(r"\bhow (?:does |do |did |is |was )?.{1,40}\b(?:feel(?:s|ing)?|felt)\b", re.IGNORECASE), sure=True),
    Cue("automatic-speech-recognition", "audio", re.compile(r"^\W*(?:does|do|did)\b(?! not)(?=.{0,80}(?:sound\.wav|\brecording|\bspeaker)).{1,60}\bmention\b|\bwhat(?:['’]s| is| was) (?:sound\.wav|(?:this|the) recording) about\b", re.IGNORECASE), sure=True),
    Cue("fill-mask", "text", re.compile(r"\[MASK\]"), sure=True),
    # pictures that follow another one
    *(
        _cue(
            f"{control}-text-to-image", "image",
            rf"{words}.{{0,80}}\b{_MAKE}.{{0,25}}\b{_A_PICTURE}",
            rf"{_MAKE}.{{0,15}}\b{_A_PICTURE}.{{0,80}}\b(?:with|in|using|from|along|following|that (?:follows|keeps|has)) (?:the |my |this )?(?:same )?{words}",
        )
        for control, words in _DRAWN.items()
    ),
    # pictures
    _cue("canny-control", "image", r"(?<!soft )edges?\b", r"canny\b", r"outlines?\b", r"contours?\b"),
    _cue("hed-control", "image", r"hed\b", r"soft edges"),
    _cue("mlsd-control", "image", r"m-?lsd\b", r"straight lines"),
    _cue("normal-control", "image", r"normal map", r"surface normals"),
    _cue("scribble-control", "image", r"scribble\b", r"doodle\b"),
    _cue("seg-control", "image", r"(?:draw|paint|mark) .{0,20}\bregions?\b", r"seg(?:mentation)? map"),
    _cue("openpose-control", "image", r"poses?\b", r"posture\b", r"skeleton\b", r"openpose\b"),
    _cue("depth-estimation", "image", r"depth\b", r"how far"),
    _cue("image-segmentation", "image", r"segment\w*", r"cut ?(?:\w+ )?out\b", r"masks?\b", r"separate .{0,30}background"),
    _cue(
        "object-detection", "image",
        r"how many\b", r"\bcount\b", r"number of\b", r"detect\w*", r"locate\b", r"bounding box\w*", r"(?:is|are) there (?:a|an|any)\b",
        r"(?:find|mark|box|list|name|identify|recogni[sz]e) (?:all |every |each )?(?:of )?(?:the )?(?:objects?|things|animals|people|cars)\b",
        r"(?:which|what) (?:objects?|things|animals)\b",
    ),
    _cue(
        "image-to-text", "image",
        r"descri(?:be|ption)\w*", r"caption\w*", r"what(?:'s| is| does| do|'re| are) .{0,40}\b(?:show|say|written|in (?:it|this|that|the (?:picture|image|photo)))",
        r"read (?:me )?(?:out )?(?:the|its|any|all) (?:text|words|writing|letters|sign)", r"text (?:in|on|from|of)\b", r"what(?:'s| is) (?:in|on)\b",
        r"ocr\b", r"extract (?:the |all )?text",
    ),
    _cue("image-classification", "image", r"classif\w+", r"categori[sz]e\w*", r"what kind of (?:picture|image|photo|animal|scene)"),
    _cue(
        "image-to-image", "image",
        r"(?:edit|retouch|restore|enhance|upscale|sharpen|colou?ri[sz]e|stylize)\b", r"(?:turn|change|transform|convert) .{0,60}\b(?:into|to) (?:a|an|the)\b",
    ),
    # recordings
    _cue(
        "audio-to-audio", "audio",
        r"noise\b", r"denoise\w*", r"noisy recording", r"clean(?:\s|-)?(?:up)?\b.{0,20}(?:audio|recording|sound|voice)", r"enhance .{0,20}(?:audio|speech|recording)",
    ),
    _cue(
        "automatic-speech-recognition", "audio",
        r"transcri\w+", r"write down what", r"what (?:is|was|'s) (?:being )?(?:said|spoken)", r"speech.to.text", r"subtitles?\b",
        r"what (?:does|do|did) .{0,30}\bsay\b",
    ),
    _cue("audio-classification", "audio", r"classif\w+", r"(?:is|are) there (?:any )?(?:speech|music|someone speaking)",
         r"(?:any|some)(?:body|one) (?:is )?(?:speak|talk)(?:s|ing)?\b", r"(?:contain|hold)s? (?:any )?(?:speech|music)",
         r"what (?:kind of )?(?:sound|noise) is"),
    # texts
    _cue(
        "token-classification", "text",
        r"(?:named )?entit(?:y|ies)\b", rf"(?:which|what|find|list|name|extract|who|identify) (?:the |all |all the )?{_ENTITIES}\b", r"mentioned\b", r"\bner\b",
    ),
    _cue("text-classification", "text", r"sentiment\b", r"positive\b", r"negative\b", r"mood\b", r"(?:happy|sad|angry|cheerful)\b"),
    _cue("summarization", "text", r"summar\w+", r"sum(?:s|med|ming)? (?:\w+ )?up\b", r"shorten\b", r"tl;?dr\b", r"gist\b", r"key points"),
    _cue("translation", "text", r"translat\w+", r"(?:in|into|to) (?:french|german|spanish|italian|chinese|japanese|russian|portuguese|dutch|korean|arabic|polish)\b"),
    _cue("sentence-similarity", "text", r"similar\w*", r"(?:close|same) (?:in )?meaning"),
    _cue("text2text-generation", "text", r"(?:rephrase|paraphrase|rewrite|simplify|proofread)\b", r"correct (?:the )?(?:grammar|spelling)"),
    _cue("text-generation", "text", r"(?:write|compose|continue) (?:me )?(?:a|an|the|this)\b"),
    _cue("tabular-classification", "table", r"predict\b", r"classif\w+", r"missing (?:classes|values|labels)"),
    # made from text
    _cue("text-to-video", "text", rf"{_MAKE}.{{0,40}}\b(?:video|clip|animation)s?\b"),
    _cue("text-to-image", "text", rf"{_MAKE}.{{0,40}}\b{_A_PICTURE} (?:of|with|showing|that|for)", rf"^(?:an? )?{_A_PICTURE} (?:of|showing)"),
    _cue(
        "text-to-speech", "text",
        r"aloud\b", r"out loud\b", r"text.to.speech", r"(?:read|say|speak) (?:it|this|that|them|the \w+)? ?(?:out|to me)\b", r"speak\b(?! to)",
        r"narrat\w+", r"dub\b", r"audio version", r"(?:as|into) (?:an? )?(?:audio|speech|voice)\b", r"voice.?over",
    ),
)  # fmt: skip

SPEECH = re.compile(
    r"\b(?:aloud|loud|say(?:ing)?|speak(?:ing)?|spoken|read(?:ing)?|recit\w+|narrat\w+|pronounc\w+|voice\w*|dub\w*|hear|listen|"
    r"tell (?:it|this|them) to|audio\w*|speech|sound|mp3|wav|tts|podcast|vocali[sz]e\w*|announce|utter|whisper|shout)\b",
    re.IGNORECASE,
)
"""Without one of these words nothing is to be read aloud."""
QUESTION = re.compile(
    r"^\W*(?:and |so |please )?(?:what|which|who|whose|when|where|why|how|is|are|does|do|can you (?:see|tell))\b|\?\s*$",
    re.IGNORECASE,
)
DOCUMENT = re.compile(
    r"\b(?:invoice|receipt|document|form|page|contract|bill|letter|scan|statement|certificate|due|total)\b",
    re.IGNORECASE,
)


def picture_question(text: str) -> str:
    """The task that a question about a picture asks for: a page is read for it, anything else looked at."""
    return "document-question-answering" if DOCUMENT.search(text) else "visual-question-answering"
