"""The words that ask for a document as a file, and that say which pages, parts or format it is to have."""

from __future__ import annotations

from hugginggpt.core.quantities import ONES

_ADJECTIVES = (
    r"(?:(?:new|single|separate|own|plain|simple|proper|normal|nice|downloadable|small|short|joint|common|combined|"
    r"multi-?page|searchable|real) )*"
)
_ARTICLE = r"(?:an? |one |its own |their own |the same )?"
_FILE = r"(?: (?:file|document|page|format|sheet|table|workbook|version|export))?s?\b"
FORMATS: dict[str, str] = {
    "xlsx": rf"(?:\.?xlsx?|excel|spread ?sheet|work ?book){_FILE}",
    "csv": rf"(?:\.?csv|comma[- ]separated(?: values| list)?){_FILE}",
    "tsv": rf"(?:\.?tsv|tab[- ]separated(?: values| list)?){_FILE}",
    "txt": rf"(?:\.?txt{_FILE}|(?:plain |pure )?text ?(?:file|document)s?\b|plain text\b|note ?pad{_FILE})",
    "md": rf"(?:\.?md\b|markdown){_FILE}",
    "pdf": rf"\.?pdf{_FILE}",
    "docx": rf"(?:\.?docx?{_FILE}|(?:ms[- ]|microsoft )word{_FILE}|word ?(?:file|document|doc|format|version)s?\b|"
    r"(?:(?<=as )|(?<=to ))word\b)",
    "other": r"(?:odt|ods|odp|rtf|epub|mobi|pptx?|power ?point|json|html?|xml|la?tex|"
    rf"google (?:docs?|sheets?)|web ?page|open ?office|libre ?office|numbers file|access database){_FILE}",
}
"""How people call the formats of documents: those that can be made, and all others."""


def saved_as(*names: str) -> str:
    """A pattern for a format as what something is to become: "as an Excel file", "into one pdf", "csv please"."""
    which = "|".join(FORMATS[name] for name in names)
    end = r"(?: of (?:its|their) own)?(?: for (?:(?:my|the|our|another|an?) )?\w+)?(?= please|\W|$)"
    return (
        rf"(?:(?:\b(?:as|to|into|onto|(?:put|print) (?:it|this|that|them|photo\.jpg) on|in the form of|in form of)"
        rf"\s+{_ARTICLE}{_ADJECTIVES}(?:{which})"
        rf"|\bin (?:an? |one |its own |their own |single )?{_ADJECTIVES}(?:{which})"
        rf"|\b(?:it|this|that|them|these|those)\s+(?:an? |one ){_ADJECTIVES}(?:{which})"
        rf"|(?:\bfor (?:an?|another|my|the) \w+ (?:that|which) (?:\w+ )?)?"
        rf"\b(?:needs?|wants?|reads?|takes?|accepts?|opens?|understands?|eats?) (?:only |just )?(?:an? )?(?:{which})"
        rf"|(?:^|,)\s*(?:{which})(?=(?: please)?\W*$)){end})"
    )


def made_of(*names: str) -> str:
    """A pattern for a format as what is to be made, before what is to be in it: "an Excel file with the rows"."""
    which = "|".join(FORMATS[name] for name in names)
    return (
        r"^\W*(?:(?:\w+(?:['’]\w*)?\W+){0,5}?(?:make|create|give me|get me|write|produce|generate|build|prepare|export|"
        r"need|want|like|have|put together|save)\W+(?:me |us )?)?"
        rf"(?:an? |one ){_ADJECTIVES}(?:{which})\s+"
        r"(?:with|of|from|out of|containing|that (?:has|have|holds|contains|lists|shows)|listing|showing|for|where|"
        r"in which)\b"
    )


def as_file(*names: str) -> str:
    """A pattern for either."""
    return rf"(?:{saved_as(*names)}|{made_of(*names)})"


TABLE_FORMAT = "|".join(rf"\b{FORMATS[name].removesuffix('s?')}" for name in ("xlsx", "csv", "tsv", "pdf"))
TEXT_FORMAT = "|".join(rf"\b{FORMATS[name]}" for name in ("txt", "md", "docx", "pdf"))

LEFT_OUT_PAGES = (
    r"\b(?:without|except(?: for)?|remove|delete|drop|discard|leave out|skip|omit|all but|everything but|but not|"
    r"(?:cut|chop|tear|rip|kick|take|throw)(?: (?:off|out|away))?(?! (?:only|just)\b)|"
    r"get rid of|strip|minus|lose|exclud\w+|other than|apart from|bin)\b"
)
_NUMBER = rf"(?:\d{{1,4}}|{'|'.join(ONES[1:])})\b"
_ORDINAL = r"(?:\d{1,4}(?:st|nd|rd|th)|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)"
_JOINT = (
    r"(?:\s*(?:,|-|–|&)\s*(?:and\s+)?|\s+(?:to|until|till|and|through|thru|up to|or|plus)\s+)(?:pages?\s+)?(?:the\s+)?"
)
_PAGES = (
    rf"(?:(?:pages?|pp?\.?)\s+(?:no\.? ?|numbers? )?{_NUMBER}(?:{_JOINT}(?:{_NUMBER}|end\b|last(?: page| one)?\b))*"
    rf"|(?:the )?(?:first|last|final|opening)(?: {_NUMBER})? (?:pages?|halves|half)\b"
    rf"|(?:the )?(?:first|{_ORDINAL})(?:{_JOINT}(?:{_ORDINAL}|last))* pages?\b|(?:the )?second half\b"
    rf"|(?:from|after|before|until|up to|between) pages? {_NUMBER}(?:{_JOINT}(?:{_NUMBER}|end\b|last\b))?"
    rf"|(?:odd|even)(?:[- ]numbered)?(?: pages?)?\b|every (?:second|other) page|(?:the )?(?:cover|title|front) page"
    rf"|(?<![\w.]){_NUMBER}\s*(?:-|–|to)\s*{_NUMBER}(?=\W|$))"
)
PAGES = rf"(?:{LEFT_OUT_PAGES}[^.;]{{0,30}}?)?(?:the )?{_PAGES}(?:(?:,| and| plus) {_PAGES})*"
"""The pages of a document, or those that are left out."""
PARTS = (
    rf"(?:each|every) (?:single )?(?:{_NUMBER}[- ])?pages?\b|(?:after|behind|at|from) page {_NUMBER}"
    rf"|{_NUMBER}[- ]pages?\b|(?:{_NUMBER} (?:equal )?|in(?:to)? )(?:parts|pieces|files|pdfs|documents|halves|chunks)\b"
    r"|in (?:half|two)\b|(?:single|separate|individual) pages\b|per page\b"
)
"""How a document is split."""
EACH_PAGE_ALONE = (
    r"\b(?:each|every) (?:single )?page\b.*\b(?:pdf|file|document|own|alone|separate\w*)\b|"
    r"\bsplit\b.*\b(?:pages|pdfs|after page)\b"
)
OF_PAGES_AS_PDF = (
    rf"{PAGES}(?=.{{0,200}}pdf).{{0,200}}{saved_as('pdf')}|\b(?:pdf|document) (?:with|of|from) (?:only |just ){PAGES}"
)
"""Pages that become a document."""
PAGES_AS_PICTURES = (
    r"\bpages?\b.{0,60}\b(?:as|into|to) (?:an? |one |separate |single )?(?:pictures?|images?|photos?|jpe?gs?|pngs?)\b"
)
AS_ONE = (
    r"^\W*(?:(?:as|in|into|make|to|all|both|them|it|please) ){0,4}(?:one|a single) (?:file|document)"
    r"(?: please| pls| out of (?:it|them))?\W*$"
)
"""A part of a request that says nothing but that documents are to become one."""
FRAMES_AS_PICTURES = (
    r"\bsingle (?:pictures?|images?|frames?) (?:inside|in|of|from|out of) photo\.jpg\b|"
    r"\bframes?\b.{0,40}\b(?:as|into|in|to) (?:\w+ )?(?:pictures?|images?|stills?|pngs?|jpe?gs?)\b|"
    r"\b(?:all|every|each|extract|split|take|get|save)\b.{0,30}\bframes?\b|"
    rf"^\W*(?:(?:the|only|just|give me|show me|i (?:need|want)|take|save|get|grab) )*(?:first|last|{_ORDINAL}) "
    r"(?:frame|page) (?:of|from|in|out of) photo\.jpg"
)
FRAMES = (
    rf"every (?:other|{_ORDINAL}) (?:frame|page|picture|image)\b|"
    r"(?:frames?|pages?|pictures?|images?) (?:no\.? ?)?\d{1,5}(?: ?(?:to|-|–|and|until) ?\d{1,5})?|"
    rf"(?:first|last|final|middle|{_ORDINAL}) (?:\d{{1,4}} )?(?:frames?|pages?|pictures?|images?)\b"
)
"""The frames of a moving picture."""

_TABLE_PART = r"(?:columns?|rows?|lines?|entries|duplicates?|headers?)"
_ASKING = (
    r"^\W*(?:(?:please|pls|plz|and|then|now|also|just|ok|can|could|would|will|you|u|i|we|d|like|want|need|to|me)\W+)*"
)
EDITED_TABLE = (
    rf"{_ASKING}(?:"
    rf"(?:delete|remove|drop|erase|leave out|get rid of)\b(?: (?!page)\w+){{0,5}}? {_TABLE_PART}\b(?! names? in\b)|"
    r"(?:rename|call)\b(?: \w+){0,4}? (?:to|into|as)\b|"
    r"(?:add|append|insert|compute|create|make|calculate)\b(?: me)?"
    r"(?: (?:an?|another|the|new|one|extra|\w+ing))+ columns?\b|"
    rf"(?:keep|leave) (?:only|just)\b(?!.*\bpages?\b)|keep (?:the |all )?{_TABLE_PART}\b|dedup\w*|"
    r"sort\b[^?]* and (?:save|store|export|give me the file)\b)"
)
"""What asks for a changed table."""
TAKEN_OUT = (
    rf"{_ASKING}(?:delete|remove|erase|take out|take off|get rid of|throw out|kick out|cross out|strike(?: out)?|"
    r"entfern\w*|lösch\w*|streich\w*|supprim\w*|enlèv\w*|retir\w*|elimina|quita|borra|删除|删掉|去掉)"
    r"(?: |(?<=[\u3400-\u9fff]))"
    r"(?!(?:the )?(?:noise|background|silence|pauses)\b)|"
    rf"{_ASKING}(?:raise|increase|reduce|lower|decrease)\b.{{1,60}} by \d|"
    rf"{_ASKING}(?:change|set|correct|update)\b.{{1,60}} to \S|"
    rf"{_ASKING}(?:add|append|insert)\b (?:an?|another|one|the) (?:new |more )*(?:row|line|entry|record)\b|"
    rf"{_ASKING}(?:add|insert) [^,;?]{{1,40}}[,;] ?[^?]+$"
)
"""What asks for other rows or cells, where a table is in hand."""
SORTED = (
    rf"{_ASKING}(?:(?:sort|order|arrange|rank|alphabeti[sz]e)\b|put (?:it|them|these) in (?:\w+ )?order\b|"
    r"sortier\w*|ordne\b|tri(?:e|er|ez)\b|ordena\b|class(?:e|er|ez)\b|排序)"
)
"""What asks for a sorted table."""
_SHEET = (
    r"(?:(?:excel|spread ?sheet|xlsx?|csv|work ?book)\w*|(?:(?:an?|one|eine[rn]?|une?|una)\s+(?:\w+\s+){0,2}?|"
    r"(?:as|in|into|als|en)\s+)(?:tables?|tabellen?|tableau|tableur|tabla|hoja))\b"
)
PAGE_AS_TABLE = (
    r"\b(?:put|stick|pop|stuff|drop|chuck|bung|list|write|make|turn|save|store|enter|type|copy|get|export|convert|give|need|"
    r"want|do|have|mach\w*|schreib\w*|pack\w*|stell\w*|übertrag\w*|mets?|mettre|mettez|fais|faire|faites|pon\w*|haz|pasa\w*|crea|hacer)\b"
    rf"[^?]{{0,100}}?\b{_SHEET}|^\W*(?:(?:now|and|please|pls|then|ok)\W+)*(?:as|in|into) (?:an? )?{_SHEET}|"
    r"(?:放|做|整理|写|转|变|存|导)(?:进|到|入|成|出|为).{0,8}(?:表格|excel)"
)
"""What asks for what stands on a page in a picture as a table."""
_TABLES = (
    r"(?:(?:the |these |those |my |our )?(?:two |three |both )?"
    r"(?:lists?|tables?|files?|sheets?|spreadsheets?|csvs?|workbooks?))"
)
MERGED_TABLES = (
    r"\b(?:merge|combine|join|unite|concatenate|append|stack|put together|union)\b(?: [\w.]+){0,4}? "
    rf"(?:{_TABLES}|them|together|table\.csv)\b|"
    rf"\bput {_TABLES} (?:together|into one)|\bput (?:them|these|those|both) together\b|"
    rf"\b(?:one|a single|joint) (?:list|table|file|sheet) (?:of|from|out of) (?:{_TABLES}|them|both|these)\b|"
    r"^\W*(?:merge|combine) (?:them|these|both)\b"
)
COMPARED_TABLES = (
    rf"\b(?:in|on) (?:both|each of) ?{_TABLES}?|\bboth (?:lists|tables|files|sheets)\b|"
    rf"\b(?:only|just) (?:in|on) (?:one of |the )?(?:first|second|other|old|new|{_TABLES}|table\.csv)\b|"
    r"\bnot (?:in|on) (?:the )?(?:other|first|second|old|new|table\.csv|any of)\b|"
    r"\b(?:is|are|was|were|who(?:'s)?|what(?:'s)?) (?:new|missing|gone|added|removed) "
    r"(?:in|from|since|on|compared)\b|"
    r"\b(?:compare|difference between|what differs between|what changed between|overlap)\b"
    rf"(?: \w+){{0,3}}? (?:{_TABLES}|them|table\.csv)\b"
)
"""What asks for several tables as one, and for what is in both of two or in one of them only."""
CHANGES = (
    r"\b(?:dearer|cheaper|(?:more|less) expensive|older|newer|new|gone|disappeared|vanished|dropped out|missing|"
    r"by how (?:much|many)|added|removed|joined|left|no longer|chang\w+|differ\w*|increas\w+|decreas\w+|"
    r"rise|rose|risen|fell|fallen|"
    r"(?:go|goes|went|gone|come|came|gotten|got|get) (?:up|down)|"
    r"(?:got|gotten|become|became|grown|grew) (?:more|less|\w+er))\b"
)
"""What asks how the things in two tables differ."""
_CHART = r"(?:charts?|graphs?|plots?|diagrams?|histograms?)\b"
_CHART_KIND = r"(?:(?:nice|simple|coloured|small|big) )?(?:(?:bar|pie|line|column|scatter)[ -]?)?"
CHART = (
    rf"{_ASKING}(?:(?:plot|graph|visuali[sz]e)\b|chart (?:of |the |my |our )|"
    r"(?:draw|make|create|show|give|get|generate|produce|build|have|see|turn)\b(?: [\w'’]+){0,6}? "
    rf"(?:an? |as |into )?{_CHART_KIND}{_CHART}|"
    rf"(?:an? )?{_CHART_KIND}{_CHART},? (?:of|for|showing|with)\b)|"
    r"\b(?:make|draw|plot|show|give)(?: (?:me|us|him|her))? an? (?:line|curve) (?:of|for|with) [^.?!]{1,60}? over "
    r"(?:time|the (?:days|weeks|months|years))\b|"
    rf"\b(?:as|in|into|with|on) (?:an? )?{_CHART_KIND}{_CHART}\W*$"
)
"""What asks for a chart of a table."""
