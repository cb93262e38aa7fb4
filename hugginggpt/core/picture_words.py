"""The words for what is hidden, written or framed on a picture, for slideshows and for codes: patterns for a request."""

from __future__ import annotations

from hugginggpt.core.quantities import DIGITS, NUMBER, TIME

_PRIVATE = (
    r"(?:faces?|heads?|eyes|(?:licen[sc]e |number )?plates?|(?:tele)?phone|mobile|numbers?|address(?:es)?|e-?mails?|names?|"
    r"iban|signatures?|prices?|amounts?|totals?|accounts?|birth|dates?|passwords?|background|kids?|child(?:ren)?|people|"
    r"persons?|m[ae]n|wom[ae]n|boys?|girls?|text|words?|writing|lines?|logos?|screen|data)"
)
_HIDE = (
    r"(?:blur(?:red|ring|r)?|hid(?:e|den|ing)|cover(?:ed|ing)?|mask(?:ed|ing)?|obscur(?:e|ed)|smudge[ds]?|fuzz(?:ed)?|"
    r"paint over|cross(?:ed)? out|block(?:ed)?)"
)
_HIDE_ANYTHING = (
    r"(?:(?<!so )(?<!very )(?<!too )(?<!is )(?<!looks )(?<!and )pixelat(?:e|ed|ing|es)|pixeli[sz]e|redact(?:ed|ing)?|censor(?:ed)?|anonymi[sz]e[ds]?|"
    r"black(?:en|ened|ed)?[ -]?out|blacken(?:ed)?|blank(?:ed)? out|mosaic)"
)
HIDDEN = (
    rf"\b{_HIDE_ANYTHING}\b|\b{_HIDE} (?:up |out )?[^;?]{{0,40}}?\b{_PRIVATE}\b|"
    rf"\b{_PRIVATE}\b[^;?]{{0,40}}?\b(?:has|have|must|should|needs?|is|are|be)\b[^;?]{{0,12}}?\b{_HIDE}\b(?!.*\?)|"
    rf"\b{_HIDE} (?:up |out )?'text'|"
    rf"\b{_PRIVATE}\b[^;?]{{0,40}}?(?:\bnot|n['’]t|\bnobody|\bno one)\b[^;?]{{0,20}}?\b(?:seen|see|visible|recogni[sz]ed?|read|shown)\b|"
    r"^\W*(?:(?:please|pls|plz|and|then|now|also|just|can you|could you|would you) )*"
    r"(?:hide|cover up|mask|obscure) (?!it\b|this\b|that\b|them\b|photo\.jpg|and\b)\w|"
    r"\b(?:make|render|turn)\b[^;?]{0,50}?\b(?:un(?:recogni[sz]|identifi|read)able|illegible|anonymous)\b|"
    r"\b(?:black|white|gr[ae]y) (?:bar|box|rectangle|stripe?|block)s? (?:over|across|on|onto)\b|"
    r"\bportrait mode\b|"
    r"\b(?:remove|delete|take out|erase)\b[^;?]{0,20}?\b(?:faces|phone numbers?|e-?mail addresses|personal data)\b"
)
"""What is asked for where a part of a picture is to be hidden."""
_PUT = r"(?:write|put|add|print|stamp|place|insert|overlay|superimpose|stick|type|draw|caption|label|have)"
_ONTO = r"(?:on|onto|at|in|into|across|over|under|underneath|below|above|to|beneath|centred|centered|top|bottom)"
_PICTURE = r"(?:photo\.jpg|it|this|that|the (?:picture|photo|image|card|poster))"
WRITTEN = (
    rf"\b{_PUT}\b[^;?]{{0,40}}?'text'[^;?]{{0,30}}?\b{_ONTO}\b|"
    rf"\b{_PUT}\b[^;?]{{0,40}}?\b(?:caption|heading|title|text|words)\b[^;?]{{0,40}}?'text'|"
    r"^(?!.*\b(?:remove|erase|delete|get rid|without|what|which|is there|read)\b).*\bwatermark\b|"
    rf"\b(?:caption|label|stamp)\b (?:photo\.jpg|it|this)\b[^;?]{{0,40}}?'text'|"
    rf"\b(?:top|bottom|corner|middle|left|right)\b[^;?]{{0,30}}?\b{_PUT} 'text'|"
    rf"'text'[^;?]{{0,60}}?\b(?:on|onto|across|over) {_PICTURE}|"
    rf"\b(?:meme|greeting card|postcard)\b[^;?]{{0,60}}?'text'|"
    rf"\b(?:caption|title|text)\b[^;?]{{0,20}}?photo\.jpg ?: ?'text'|"
    rf"\b(?:that says?|(?:should|must|to|has to|shall) (?:say|read|carry|bear|have)|saying|reading) 'text'|"
    r"\b(?:it|this|that|photo\.jpg|the (?:picture|photo|image|card)) (?:to|should|shall|must|has to) say \w|"
    r"\b(?:add|put|write|give (?:it|photo\.jpg))\b[^:?]{0,20}?\b(?:title|caption|text(?! file)|heading|words)\b[^:?]{0,40}: ?\w|"
    r"\bwrite (?!down|out|up\b|me\b|him\b|her\b|them\b|us\b|to\b|it\b|what\b|whatever\b|everything\b|the text\b|a\b|an\b)"
    r"\w[^;?]{0,60}? (?:(?:on|onto|across|over|under|below) (?:it|this|that|both|them|each|all|photo\.jpg|"
    r"the (?:\w+ )?(?:picture|photo|image|card|poster|top|bottom|left|right|sky|wall))\b|at the (?:top|bottom)\b|"
    r"in the (?:\w+ ){0,2}(?:corner|middle|cent(?:er|re))\b)|"
    r"\b(?:write|put|stick|stamp|print|add|slap) (?!it\b|this\b|that\b|them\b|photo\.jpg|an?\b|the\b|(?:my|our|his|her)\b(?! names?\b))"
    r"\w[^;?]{0,60}? (?:in|at|into) the (?:top|bottom|upper|lower)(?:[ -](?:left|right|middle|cent(?:er|re)))?\b|"
    rf"\b(?:write|put|stick|stamp|print|add|place)\b[^;?]{{0,30}}?(?-i:\b[A-Z]{{3,}}\b)[^;?]{{0,20}}?\b{_ONTO}\b"
)
"""What is asked for where words are to be written on a picture."""
COLOURS = (
    "white", "black", "red", "green", "blue", "yellow", "orange", "pink", "purple", "violet", "brown", "grey", "gray",
    "gold", "golden", "silver", "turquoise", "beige", "navy", "cyan", "magenta",
)  # fmt: skip
_COLOUR = rf"(?:(?:dark |light |bright )?(?:{'|'.join(COLOURS)}))"
_PLACE = (
    r"(?:(?:(?:at|in|on|to|along|across|near) (?:the )?(?:very )?)?(?:(?:top|upper|bottom|lower|left|right|middle|cent(?:er|re))(?:[ -](?:left|right|cent(?:er|re)|middle))?)(?: (?:corner|edge|side|half|third))?"
    r"|in(?:to)? (?:the|a|one) corner)"
)
LETTERING = (
    rf"\b{_COLOUR} on (?:a )?{_COLOUR}\b|\b(?:in )?{_COLOUR}\b|\b{_PLACE}\b|"
    rf"\b(?:(?:very )?(?:big|large|huge|small|tiny|bold)(?:er)?)\b|\bsize (?:of )?{DIGITS}|{DIGITS} ?(?:px|pixels?|pt|points?)\b|"
    r"\bunderneath\b|\b(?:semi[- ]?)?transparent\b|\bdiagonal\w*|\b(?:below|above|under(?:neath)?|beneath) (?:it|photo\.jpg|the (?:picture|photo|image))\b"
)
"""Where, how large and in what colour words are written."""
_FRAMED = r"(?:border|frame|margin|edge)"
_FRAME_LOOK = rf"(?:{_COLOUR}|thin|thick|wide|narrow|fine|broad|simple|nice|small|big|\d{{1,4}} ?(?:px|pixels?|%))"
BORDER = (
    rf"(?:{_FRAME_LOOK},? (?:and )?){{0,4}}(?<!can )(?<!to )(?<!could ){_FRAMED}\b(?:[^.;]{{0,30}}?\b(?:in {_COLOUR}\b|{DIGITS} ?(?:px|pixels?|%))){{0,2}}|"
    rf"(?<!can )(?<!to )(?<!could )\bframe (?:photo\.jpg|it|this|them|the (?:picture|photo|image|print))?\b(?:[^.;]{{0,20}}?\b{_COLOUR}\b)?"
)
"""A border around a picture."""
FRAMED = (
    r"^(?!.*\b(?:cut|crop|remove|trim|off|without|what|which|is|are|has|does)\b)(?:"
    rf".*\b{_FRAMED}\b.*\b(?:a?round|to|on|for) (?:it|this|that|photo\.jpg|the (?:whole |entire )?(?:picture|photo|image|print))\b|"
    rf".*\bput (?:photo\.jpg|it|this|the (?:picture|photo|image)) in(?:to)? an? (?:{_FRAME_LOOK} ){{0,3}}frame\b|"
    rf".*\b(?:photo\.jpg|it) (?:with|in) an? (?:{_FRAME_LOOK} )?{_FRAMED}\b|"
    rf"\W*(?:please |pls |can you |could you )*(?:add|put|give (?:it|photo\.jpg)|make) an? (?:{_FRAME_LOOK} ){{0,3}}{_FRAMED}\b"
    r"(?!.* a?round (?:the|a|an|each|every|his|her)\b)|"
    rf"\W*(?:please |pls |can you |could you )*frame (?:photo\.jpg|it|this|the (?:picture|photo|image|print))\b)"
)
"""What is asked for where the whole picture is to have a border."""
WARMTH = r"(?:warmer|warmth|cooler|colder|(?<!is )(?<!bit )(?<!too )(?<!looks )(?:warm|cool))\b|(?:more|less) (?:blue|yellow|orange|red)(?:ish)?\b"
WARMED = (
    r"\b(?:warm|cool) (?:it|this|photo\.jpg|the (?:picture|photo|image|colou?rs)) (?:up|down)\b|"
    r"\b(?:make|turn)\b.{0,20}\b(?:warmer|cooler|colder)\b"
)
"""What is asked for where the colours are to be warmer or cooler."""
REQUESTS = r"^(?!\W*(?:how|why|what|whats|which|who|when|where|is|are|was|were|does|did|has)\b)"
"""No question."""
SLIDESHOW = (
    r"\bslid(?:e|ing)?[ -]?shows?\b|"
    r"^(?!.*\b(?:story|stories|text|poem|script|description|words|summary)\b)"
    r"(?=.*(?:\b(?:photo\.jpg|pictures?|photos?|images?|pics?|these|those|them|it|this|both|all)\b|(?:video|film|movie)\W*$))"
    r".*?\b(?:make|create|turn|build|combine|produce|generate|string|put|edit|do|cut)\b[^?;]{0,120}?"
    r"\b(?:an?|one|the|into) (?:\w+ ){0,2}(?:video|film|movie|vid|clip)\b(?!\.)|"
    r"\b(?:into|as) (?:an? )?(?:video|film|movie|mp4)\b"
)
"""What is asked for where pictures are to become a video."""
EACH = (
    rf"{TIME} (?:(?:for |per |a |an |on )?(?:each|every|picture|photo|image|slide|pic|one)s?)|"
    rf"(?:(?:each|every|per)\b[^.;]{{0,30}}?){TIME}|{TIME}|(?:each|every)\b[^.;]{{0,20}}?\b(?:for )?{NUMBER}\b"
)
"""How long each picture of a slideshow is seen."""
CODE = r"\b(?:qr|bar)[ -]?codes?\b|\bqr\b"
"""A code that a machine reads."""
