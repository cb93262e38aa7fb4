"""The words that say how an operation is to be done: patterns by which the offline planner finds them in a request."""

from __future__ import annotations

from hugginggpt.core.picture_words import BORDER, WARMTH
from hugginggpt.core.quantities import DECIMAL, DIGITS, NUMBER, SCALES, TIME


def _any(*patterns: str) -> str:
    """Any of several patterns; of those that begin at the same place the first."""
    return f"(?:{'|'.join(patterns)})"


_COUNT = rf"(?:(?!an?\b){NUMBER})"
"""A number, but no article."""
_PERCENT = rf"{_COUNT} ?(?:%|percent\b|per cent\b)"
_PIXELS = r"(?:px|pixels?)"
_SIDE_LENGTH = r"(?<![\d,])\d+(?:,\d{3})*"
_BOTH_SIDES = rf"{DIGITS} ?(?:x|×|by|\*) ?{DIGITS}(?: ?{_PIXELS})?"
_STRENGTH = _any(
    r"(?:a )?(?:tiny |little )?bit", "a little", "slightly", "a lot", "a tad", "much", "way", "very", "far", _PERCENT,
    "twice as", "more", "less", rf"{NUMBER} times(?: as)?",
)  # fmt: skip
_VERB = (
    r"(?:(?:increase|decrease|raise|lower|reduce|boost|double|halve|(?:turn|bring|tone) (?:up|down)|"
    r"more|less|up|cut)\b "
    r"(?:the |its )?)?"
)
_HOW_MUCH = rf"{_VERB}(?:{_STRENGTH}\s{{1,3}}){{0,4}}"
"""What stands before the word for a change: "increase the", "a bit"."""

_CUTTING = "(?:cut|trim|chop|crop|snip|slice|take|shave)"
_WITHOUT = _any(
    "remove", "delete", "drop", "skip", "lose", "discard", rf"{_CUTTING}(?=.{{0,60}} (?:off|away)\b)",
    rf"{_CUTTING} (?:off|away|out)", "strip", "get rid of", "without", "except", "leave out",
)  # fmt: skip
_OFF = rf"(?:{_WITHOUT}\b[^.;]{{0,40}}?)?"
"""The words before what is not kept, if it is not kept."""

_SIDE = r"(?:left|right|top|bottom|upper|lower|middle|cent(?:er|re|ral)|inner)"
_SHARE = _any("half", "third", "quarter", "fifth", "tenth", _PERCENT)
_ASKED = r"(?:(?:please|pls|plz|just|now|then|can you|could you|would you|i want to|i need to) )*"
_OBJECT = (
    r"(?:(?<=\bto )|(?<=\baround )|(?<=\bonly )|(?<=\bjust )|(?<=\bon ))(?:only |just )?"
    r"(?:the |a |an |my |his |her )?(?!size\b|fit\b|that\b|this\b|it\b|them\b|ones?\b|an? \d)[a-z][\w -]{1,40}"
)
_CROPPED = _any(
    rf"{_SIDE}(?:[ -]?(?:hand )?{_SIDE})? (?:{_SHARE}|part|corner|side|edge|strip|bit)",
    rf"{_SIDE}\b(?! (?:half|third|quarter))[^.;]{{0,20}}?,? (?:about |by |ca\.? )?(?:{_PERCENT}|{DIGITS} ?{_PIXELS})",
    rf"(?:{_SHARE}|{DIGITS} ?{_PIXELS})(?: (?:of|off|from|on|at|in))? "
    rf"(?:the |each |every |all )?(?:{_SIDE}|sides?|edges?)",
    rf"{_BOTH_SIDES} square", rf"square (?:of |in |at )?{_BOTH_SIDES}", _BOTH_SIDES,
    rf"{DIGITS} ?: ?{DIGITS}", "square", r"cent(?:er|re)\b", r"middle\b", _OBJECT,
)  # fmt: skip
_FILE = r"(?:files?|pictures?|images?|photos?|pngs?|jpe?gs?)"
SINGLY = (
    rf"(?:separately|singly|individually|one by one|single (?:files|pictures|images|photos)|"
    rf"(?:an? )?(?:separate|individual|own) {_FILE}|(?:its|their) own {_FILE}|an? {_FILE} of (?:its|their) own|"
    rf"{_FILE} of their own)\b"
)
"""The words for a file of its own for each of several things."""
_TAKEN_OUT = _any(
    r"(?:each|every|all(?: of)?(?: the)?|the) (?!page|frame|side|edge|corner|time)"
    rf"[a-z][\w -][^.;]{{0,79}}?\b{SINGLY}",
    r"(?<=\bcrop )(?:the |a |an |my |his |her )?[a-z][\w -]{1,40}?(?= out\b)",
    r"(?:(?<=\bcut )|(?<=\bsnip )|(?<=\bclip ))(?:the |a |an |my |his |her |each |every )[a-z][\w -]{1,40}?(?= out\b)",
    r"(?<=\bcut out )(?:the |a |an |my |his |her |each |every )(?!background)[a-z][\w -]{1,40}",
)  # fmt: skip
_SIDE_PART = rf"{_SIDE}(?:[ -](?:hand )?{_SIDE})? (?:{_SHARE}|part|corner|side|bit)\b"
SIDE_LOST = rf"\b{_WITHOUT}\b[^.;]{{0,20}}?\b{_SIDE_PART}|\b(?:only|just|nothing but)\b(?: \w+){{0,2}} {_SIDE_PART}"
"""A side of a picture that is not wanted, or that alone is."""
CROP = rf"{_TAKEN_OUT}|{_OFF}{_CROPPED}(?: (?:off|away)\b)?"

BYTES = r"(?<!\d)\d{1,9}(?:[.,]\d{1,9})? ?(?:kb|mb|kib|mib|kilobytes?|megabytes?|bytes?)\b"
"""The size of a file."""
ONLY_SIZE = (
    r"^\W*(?:(?:make it|just|only|at|to|in|please) ){0,2}(?:(?:half|double|twice|a quarter of|a third of)"
    r"(?: (?:the |its |that )?size| as (?:big|large|small|wide))?|\d{1,3} ?%(?: size)?)(?: please| pls)?\W*$"
)
"""A part of a request that says nothing but how large a picture is wanted."""
TO_BYTES = (
    r"\b(?:compress|shrink|reduce|make|get|bring|resize|scale|squeeze)\b.{0,40}"
    r"\b(?:to|under|below|less than|at most|max\w*|"
    rf"smaller than|no more than)\b.{{0,12}}?{BYTES}"
)
"""What is asked for where a picture is to have so many bytes."""
SIZE = _any(
    BYTES, _BOTH_SIDES,
    rf"(?:no|not) (?:wider|broader|higher|taller|bigger|larger)(?: than)? {_SIDE_LENGTH}",
    rf"{_SIDE_LENGTH} ?{_PIXELS}?[- ]?(?:in |of )?(?:wide|width|across|broad|high|height|tall)\b",
    r"\b(?:width|height|size)(?: (?:of|to|is|should be|be))? ?:? ?\d+\b(?! ?%)",
    rf"(?:smaller|bigger|larger|shrink\w*|reduce\w*|enlarge\w*)\b[^.;]{{0,20}}? by (?:{_PERCENT}|half)",
    _PERCENT,
    rf"(?:{_COUNT}|double|twice|triple) (?:times )?(?:the|its|of the|of its|as|that|their)? ?"
    r"(?:original |current |present |old )?(?:size|big|large|small|width|height|bigger|smaller|larger)",
    r"(?:half|halve|double|doubling|twice|triple|quarter|third)\b", rf"factor (?:of )?{_COUNT}", rf"{_COUNT} times",
    rf"{DECIMAL} ?x\b(?! ?\d)", rf"{_SIDE_LENGTH} ?{_PIXELS}\b", "thumbnail", r"icon\b", "smaller", "bigger", "larger",
)  # fmt: skip

_WAY = _any(
    r"(?:the )?(?:right|correct|proper) way (?:up|round)\b", r"upright\b", "right side up",
    r"(?:point|show|stand)(?:s|ing)? up(?:wards?)?\b",
    r"(?:counter|anti)[ -]?clockwise", "clockwise", r"(?:to the )?\b(?:left|right)\b", "upside[ -]down",
    "on its (?:head|side)", r"a?round\b",
)  # fmt: skip
_DEGREES = _any(
    rf"-?{NUMBER} ?(?:°|degrees?|deg\b)", r"(?:a )?(?:quarter|half|three[- ]quarters?)(?:[- ]?turn)?\b",
    r"by -?\d+\b(?![.,]\d| ?(?:°|deg))", r"\b(?:90|180|270)\b(?! ?(?:°|deg))",
)  # fmt: skip
_SLIGHTLY = r"(?:slightly|a (?:tiny |little )?bit|a little)"
ANGLE = (
    rf"{_SLIGHTLY}\b (?:\w+ ){{0,3}}?{_WAY}|{_WAY} {_SLIGHTLY}\b|"
    rf"{_DEGREES}(?:\W+(?:\w+\W+){{0,3}}?{_WAY})?|"
    rf"{_WAY}(?:\W+(?:\w+\W+){{0,2}}?{_DEGREES})?"
)

_TO = "[ -](?:to|and|for)[ -]"
DIRECTION = _any(
    r"horizontal\w*", r"vertical\w*", "upside[ -]down", f"top{_TO}bottom", f"left{_TO}right", "sideways",
    r"left (?:\w+ ){1,2}right",
)  # fmt: skip

_GONE = r"(?:drain|take|remove|without|strip|drop)"
_NO_COMPLAINT = "".join(
    f"(?<!{word} )" for word in ("too", "is", "looks", "look", "bit", "very", "so", "quite", "rather")
)
"""What does not stand before the look that a picture is to have: "looks a bit dark" says what is wrong with it."""
_LOOK = _any(
    r"gr[ae]y(?:[ -]?scale)?\b", r"black[ -]?(?:and|&|n|/)[ -]?white\b", r"b ?[&/] ?w\b", "monochrome", r"desaturat\w*",
    "sepia", rf"{_GONE} (?:all |the |any |its )*colou?rs?\b", r"no colou?rs?\b", r"colou?rs? (?:gone|out)\b",
    r"blur\w*", r"soft(?:er|en)?\b", r"sharp\w*", r"crisp\w*", rf"{_NO_COMPLAINT}(?:bright|dark)\b", r"bright\w+",
    r"light(?:er|en)\b", r"dark\w+",
    r"contrast\w*", r"exposure\b(?:[^.;]{0,20}?\b(?:up|down)\b)?", r"satur\w*",
    "colou?rful", "vivid", "vibrant", r"pop\b(?! art)", r"punch(?:y|ier)",
    r"invert\w*", "negative", r"pencil(?: drawing| sketch)?\b", WARMTH,
)  # fmt: skip
FILE_DATA = (
    r"\b(?:gps|exif|meta ?-?data|geo ?-?(?:tags?|data)|locations?|coordinates|camera (?:data|details|info\w*)|"
    r"hidden (?:data|info\w*))\b"
)
"""What the file of a picture holds beside its pixels."""
STRIPPED = (
    rf"(?:\b(?:remove|delete|strip|erase|clear|wipe|drop|take|get rid of|clean|leave out|lose|scrub)\b[^.;?]{{0,30}}?|"
    rf"\b(?:without|no)\b[^.;?]{{0,20}}?){FILE_DATA}"
)
"""What is asked for where a file is not to say where or how its picture was taken."""
CHANGE = rf"{STRIPPED}|{BORDER}|{_HOW_MUCH}{_LOOK}(?:[^.;]{{0,20}}?\bby {_PERCENT})?"

RATIO = r"(?<![\d:])(?:\d{1,2} ?: ?\d|16 ?: ?10)(?![\d:])"
"""The shape of a picture, which is no time: that has two digits for the seconds."""
_THING = (
    r"(?:the|an?|my|his|her|each|every) (?!.*background|persons?\b|people|m[ae]n\b|wom[ae]n\b|noise|silence|sound|"
    r"(?:\w+ )?(?:pauses?|gaps?|breaks?|bits?|pieces?|passages?|scenes?|music|song)\b|first|last|part|middle|second)"
)
"""What is cut out by its box; a person is by their outline, and of a recording something else is meant."""
CROPPED_TO = (
    rf"^\W*{_ASKED}crop (?!out\b)(?!.*\bbackground)|"
    rf"\b(?:each|every|all(?: of)?(?: the)?) (?!(?:\w+ ){{0,2}}(?:pictures?|images?|photos?|stills?)\b)"
    rf"(?!.*\b(?:pages?|frames?|sheets?|rows?|words?|lines?|sounds?|songs?)\b)"
    rf"[a-z][^;]{{0,60}}?\b{SINGLY}|{RATIO}|\bcrop (?:the|a|an|my|his|her) [\w -]+ out\b|"
    rf"\bcut out {_THING}|\bcut {_THING}[\w -]+ out\b"
)

QUALITY = (
    r"\bquality(?: (?:of|to|at|is))?:? ?\d{1,3}\b(?: ?%)?|"
    r"\b\d{1,3} ?(?:%|percent)? (?:jpe?g |jpg |webp |avif )?quality\b|"
    r"\b(?:low|lower|lowest|poor|medium|high|higher|highest|best|full) quality\b"
)
"""How much a format may leave out, from 1 to 100."""
_NO_SOURCE = r"(?! (?:to|into|2)\b| ?(?:->|=>|→|>))"
"""Behind the name of a format: it is not the one that a file has so far."""
PICTURE_FORMAT = rf"\b(?:jpe?g|png|webp|avif|gif|bmp|bitmap|tiff?)\b{_NO_SOURCE}|{QUALITY}"
FORMAT_BESIDE = (
    r"\b(?:as|in|to|into) (?:an? )?(jpe?g|png|webp|avif|gif|bmp|tiff?)\b(?! (?:to|into)\b)"
    r"(?: (?:file|format|image|picture))?(?: (?:please|pls|too))*\W*$"
)
"""The format that words end with which ask for something else as well."""
WANTED_FORMAT = (
    r"\b(?:as|in|into|an?)\b(?: (?!(?:the|this|that|my|our|your|of|from)\b)[^\s,;.]{1,20}){0,5}? "
    r"(jpe?g|png|webp|avif|gif|bmp|tiff?|mp3|ogg|opus|flac|wav|m4a|aac)\b(?! (?:to|into|of mine)\b)"
)
"""A format behind what else is wanted of it: "a 300 px wide png", "as mono mp3"."""
_WHOLE_PICTURE = (
    r"(?:photo\.jpg|it|(?:this|that)(?: one)?|them|these|those|all|everything|"
    r"the (?:whole |entire )?(?:picture|image|photo))"
)
_VERSION = rf"(?:a |an |the )?(?:(?:tiny |little )?bit |tad |little |lot |much )?(?:more |less )?{_LOOK}"
CHANGED = (
    rf"^\W*(?:\$ )?{_ASKED}(?:blur|sharpen|brighten|darken|lighten|desaturate|gr[ae]yscale)(?: up)? "
    rf"{_WHOLE_PICTURE}(?: up)?\b(?! out\b)|"
    rf"\b(?:make|turn|get) {_WHOLE_PICTURE} (?:into )?{_VERSION}|"
    rf"^\W*+(?:(?:and|now|then|please|also|lovely|great|nice|ok|super|thanks|thank you)\W++)*+{_WHOLE_PICTURE},? "
    rf"(?:in|as) (?:an? )?{_LOOK}(?: (?:please|pls|too|instead|now|as well|version|then))*\W*$|"
    r"\bb ?[&/] ?w\b|\bpencil[ -](?:drawing|sketch)\b"
)
"""The whole of a picture in another light."""
OF_QUALITY = r"\bquality(?: (?:of|to|at|is))?:? ?\d|\b\d{1,3} ?(?:%|percent)? (?:jpe?g |jpg |webp |avif )?quality\b"

_OTHERS = "(?:each other|one another|it)"
COLLAGE = (
    r"^(?!\W*(?:how|what|which|who|where|is|are|does|do)\b)(?:.*\b(?:put|make|create|arrange|combine|build|do|as|into|want|"
    r"need|in an?|in one)\b.{0,60})?\b(?:contact sheet|collage|photo ?wall|montage)\b"
)
"""What is asked for where pictures are to be put into one."""
LAYOUT = _any(
    f"(?:side[ -]by[ -]side|next to {_OTHERS})(?! in (?:a|one) (?:row|column|grid))",
    "in (?:a|one) (?:row|line|column|grid)",
    f"(?:on top of|below|above|under(?:neath)?) {_OTHERS}",
    r"stack\w*(?![^.;]{0,80} in a (?:row|column|grid))", r"vertical\w*", r"horizontal\w*",
    r"\d ?(?:x|by) ?\d", "grid", rf"{_COUNT} (?:columns?|rows?)\b",
)  # fmt: skip

_FROM = r"(?:(?:from|between|(?:start|begin)\w*(?: at| from)?)\s+)?"
_UNTIL = r" ?(?:to|until|till|and|through|up to|-|–) ?(?:end(?:s|ing)? (?:at )?)?"
_TIMES = _any(
    rf"(?:first|last|opening|final|initial|middle) (?:{TIME}|(?:half|third|quarter|minute|second|hour)\b)",
    "second half",
    rf"{_FROM}(?:seconds?|minutes?) {_COUNT}{_UNTIL}(?:(?:second|minute) )?{_COUNT}\b",
    rf"{_FROM}(?:{TIME}|(?<![A-Za-z]){_COUNT}|the (?:start|beginning)){_UNTIL}(?:{TIME}|the end|end\b)",
    rf"(?:from|after|before|until|till|up to|starting at|starting from)\s+{TIME}(?: (?:on|onwards?|to the end))?",
    r"(?:(?:from|after|before|until|till|up to|starting at|at)\s+)?"
    rf"(?:second|minute) {_COUNT}\b(?: (?:on|onwards?|to the end))?",
    r"(?:silences?|silent (?:parts?|bits?|stretches)|pauses|dead air|gaps)\b", TIME,
)  # fmt: skip
PART = rf"{_OFF}(?:the )?{_TIMES}(?: (?:off|away)\b)?(?: (?:only|alone)\b)?"

BIT_RATE = rf"{DIGITS} ?(?:kbits?(?:/s|ps)?|kbps|kb/s|k)\b"
SAMPLE_RATE = rf"{DECIMAL} ?(?:khz|kilohertz|hz|hertz)\b|\bsampl(?:e|ing) rate (?:of |to |at |is )?{DIGITS}"
SILENCE_REMOVED = (
    r"\b(?:remove|cut|take|delete|strip|close|edit|drop)\b[^.;]{0,30}\b"
    r"(?:silences?|silent (?:parts|bits|stretches)|pauses|dead air|gaps)\b"
)
ONLY_FORMAT = (
    r"^\W*(?:as|in|to|into) (?:an? )?(?:jpe?g|png|webp|avif|gif|bmp|bitmap|tiff?)\b(?: (?:file|format|please))*\W*$|"
    r"^\W*+(?:(?:please|can you|could you|now|then|and|also|just)\W++)*+"
    r"(?:make|turn|change) (?:it|this|that|photo\.jpg|the (?:picture|photo|image|result))(?: into)?+ "
    r"(?:an? )?(?:jpe?g|png|webp|avif|bmp|bitmap|tiff?)\b(?: (?:file|format|please|instead|too))*\W*$"
)
"""A part of a request that says nothing but in which format a picture is wanted."""
ONLY_SOUND_FORMAT = (
    r"^\W*+(?:(?:please|can you|could you|can i|i|now|then|and|also|just)\W++)*+"
    r"(?:(?:(?:give|hand|send|pass|get) (?:it|this|that|them)(?: over)? to (?:me|us)|let me have|"
    r"make|turn|convert|change|save|export|give me|get me|send me|get|have|need|want)\b\W*+"
    r"(?:(?:it|this|that|them|these|sound\.wav|clip\.mp4|the (?:recording|sound|audio|file|result))\b\W*+)?+)?+"
    r"(?:(?:only |just )?(?:the )?"
    r"(?:sound|audio|talking|speech|voices?|speaking|spoken (?:part|words?|text)|words|talk|dialogue)"
    r"(?: (?:alone|only|itself|part|track|please|pls))*,?\s+)?+"
    r"(?:as |in |to |into )?(?:an? )?(?:mp3|ogg|opus|flac|wave?|m4a|aac)\b"
    r"(?: (?:file|format|version|copy|instead|please|pls|as well|too|also))*\W*$"
)
"""A part of a request that says nothing but in which format a recording is wanted."""
_CHANNELS = r"\b(?:mono|(?<!my )(?<!our )(?<!car )stereo)\b"
SOUND_FORMAT = rf"\b(?:mp3|ogg|opus|flac|wave?|m4a|aac)\b{_NO_SOURCE}|{BIT_RATE}|{SAMPLE_RATE}|{_CHANNELS}"

HOW_OFTEN = rf"{NUMBER}(?: (?:{'|'.join(SCALES)}))? times|twice|thrice"
"""How often something is to be repeated."""
_DECIBELS = r"(?:db|decibels?|lufs)"
_HEARD = _any(
    r"loud\w*", r"quiet\w*", "faster", r"slow\w*", r"speed\w*", r"even(?:ed)? out\b", "volume", r"normali[sz]e\w*",
    r"level(?:led|ling)?\b", _CHANNELS, r"backwards?\b", r"revers\w*",
    rf"fad(?:e|ed|ing)\b(?:[^.;]{{0,20}}?\b(?:in and out|in|out))?(?:[^.;]{{0,25}}?\b{TIME})?",
    r"amplif\w*", r"boost\w*",
    rf"(?:repeat|loop)\w*(?:[^.;]{{0,20}}?\b(?:{HOW_OFTEN}))?",
    rf"(?:{HOW_OFTEN}) (?:as long|in a row|over|in succession)",
    r"turn(?:ed)? (?:\w+ ){0,3}(?:up|down)\b", "crank", "silent",
)  # fmt: skip
_SOUNDS = _any(
    rf"[-+]?{DECIMAL} ?{_DECIBELS}\b(?: (?:louder|quieter|softer|lower|higher|up|down))?",
    rf"{_HOW_MUCH}(?:\bby \w+ )?{_HEARD}",
    rf"(?:{NUMBER}|double|twice|half) ?(?:x|times)?(?: (?:the|its|as|normal|original))* ?"
    "(?:speed|tempo|pace|fast|loud|volume)",
    rf"{NUMBER} ?x\b(?! ?\d)",
    rf"{NUMBER} times\b",
)
_TO_WHAT = _any(
    rf"{NUMBER} ?(?:{_DECIBELS}|x|times|%|percent)", "half", "double", "a (?:half|third|quarter)",
    r"-?\d+(?:[.,]\d+)?(?: ?lufs)?",
)  # fmt: skip
SOUND_CHANGE = rf"{_SOUNDS}(?:[^.;]{{0,25}}?\b(?:by|to|at) {_TO_WHAT}(?: speed)?|(?: please)?, {_PERCENT})?"

_SOUND = r"(?:sound|audio)(?: ?track)?s?\b(?! (?:effect|level|quality|noise|hiss))"
MUTED = _any(
    r"mut(?:e|ed|ing)\b", "soundless", rf"without (?:any |the |its |a )?{_SOUND}", rf"(?<!has )(?<!have )no {_SOUND}",
    "(?:remove|strip|delete|drop|kill|discard|get rid of|take (?:away|out|off)|turn off|cut out) "
    rf"(?:all )?(?:the |its )?{_SOUND}",
    rf"(?:take|turn|switch|cut) (?:all )?(?:the |its )?{_SOUND} (?:away|off|out)\b"
    r"(?!.*\b(?:as|to|into|save|keep|file)\b)",
)  # fmt: skip
HAS_SOUND = (
    r"\b(?:does|has|have|is there|are there)\b[^.;?]{0,25}?\b(?:sound|audio)(?: track)?"
    r"(?: (?:in|on|with|to) (?:it|this|that|there|clip\.mp4|the (?:video|film|clip|movie)))?\W*$"
)
"""Whether there is any sound, asked of a video."""
FRAME_RATE = rf"{DIGITS} ?(?:fps\b|(?:frames?|pictures?|images?) (?:per|a|each) second)"
GREY = r"(?:black[- ](?:and|&|n)[- ]white|b ?(?:&|and|n) ?w\b|gr[ae]y ?scale|monochrome|without colou?rs?\b)"
TURNED = (
    r"(?:rotat\w*|turn\w*)(?: (?:it|this|that|clip\.mp4|the (?:video|clip|film|picture)))?(?: (?:by|to|the))* "
    r"(?:(?:90|180|270) ?(?:degrees?|°)(?: (?:to the )?(?:left|right|(?:counter-?|anti-?)?clockwise))?|upside down|"
    r"(?:left|right|(?:counter-?|anti-?)?clockwise)\b)|upside[- ]down|sideways"
)
MIRROR = r"(?:mirror\w*|flip\w*)\b(?:[^.;]{0,20}?\b(?:horizontally|vertically))?"
VIDEO_LOOK = _any(GREY, TURNED, MIRROR)
"""How the pictures of a video are to look."""
VIDEO_FORMAT = (
    r"\b(?:as|to|in|into|an?|new|other|normal|usual|small|proper|"
    r"(?:make|turn|convert|change|save)(?: (?:it|this|that|clip\.mp4|the (?:video|film|clip|movie)))?)(?: an?)? "
    r"(?:mp4|mpeg-?4|m4v|webm|mov|mkv|avi|wmv|quicktime)\b(?! (?:to|into)\b)|"
    r"^\W*+(?:(?:please|now|and|then|ok)\W++)*+\.?mp4\b(?! (?:to|into)\b)"
)
"""The format that a video is wanted in."""
VIDEO_CHANGE = _any(MUTED, FRAME_RATE, VIDEO_FORMAT, VIDEO_LOOK, SOUND_CHANGE)
STILLS = (
    rf"\b(?:(?:{_COUNT}|some|a few|several) )?(?:screen ?shots?|stills?|snap ?shots?|"
    rf"freeze[- ]frames?) (?:of|from|at|out of)\b|"
    rf"\b(?:pictures?|frames?|images?|stills?|shots?) every (?:{TIME}|second|minute)"
)
"""Pictures of a video, called as nothing else is."""
AS_SOUND = (
    r"\b(?:put|lay|add|use|place|set|play|take)\b.{0,60}"
    r"\bas (?:the |its |a |new |background )*(?:sound ?track|sound|music|audio|voice-?over)\b|"
    r"\b(?:put|lay|add|place|play)\b.{0,40}"
    r"\b(?:sound\.wav|speech|music|song|tune|voice(?:[- ]?over)?|recording|narration|commentary|audio|sound ?track)"
    r" (?:under|over|beneath|behind|underneath|to|onto) "
    r"(?:it|this|that|the (?:video|vid|film|clip|footage)|clip\.mp4)\b"
)
"""What is asked for where a video is to get the sound of a recording."""
MIRRORED = r"\bmirror[- ](?:inverted|image|writing)\b|\bmirrored (?:version|copy)\b"
REVERSED = (
    rf"^\W*{_ASKED}reverse (?:sound\.wav|it|this|that|the (?:sound|audio|recording|song|clip))\b|"
    r"\b(?:play(?:ed)?|sounds?|be|like|run) .{0,20}?\bbackwards\b"
)
GIF_LOOK = (
    rf"{FRAME_RATE}|{_SIDE_LENGTH} ?{_PIXELS}?[- ]?(?:wide|width|across)\b|\bwidth (?:of |to )?\d+|"
    rf"{_SIDE_LENGTH} ?{_PIXELS}\b"
)
_MOVING = r"(?=.*\b(?:videos?|clips?|film|movie|footage|mp4|mov|mkv|webm)\b)"
_FASTER = r"(?:speed\w*|slow\w*|faster|(?:twice|half|double)(?: as| the)? (?:as )?(?:fast|speed)|\d+(?:[.,]\d+)? ?x\b)"
OF_VIDEO = (
    rf"^(?!\W*(?:is|are|does|has|do)\b)(?!.*\bgifs?\b)"
    rf"(?:{_MOVING}(?=.*\b{_FASTER})|(?=.*\b{MUTED})|(?=.*{VIDEO_FORMAT}))"
)
"""A clause that changes the sound, speed or format of a video."""

_PAUSE = "(?:gap|pause|silence|quiet|break)"
GAP = _any(
    rf"(?:with )?(?:an? )?(?:\b\w+ )?{_PAUSE}s? (?:of |for |lasting )?(?:about )?{TIME}",
    rf"{TIME}(?: long)?(?: of)? {_PAUSE}s?\b",
    rf"{TIME} (?:between|in between|in the middle|apart)",
    rf"\b(?:with )?(?:an? )(?:\b\w+ )?{_PAUSE}\b(?! (?:of|for|lasting)\b)",
)  # fmt: skip
JOINED_WITH_GAP = rf"(?:join|merge|concat\w*|combine|string|stitch|append|put|glue)\b.*\b{_PAUSE}"
JOINED = (
    r"\b(?:join|merge|combine|concat\w*|stitch|glue|string|put|make|turn)\b[^.;?]{0,50}?"
    r"\b(?:in(?:to)?|to|as) (?:one|a single) (?:long )?(?:mp3|wav|ogg|flac|m4a|recording|audio|sound|track|tape)\b"
)
"""What is asked for where recordings are to become one."""

MOMENT = _any(
    rf"(?:{_COUNT}|a few|several|some) (?:\w+ )?(?:screenshots|stills|frames|pictures|images|snapshots|photos)\b"
    r"(?! (?:a|per|each) second)",
    rf"(?:at |after |in )?(?:second|minute) {_COUNT}\b(?:(?: and)? {TIME})?", rf"minute {_COUNT}(?: and)? {_COUNT}\b",
    rf"{_COUNT} minutes?(?: and)? {_COUNT}\b",
    rf"every (?:{TIME}|second|minute)", rf"(?:last |first )?{TIME}(?: (?:before|from) the end)?",
    r"(?:middle|start|beginning|end|cover(?! (?:image|picture|photo)))\b",
    r"(?:first|last|final|opening) (?:frame|picture|image|second|moment)",
)  # fmt: skip
SUBTITLES = (
    r"^(?!\W*(?:does|do|did|is|are|was|has|have|what|which|why|how|where|when)\b)"
    r"(?!.*\b(?:burn|embed|overlay|hard ?cod\w*|shift|delay|sync\w*|translat\w*|remove|delete|without|no) "
    r"(?:\w+ ){0,3}sub-?titles?).*\bsub-?titles?\b|\b(?:srt|vtt|webvtt)\b"
)
"""What asks for subtitles to be written."""
TIMED = (
    r"\b(?:transcri\w+|writ\w+ (?:it |them )?down)\b[^;?]{0,40}\b(?:with|including|and) (?:the |its |all |word )*"
    r"(?:times?|time ?stamps?|time ?codes?)\b|\b(?:time ?stamped|timed) transcri\w+"
)
"""What asks for a transcript with times, which subtitles are."""
_SUBTITLES = r"(?:sub-?titles?|subs|captions?|srt|vtt)"
_MOVED = (
    r"(?:shift\w*|mov(?:e|ed|ing)|push\w*|delay\w*|earl(?:y|ier)|later?|back|forward|behind|ahead|off(?:set)?|"
    r"out of sync|(?:re)?sync\w*)"
)
_SECONDS = rf"{NUMBER} ?(?:m?s|sec(?:ond)?s?|milliseconds?)\b"
MOVED_SUBTITLES = (
    r"^(?!\W*(?:does|do|did|what|which|why|how|where|when|who)\b)"
    rf"(?=[^;]*\b{_SUBTITLES}\b)(?=[^;]*\b{_MOVED}\b)[^;]*{_SECONDS}"
)
"""What asks for subtitles at other times, or says that theirs are wrong: "the subtitles come 2 seconds too early"."""
SUBTITLES_MOVED_BY = rf"\b(?:{_MOVED}\b[^;]{{0,60}})?(?:by )?{_SECONDS}(?:[^;]{{0,40}}\b{_MOVED}\b)?"
SUBTITLE_FORMAT = r"\b(?:srt|vtt|webvtt)\b"

LIMITING = (
    r"\b(?:(?:except|apart from)(?! (?:that|this|for that)\b)|but (?:not(?! too\b)|only)|only (?:during|where|when)|"
    r"(?:only|just) (?:in|on|for|from) the (?:first|last|left|right|top|bottom|upper|lower|middle|cent(?:re|er)|"
    r"corners?|edges?|background|foreground))\b[^,.;]{0,60}|"
    r"\b(?:\d{2,4} ?dpi|(?:in|as) landscape|(?:with|by|use|using) semicolons?)\b"
)
"""What limits a change, or says more of how it is to be done: where no argument holds it, it is said not to be done."""

EDITING = (
    r"\b(?:make (?:it|this|that|them|these|the)|"
    r"crop|cut|trim|keep|resize|scale|rotate|flip|mirror|convert|export|undo|mute|burn|"
    r"stabili[sz]e|encrypt|protect|overlay|transpose|pitch|zoom|straighten|"
    r"speed|slow|join|merge|compress|shift|fade|adjust|turn|remove|delete|change|edit|smaller|larger|bigger|brighter|darker|"
    r"louder|quieter|faster|slower)\b"
)
"""The words of a request that changes a file: where it is not understood, nothing else is done to the file."""

NOT_IN_BYTES = (
    rf"(?:\b(?:make|compress|shrink|reduce|get|resize|scale|save|export|keep)\b.*|"
    rf"^\W*(?:under|below|at most|max\w*) ){BYTES}",
    "Only of a picture a size in bytes can be aimed at: of other files say the part, the speed or the "
    "format that is wanted.",
)
"""The size in bytes of what is no picture, and why it cannot be aimed at."""
_NO_QUESTION = r"^(?!\W*(?:is|are|was|were|does|do|did|has|how|why|when|who|what|which|where)\b)"
_CHANGED_LIGHT = (
    r"(?:bright\w*|dark\w*|light(?:en|er)|sharp\w*|desaturat\w*|black[ -]and[ -]white|gr[ae]y(?:scale)?|sepia)"
)
_LOUD_OR_FAST = r"(?:speed|slower|slow (?:it|this|that|them)|slow down|fast(?:er)?|louder|quieter|mut(?:e|ed)|volume)"
_ANOTHER_CHANGE = (
    r"(?:cut\w*|trim\w*|crop\w*|fad\w+|remov\w+|keep|drop|delete|throw|take|extract|gif|stills?|frames?|pictures?|"
    r"transcri\w+|write|say|says|said|what|how)"
)
"""What is done to a part that the words for a change of the whole may describe: "cut the slow bit from 0:10"."""
IMPOSSIBLE: tuple[tuple[str, str], ...] = (
    (r"\b(?:burn|hard ?cod\w*|embed|bake|overlay)\b.*\b(?:subtitles?|captions?)\b",
     "Subtitles are written as a file of their own; they cannot be drawn into the pictures of a video."),
    (rf"^(?!.*{_SECONDS}).*\b(?:shift|delay|move|offset|sync\w*|resync\w*)\b.*\b(?:subtitles?|captions?|srt)\b",
     "Subtitles are moved by seconds: say how many, and whether earlier or later."),
    (rf"{_NO_QUESTION}(?!.*\b{_ANOTHER_CHANGE}\b)(?:.*\b)?{_LOUD_OR_FAST}\b (?:\w+ ){{0,4}}?"
     rf"(?:(?:for|during|in|over) (?:only |just )?the (?:first|last|middle)|"
     rf"(?:from|between) (?:second |minute )?{TIME})\b",
     "Speed and loudness are changed of the whole; cut the part out first, then change that."),
    (rf"{_NO_QUESTION}(?:.*\b)?{_CHANGED_LIGHT}\b (?:only|just) (?:(?:in|on) )?(?:the|her|his|my) "
     r"(?!(?:\w+ ){0,2}(?:pictures?|photos?|images?|ones?|scans?|pics?|shots?|files?|first|second|third|last|others?|"
     r"same|way|two|three)\b)\w",
     "Light, colours and sharpness are changed of the whole picture."),
    (rf"{_NO_QUESTION}(?:.*\b)?(?:raise|lower|shift|change|drop|transpose)\b "
     r"(?:\w+ ){0,4}?(?:pitch|semitones?)\b(?! (?:deck|black|dark)\b)",
     "The pitch of a recording cannot be changed; its speed and loudness can."),
    (r"\b(?:overlay|mix|layer) (?:the (?:two |three )?(?:recordings|tracks|songs|sounds)\b|"
     r"sound\.wav (?:and|with|over) sound\.wav)",
     "Recordings are put one after another; they cannot be laid over each other."),
    (r"^\W*(?:please |can you |could you )*(?:stabili[sz]e\b|steady (?:the|this|my) (?:video|footage|clip)\b)",
     "A shaky video cannot be steadied."),
    (rf"{_NO_QUESTION}(?!.*\bhow to\b)(?:.*\b)?(?:pass ?word[- ]?protect\b|"
     r"encrypt (?:it|this|that|them|both|the (?:file|pdf|document))\b|(?:add|set|put) a pass ?word\b)",
     "Files cannot be protected by a password here."),
    (r"\b(?:delete|erase|throw away|get rid of|remove) (?:the |my )?(?:original|old)"
     r"(?: (?:file|one|version))?\W*$",
     "No file that is there is deleted: what is made is a new file."),
    (r"\brotate (?:(?:all |every |each )(?:of )?(?:the )?pages?|the (?:first|second|third|last) page|"
     r"pages? (?:no\.? ?)?\d+)\b(?!.*\b(?:into|as)\b)",
     "The pages of a PDF cannot be turned; pictures of them can."),
)  # fmt: skip
"""What is asked for beside the operations and cannot be done, and why."""
