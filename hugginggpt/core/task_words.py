"""The words by which the offline planner knows the tasks of the task table.

A cue counts where a resource of the kind that the task takes is at hand or can be made.
"""

from __future__ import annotations

from collections.abc import Mapping

from hugginggpt.core.task_types import Cue

_A_PICTURE = r"(?:picture|image|photo(?:graph)?|drawing|painting|illustration|poster|logo)s?\b"
_WRITING = (
    r"\b(?:poem|story|tale|song|rhyme|limerick|haiku|letter|e-?mail|thank[- ]you|invitation|"
    r"apology|complaint|toast|speech|slogan|postcard|(?:birthday|greeting|christmas) card|advert|joke)s?\b"
)
"""What a person writes."""
_WRITE = r"(?:write|compose|draft|invent|make up|think up)\b"
_MAKE = r"(?:draw|generate|create|make|paint|design|produce|give me|show me)\b"
_ENTITIES = r"(?:people|persons|places|locations|cities|countries|names|organi[sz]ations|companies|entities)"

_KEPT = {
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

SPEECH = Cue(
    r"\b(?:aloud|loud|say(?:ing)?|speak(?:ing)?|spoken|read(?:ing)?|recit\w+|narrat\w+|pronounc\w+|voice\w*|dub\w*|hear|listen|"
    r"tell (?:it|this|them) to|audio\w*|speech|sound|mp3|wav|tts|podcast|vocali[sz]e\w*|announce|utter|whisper|shout)\b"
)
"""Without one of these words nothing is to be read aloud."""

DOCUMENT = Cue.any_of(
    r"(?:invoice|receipt|document|form|page|contract|bill|letter|scan|statement|certificate|due|total)\b"
)
"""What a question about a picture has to name for the picture to be read as a document."""


def _following(kept: str) -> Cue:
    """Words for a new picture that keeps something of another one."""
    return Cue.any_of(
        rf"{kept}.{{0,80}}\b{_MAKE}.{{0,25}}\b{_A_PICTURE}",
        rf"{_MAKE}.{{0,15}}\b{_A_PICTURE}.{{0,80}}\b(?:with|in|using|from|along|following|that (?:follows|keeps|has)) (?:the |my |this )?(?:same )?{kept}",
    )


_ANOTHER = r"(?:the |this |that |my )?(?:\w+ ){0,2}?(?:photo\.jpg|(?:first|second|third|last|other)\b|(?:picture|image|photo|painting|drawing)\b)"
"""A picture that is named, or meant."""
_STYLE = r"(?:style|look|manner|brush ?work|brush ?strokes?|technique|palette|colou?rs|template|model)\b"
STYLE = (
    rf"\b{_STYLE} (?:of|from|in) {_ANOTHER}|photo\.jpg['’]s (?:style|look)|photo\.jpg as (?:the |a |my )?{_STYLE}|\b(?:in|with) photo\.jpg (?:style|look)\b"
    rf"|\blook\w* (?:\w+ )?like {_ANOTHER}|(?<!['’]d )(?<!would )\b(?:like|as|after|with|as style:?|style is|style:) {_ANOTHER}(?! (?:in the style|look))"
)
"""Where the picture whose style is taken stands in a request."""
_PAINT = r"\b(?:redo|redraw|(?:re)?(?:paint|draw|render|colou?r|create|make|style|styli[sz]e))\b"

_SUNG = r"(?:music|singing|songs?|vocals?)\b(?! (?:genre|style|instrument)s?)"
_HEARD = r"\b(?:speech|speak|speaks|speaking|spoken|talk|talks|talking|voices?|sing|sings|singing|sung|music|songs?)\b"

_TRANSLATE = r"\btranslat\w+"
_IN_ENGLISH = r"\b(?:in|into|to) english\b"
_SOUND = r"(?:\bsound\.wav|\brecording|\bspeech\b|\baudio\b|\bvoice (?:message|memo|note)\b)"
_SAID = rf"(?:{_TRANSLATE} {_SOUND}|\bwhat .{{0,40}}(?:\bsa(?:y|ys|ying|id)\b|\bspoken\b)|\btranscri\w+)"

_COUNTED = (
    r"(?:\d{1,3}|one|an?|a single|two|three|four|five|six|seven|ein(?:em|er|en)?|zwei|drei|vier|fünf|sechs|"
    r"une?|una|deux|trois|quatre|cinq|dos|tres|cuatro|cinco)"
)
SHAPE = (
    rf"\b{_COUNTED} (?:[a-zà-ÿ]{{3,10}} )?(?:sentences?|lines?|points?|bullets?|words?|s[aä]tze?n?|stichpunkten?|punkten?|wörtern?|worten|"
    r"phrases?|mots|frases?|líneas?|puntos|palabras)\b|\b(?:bullet points?|bullets|key points|stichpunkten?|points clés|puntos clave)\b|"
    r"[一两二三四五六七\d](?:句话|个要点|点|个字)"
)
"""How long a summary is to be: "in one sentence", "as three bullet points"."""
CUES: Mapping[str, tuple[Cue, ...]] = {
    "text-to-speech": (
        Cue(
            r"\b(?:aloud|out loud)\b|\bread (?:this |it |them )?out\b.*'text'|^\W*(?:say|speak|pronounce):? 'text'(?! in )",
            sure=True,
        ),
        Cue.any_of(
            r"aloud\b",
            r"out loud\b",
            r"text.to.speech",
            r"(?:read|say|speak) (?:it|this|that|them|the \w+)? ?(?:out|to me)\b",
            r"speak\b(?! to)",
            r"narrat\w+",
            r"dub\b",
            r"audio version",
            r"(?:as|into) (?:an? )?(?:audio|speech|voice)\b",
            r"voice.?over",
        ),
    ),
    "text-classification": (
        Cue(r"\bhow (?:does |do |did |is |was )?.{1,40}\b(?:feel(?:s|ing)?|felt)\b", sure=True),
        Cue.any_of(
            r"sentiment\b",
            r"positive\b",
            r"negative\b",
            r"mood\b",
            r"(?:happy|sad|angry|cheerful)\b",
        ),
    ),
    "automatic-speech-recognition": (
        Cue(
            r"^\W*(?:does|do|did)\b(?! not)(?=.{0,80}(?:sound\.wav|\brecording|\bspeaker)).{1,60}\bmention\b|\bwhat(?:['’]s| is| was) (?:sound\.wav|(?:this|the) recording) about\b",
            sure=True,
        ),
        Cue.any_of(
            r"transcri\w+",
            r"write down what",
            r"what (?:is|was|'s) (?:being )?(?:said|spoken)",
            r"speech.to.text",
            r"subtitles?\b",
            r"what (?:does|do|did) .{0,30}\bsay\b",
        ),
    ),
    "fill-mask": (Cue(r"\[MASK\]", sure=True),),
    "canny-control": (
        Cue.any_of(r"(?<!soft )edges?\b", r"canny\b", r"outlines?\b", r"contours?\b"),
        Cue.any_of(
            r"(?:into|as|make|draw|want|need|get|create|give)\b.{0,30}\b(?:line[ -](?:drawing|art)|outline drawing|"
            r"colou?ring[ -](?:page|picture|sheet|in\b))",
            sure=True,
        ),
    ),
    "hed-control": (Cue.any_of(r"hed\b", r"soft edges"),),
    "mlsd-control": (Cue.any_of(r"m-?lsd\b", r"straight lines"),),
    "normal-control": (Cue.any_of(r"normal map", r"surface normals"),),
    "scribble-control": (Cue.any_of(r"scribble\b", r"doodle\b"),),
    "seg-control": (Cue.any_of(r"(?:draw|paint|mark) .{0,20}\bregions?\b", r"seg(?:mentation)? map"),),
    "openpose-control": (Cue.any_of(r"poses?\b", r"posture\b", r"skeleton\b", r"openpose\b"),),
    "depth-estimation": (Cue.any_of(r"depth\b", r"how far"),),
    "image-segmentation": (
        Cue.any_of(
            r"segment\w*",
            r"cut ?(?:\w+ )?out\b",
            r"masks?\b",
            r"separate .{0,30}background",
        ),
    ),
    "object-detection": (
        Cue(
            r"\b(?:draw|put|make|place|add|paint)\b.{0,20}\b(?:frame|box|rectangle|circle|square|border)s? a?round "
            r"(?!it\b|this\b|that\b|them\b|photo\.jpg|the (?:whole |entire )?(?:picture|photo|image))",
            sure=True,
        ),
        Cue.any_of(
            r"how many\b",
            r"\bcount\b",
            r"number of\b",
            r"detect\w*",
            r"locate\b",
            r"bounding box\w*",
            r"(?:is|are) there (?:a|an|any)\b",
            r"(?:find|mark|box|list|name|identify|recogni[sz]e) (?:all |every |each )?(?:of )?(?:the )?(?:objects?|things|animals|people|cars)\b",
            r"(?:which|what) (?:objects?|things|animals)\b",
        ),
    ),
    "image-to-text": (
        Cue.any_of(
            r"descri(?:be|ption)\w*",
            r"caption\w*",
            r"what(?:'s| is| does| do|'re| are) .{0,40}\b(?:show|say|written|in (?:it|this|that|the (?:picture|image|photo)))",
            r"read (?:me )?(?:out )?(?:the|its|any|all) (?:text|words|writing|letters|sign)",
            r"text (?:in|on|from|of)\b",
            r"what(?:'s| is) (?:in|on)\b",
            r"ocr\b",
            r"extract (?:the |all )?text",
        ),
    ),
    "visual-question-answering": (
        Cue(
            r"(?:^|\btell me|\band|\bso)\W*where(?:abouts)?(?:'s| is| are) (?:the|my|his|her|our|their|all)\b(?=.{1,80}(?:photo\.jpg|\b(?:picture|image|photo)))"
            r"|\b(?:what|who)(?:'s| is| are) (?:there )?(?:on|at|in) the (?:left|right|top|bottom|middle|centre|center)\b"
            r"|\bwhat(?:'s| is| are) (?:right |just |directly )?(?:next to|beside|above|below|under|(?:to the )?(?:left|right) of) "
            r"|\b(?:(?:which|what) .{1,40}(?:bigger|larger|smaller|taller)|(?:biggest|largest|smallest|tallest))\b(?=.{0,60}(?:photo\.jpg|\b(?:picture|image|photo)))"
            r"|\bhow much (?:space |room )?of (?:the )?(?:photo\.jpg|picture|image|photo)\b",
            sure=True,
        ),
    ),
    "image-classification": (
        Cue.any_of(
            r"classif\w+",
            r"categori[sz]e\w*",
            r"what kind of (?:picture|image|photo|animal|scene)",
        ),
    ),
    "super-resolution": (
        Cue.any_of(
            r"up-?(?:scal|sampl)\w+",
            r"hi(?:gh)?[ -]res(?:olution)?\b",
            r"up-?res\b",
            r"super.?resol\w+",
            r"(?:higher|better|more|doubl\w+|tripl\w+|quadrupl\w+|twice|four times|increase|raise|enhance|improve)\b.{0,20}\bresolution\b",
            sure=True,
        ),
    ),
    "style-transfer": (
        Cue(
            r"\bstyle[ -]transfer\b|\brestyl\w+|photo\.jpg['’]s style\b|photo\.jpg as (?:the |a |my )?(?:style|template|model) (?:for|of|on)\b|\bphoto\.jpg (?:in|with) photo\.jpg (?:style|look)\b"
            rf"|\bphoto\.jpg,? (?:and )?style ?: ?photo\.jpg|\b(?:resemble|imitate) {_ANOTHER}|\b(?:resemble|imitate)\b.{{0,20}}photo\.jpg"
            rf"|\b(?:style|look|manner|brush ?work|brush ?strokes?|technique) (?:of|from|in) {_ANOTHER}"
            rf"|\b(?:style|look|manner)\b (?:of|from|in) .{{0,30}}\b(?:to|on|onto|for) {_ANOTHER}"
            r"|\b(?:make|let|have|turn|want|like|love|paint|draw|render)\b.{0,50}\blook\w* (?:\w+ )?(?:like|as) .{0,30}?photo\.jpg"
            rf"|{_PAINT} {_ANOTHER}.{{0,15}} (?:(?:like|as|after) (?:the |in (?:the )?)?(?:\w+ )?photo\.jpg|in the (?:style|manner) of\b)"
            r"|photo\.jpg (?:re)?painted (?:like|as|after) (?:the |in )?photo\.jpg"
            rf"|\bstyli[sz]e {_ANOTHER} (?:with|by|using)\b",
            sure=True,
        ),
    ),
    "image-safety": (
        Cue(
            r"\bn?sfw\b|\b(?:not |un)?(?:safe|suitable|appropriate|ok|okay|fit|fine|all right) (?:for|at) (?:work|the office|the workplace|my office)\b"
            r"|\b(?:show|showing|open|view|display|look at|see|hang|share|use)\b.{0,40}\b(?:at|in) (?:work|the office|the workplace|my office|a meeting|class|school)\b(?!.{0,20}\bday\b)"
            r"|\b(?:in)?decent\b|\b(?:nude|nudes|nudity|naked|porn\w*|erotic\w*|indecent\w*|obscen\w+|lewd|sexual\w*|sexually explicit|explicit (?:content|picture|image|photo)|adult content)\b",
            sure=True,
        ),
    ),
    "image-to-image": (
        Cue(
            r"\b(?:turn|change|transform|convert|make)\b.{1,60}\b(?:into|to) (?:an? |the )?(?:\w+ )?"
            r"(?:painting|cartoon|comic|sketch|drawing|watercolou?r|anime)\b",
            sure=True,
        ),
        Cue.any_of(
            r"(?:edit|retouch|restore|enhance|upscale|sharpen|colou?ri[sz]e|stylize)\b",
            r"(?:turn|change|transform|convert) .{0,60}\b(?:into|to) (?:a|an|the)\b",
        ),
    ),
    "audio-to-audio": (
        Cue.any_of(
            r"noise\b",
            r"denoise\w*",
            r"noisy recording",
            r"clean(?:\s|-)?(?:up)?\b.{0,20}(?:audio|recording|sound|voice)",
            r"enhance .{0,20}(?:audio|speech|recording)",
        ),
    ),
    "audio-classification": (
        Cue.any_of(
            r"classif\w+",
            r"(?:is|are) there (?:any )?(?:speech|music|someone speaking)",
            r"(?:any|some)(?:body|one) (?:is )?(?:speak|talk)(?:s|ing)?\b",
            r"(?:contain|hold)s? (?:any )?(?:speech|music)",
            r"what (?:kind of )?(?:sound|noise) is",
        ),
    ),
    "voice-activity-detection": (
        Cue(
            r"\bvoice activity\b|\bvad\b|\b(?:speech|music|singing|voice) (?:detection|segments|activity)\b"
            rf"|\b(?:is|are) there (?:any |some |a |an |also |no )?(?:background )?{_SUNG}"
            rf"|\b(?:contain|have|has|hold|include|hear|feature)s? (?:any |some |a )?(?:background )?{_SUNG}"
            r"|\b(?:does|do|did|can|is|are|was) (?:any(?:one|body)|some(?:one|body)|people|they|he|she|it|sound\.wav|clip\.mp4) (?:\w+ )?(?:sing|sings|singing|sung|a song|music|musical)\b(?! (?:genre|style))"
            rf"|\bwhere(?:abouts)? (?:in|on|of) sound\.wav\b.{{0,30}}{_HEARD}"
            r"|(?:^\W*|\b(?:tell|show|say|know|find out|and) (?:me )?)when (?!each|every|which|who)(?:\w+ ){0,2}?(?:talks?|speaks?|sings?|is (?:talking|speaking|singing|music))\b"
            rf"|\b(?:when|at what times?|from when|since when|until when) (?:do|does|did|is|are|was|were|can) (?:\w+ ){{0,4}}?{_HEARD}"
            rf"|\b(?:which|what) (?:parts?|sections?|passages?|seconds|minutes|times|stretches|bits) .{{0,40}}{_HEARD}"
            rf"|\bhow much (?:of )?.{{0,30}}{_HEARD}|\b(?:find|mark|list|locate|show) .{{0,20}}(?:parts?|sections?|passages?|times|stretches|places) .{{0,30}}{_HEARD}"
            r"|\b(?:speech|spoken|talking|speaking) or (?:music|singing|sung|a song)\b|\bmusic or (?:speech|talk\w*|spoken)\b",
            sure=True,
        ),
    ),
    "speech-translation": (
        Cue(
            rf"{_TRANSLATE}.{{0,60}}{_SOUND}.{{0,30}}{_IN_ENGLISH}|{_IN_ENGLISH}.{{0,60}}{_SAID}|{_SAID}.{{0,60}}{_IN_ENGLISH}"
            rf"|\b(?:put|turn|bring) .{{0,30}}{_SOUND}.{{0,30}}{_IN_ENGLISH}|\benglish translation .{{0,40}}{_SOUND}"
            r"|sound\.wav\b.{0,20}(?:\bin|\bto|->|\bas) ?english\b|\b(?:voice ?mail|speech|talk|interview|recording|podcast)\b.{0,40}sound\.wav.{0,20}\bin english\b",
            sure=True,
        ),
    ),
    "token-classification": (
        Cue.any_of(
            r"(?:named )?entit(?:y|ies)\b",
            rf"(?:which|what|find|list|name|extract|who|identify) (?:the |all |all the )?{_ENTITIES}\b",
            r"mentioned\b",
            r"\bner\b",
        ),
    ),
    "summarization": (
        Cue.any_of(
            r"summar\w+",
            r"sum(?:s|med|ming)? (?:\w+ )?up\b",
            r"shorten\b",
            r"tl;?dr\b",
            r"gist\b",
            r"key points",
        ),
    ),
    "translation": (
        Cue.any_of(
            r"translat\w+",
            r"(?:in|into|to) (?:french|german|spanish|italian|chinese|japanese|russian|portuguese|dutch|korean|arabic|polish)\b",
        ),
    ),
    "sentence-similarity": (Cue.any_of(r"similar\w*", r"(?:close|same) (?:in )?meaning"),),
    "text2text-generation": (
        Cue.any_of(
            r"(?:rephrase|paraphrase|rewrite|simplify|proofread)\b",
            r"correct (?:the )?(?:grammar|spelling)",
        ),
    ),
    "text-generation": (
        Cue.any_of(rf"{_WRITE}(?!.{{0,60}}\bin (?:\w+ ){{1,2}}letters\b)[^.;:\"“]{{0,60}}?{_WRITING}", sure=True),
        Cue.any_of(r"(?:write|compose|continue) (?:me )?(?:a|an|the|this)\b"),
    ),
    "conversational": (Cue.any_of(rf"{_WRITE}[^.;:\"“]{{0,60}}?\b(?:answer|reply|response)s?\b", sure=True),),
    "table-question-answering": (
        Cue.any_of(
            r"averages?\b", r"mean\b(?! by)", r"median\b", r"(?:rows?|columns?|csv|spreadsheet)\b", r"group(?:ed)? by\b"
        ),
    ),
    "tabular-classification": (Cue.any_of(r"predict\b", r"classif\w+", r"missing (?:classes|values|labels)"),),
    "text-to-video": (Cue.any_of(rf"{_MAKE}.{{0,40}}\b(?:video|clip|animation)s?\b"),),
    "text-to-image": (
        Cue.any_of(
            rf"{_MAKE}.{{0,40}}\b{_A_PICTURE} (?:of|with|showing|that|for)",
            rf"^(?:an? )?{_A_PICTURE} (?:of|showing)",
        ),
    ),
    **{f"{control}-text-to-image": (_following(kept),) for control, kept in _KEPT.items()},
}
"""The cues of each task; tasks without any are known by the learned head of the offline planner alone."""
