"""The English words of questions about tables, as data: operations, comparisons, dimensions, and words without weight."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hugginggpt.core.quantities import ONES


@dataclass(frozen=True, slots=True)
class Dimension:
    """What adjectives measure: "old" is much `age`. `columns` are words of the names of columns that hold it, the most
    telling first; for the columns in `reversed` (a year of birth) much is little. `verbs` ask for it, too ("earns").
    """

    columns: tuple[str, ...]
    much: tuple[str, ...]
    little: tuple[str, ...]
    verbs: tuple[str, ...] = ()
    reversed: tuple[str, ...] = ()
    alternative: bool = False
    """Whether the adjectives are those of another dimension as well: "long" in space and in time."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


DIMENSIONS: tuple[Dimension, ...] = (
    Dimension(("age",), _words("old"), _words("young"), reversed=_words("birth born birthday year date planted founded built published released opened start")),
    Dimension(_words("year date published released built founded start joined"), _words("new recent late modern"), _words("early ancient"), _words("published released built founded opened born joined hired started")),
    Dimension(_words("takings revenue turnover sales intake"), (), (), _words("take takes took taken")),
    Dimension(_words("price cost rent fee fare amount value eur euro usd gbp chf rate charge"), _words("expensive costly dear pricey"), _words("cheap inexpensive affordable"), _words("cost costs price priced spend spent paid pay expense earn earns earned took")),
    Dimension(_words("salary income wage pay earnings revenue profit wealth"), _words("rich wealthy"), _words("poor"), _words("earn earns earned earning paid pay makes make")),
    Dimension(_words("height size"), _words("tall high"), _words("short low")),
    Dimension(_words("length distance km kilometres kilometers miles pages"), _words("long lengthy"), _words("short brief"), alternative=True),
    Dimension(_words("duration runtime minutes min hours hrs h days nights weeks seconds ms time"), _words("long lengthy"), _words("short brief"), _words("last lasts take takes lasted"), alternative=True),
    Dimension(_words("weight mass kg kilos grams lbs"), _words("heavy"), _words("light"), _words("weigh weighs weighed")),
    Dimension(_words("area size sqm m2 qm population volume surface"), _words("big large huge spacious roomy"), _words("small little tiny"), _words("space")),
    Dimension(_words("temperature temp degrees"), _words("hot warm"), _words("cold cool chilly")),
    Dimension(_words("rain rainfall precipitation"), _words("wet rainy"), _words("dry"), _words("rain rains rained")),
    Dimension(_words("speed velocity"), _words("fast quick"), _words("slow"), reversed=_words("pace time duration minutes seconds ms latency")),
    Dimension(_words("rating score grade mark points rank stars"), _words("good"), _words("bad"), _words("scored rated")),
    Dimension(_words("population inhabitants"), _words("populous crowded"), (), _words("inhabitants people residents live")),
    Dimension(_words("depth"), _words("deep"), _words("shallow")),
    Dimension(_words("width"), _words("wide broad"), _words("narrow")),
    Dimension(_words("distance km kilometres kilometers miles length"), _words("far distant"), _words("near close")),
    Dimension(_words("popularity votes followers sales views"), _words("popular"), ()),
    Dimension(_words("stock quantity units pieces inventory"), (), (), ("stock", "stocked", "available", "left", "left over", "leftover", "remaining")),
    Dimension(_words("thickness diameter girth circumference pages"), _words("thick fat"), _words("thin slim slender")),
    Dimension(_words("strength force grip power"), _words("strong powerful"), _words("weak feeble")),
    Dimension(_words("loudness noise decibels db volume"), _words("loud noisy"), _words("quiet")),
    Dimension(_words("brightness luminosity"), _words("bright"), _words("dark dim faint")),
    Dimension(_words("density"), _words("dense"), _words("sparse")),
    Dimension(_words("severity intensity pain"), _words("severe intense painful"), _words("mild gentle")),
    Dimension(_words("slope gradient incline"), _words("steep"), _words("flat")),
)  # fmt: skip

IRREGULAR: Mapping[str, tuple[str, int]] = {
    "best": ("good", 2), "better": ("good", 1), "worst": ("bad", 2), "worse": ("bad", 1), "farthest": ("far", 2),
    "furthest": ("far", 2), "eldest": ("old", 2), "latest": ("late", 2), "most recently": ("recent", 2),
}  # fmt: skip
"""Comparatives (1) and superlatives (2) that no suffix makes."""

OPERATION_PHRASES: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("how many", "number of", "count", "how often", "number", "counts", "how many times", "quantity of"), ("count", "")),
    **dict.fromkeys(("average", "avg", "mean", "averages", "on average"), ("aggregate", "mean")),
    **dict.fromkeys(("total", "sum", "add up", "altogether", "in total", "totals", "overall", "in all", "sum of", "total of", "total number of", "combined", "all together", "together", "sum up"), ("aggregate", "sum")),
    **dict.fromkeys(("median",), ("aggregate", "median")),
    **dict.fromkeys(("minimum", "min"), ("aggregate", "minimum")),
    **dict.fromkeys(("maximum", "max"), ("aggregate", "maximum")),
    **dict.fromkeys(("standard deviation", "std", "stdev"), ("aggregate", "deviation")),
    **dict.fromkeys(("range", "spread"), ("aggregate", "range")),
    **dict.fromkeys(("highest", "most", "largest", "biggest", "greatest", "peak"), ("super", "much")),
    **dict.fromkeys(("lowest", "least", "fewest", "smallest"), ("super", "little")),
    **dict.fromkeys(("busiest", "fullest", "most popular", "most common"), ("super", "much")), **dict.fromkeys(("quietest", "emptiest", "least popular", "rarest"), ("super", "little")),
    **dict.fromkeys(("most often", "most frequently", "the most times"), ("super", "much")), **dict.fromkeys(("least often", "least frequently"), ("super", "little")),
    **dict.fromkeys(("sold best", "sells best", "sell best", "sold most", "sold the most", "sells the most", "best selling", "sold the best", "selling best"), ("top", "much")),
    **dict.fromkeys(("sold worst", "sells worst", "sold least", "sold the least", "sells the least", "worst selling", "sold the worst"), ("top", "little")),
    **dict.fromkeys(("top",), ("top", "much")), **dict.fromkeys(("bottom",), ("top", "little")),
    **dict.fromkeys(("per", "for each", "for every", "in each", "grouped by", "group by", "by each", "broken down by", "split by", "each", "every", "in every", "group"), ("group", "")),
    **dict.fromkeys(("by",), ("by", "")),
    **dict.fromkeys(("sort", "sorted", "rank", "in order of", "in the order of", "order by", "ordered by", "sort by", "sorted by", "rank by", "ranked by", "ranking", "arrange"), ("order", "")),
    **dict.fromkeys(("descending", "desc", "highest first", "from highest to lowest", "largest first", "biggest first", "most first", "from high to low", "decreasing", "in descending order", "from the highest to the lowest"), ("direction", "much")),
    **dict.fromkeys(("ascending", "asc", "lowest first", "from lowest to highest", "smallest first", "from low to high", "increasing", "in ascending order", "from the lowest to the highest"), ("direction", "little")),
    **dict.fromkeys(("different", "distinct", "unique", "just once", "only once", "kinds of", "types of", "various"), ("distinct", "")),
    **dict.fromkeys(("percentage", "percent", "share", "proportion", "fraction", "what part", "%"), ("share", "")),
    **dict.fromkeys(("difference", "how much more", "how many more", "how much less", "how many fewer", "how much higher", "how much lower", "gap", "differ", "ahead of", "ahead"), ("difference", "")),
    **dict.fromkeys(("more", "higher", "greater", "compare", "compared with", "compared to", "versus", "vs"), ("compare", "much")), **dict.fromkeys(("same", "the same", "equal"), ("compare", "same")), **dict.fromkeys(("less", "fewer", "lower"), ("compare", "little")),
    **dict.fromkeys(("growth", "grow", "grew", "grown", "increase", "increased", "rise", "rose", "risen", "gain", "gained", "go up", "goes up", "went up", "gone up", "going up"), ("change", "much")),
    **dict.fromkeys(("drop", "dropped", "fell", "fall", "fallen", "decrease", "decreased", "decline", "declined", "shrink", "shrank", "go down", "goes down", "went down", "gone down", "going down"), ("change", "little")),
    **dict.fromkeys(("improve", "improved", "improvement", "improves"), ("change", "good")),
    **dict.fromkeys(("worsen", "worsened", "worsening", "deteriorate", "deteriorated"), ("change", "bad")),
    **dict.fromkeys(("change", "changed", "changes"), ("change", "any")),
    **dict.fromkeys(("late", "too late", "delayed", "overdue", "behind schedule"), ("due", ">")), **dict.fromkeys(("early", "too early", "ahead of schedule", "ahead of time"), ("due", "<")),
    **dict.fromkeys(("on time", "in time", "punctual", "punctually", "on schedule"), ("due", "<=")),
    **dict.fromkeys(("left over", "leftover", "leftovers", "remaining"), ("rest", "")),
    **dict.fromkeys(("plus",), ("plus", "")), **dict.fromkeys(("minus",), ("minus", "")),
    **dict.fromkeys(("year before", "previous year", "year earlier"), ("previous", "")),
    **dict.fromkeys(("columns", "column", "fields", "headers", "header", "column names"), ("columns", "")),
    **dict.fromkeys(("not", "n't", "except", "without", "excluding", "other than", "never", "apart from", "besides", "outside", "leave out", "leaving out", "leave aside", "ignoring", "exclude", "but not", "no", "non"), ("not", "")),
    **dict.fromkeys(("missing", "empty", "blank", "unknown"), ("missing", "")),
    **dict.fromkeys(("contain", "contains", "containing", "include", "includes", "including"), ("contains", "")),
    **dict.fromkeys(("between", "from"), ("between", "")),
    **dict.fromkeys(("or",), ("or", "")),
    **dict.fromkeys(("who", "whose", "whom"), ("who", "")),
    **dict.fromkeys(("when",), ("when", "")), **dict.fromkeys(("where",), ("where", "")),
    **dict.fromkeys(("which", "what", "list", "show", "give", "name", "find", "display", "print", "all"), ("which", "")),
    **dict.fromkeys(("is there", "are there", "was there", "were there", "is there any", "are there any"), ("exists", "")),
}  # fmt: skip

RELATIONS: Mapping[str, str] = {
    **dict.fromkeys(("more than", "over", "above", "greater than", "higher than", "larger than", "bigger than", "exceeding", "exceeds", "exceed", "beyond", ">"), ">"),
    **dict.fromkeys(("less than", "under", "below", "fewer than", "lower than", "smaller than", "beneath", "<"), "<"),
    **dict.fromkeys(("at least", "no less than", "not less than", "minimum of", ">=", "≥", "no fewer than"), ">="),
    **dict.fromkeys(("at most", "no more than", "not more than", "up to", "maximum of", "<=", "≤"), "<="),
    **dict.fromkeys(("after", "later than"), ">"), **dict.fromkeys(("before", "earlier than", "prior to"), "<"),
    **dict.fromkeys(("since", "starting from"), ">="), **dict.fromkeys(("until", "till", "by the end of"), "<="),
    **dict.fromkeys(("exactly", "equal to", "equals", "the same as", "same as", "=", "=="), "=="),
}  # fmt: skip

COLUMN_SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "salary income wage wages pay earnings earn earns earned sueldo salario gehalt lohn salaire", "price cost costs preis prix precio", "quantity amount pieces units menge anzahl cantidad", "category kategorie categorie catégorie categoria categoría 类别 种类", "article artikel produkt product producto produit", "age alter edad", "city stadt ville ciudad", "date datum fecha", "amount betrag montant importe",
        "city town live lives living", "sex gender", "author writer wrote written writes", "customer client buyer kunde cliente",
        "product item article goods", "score mark marks grade grades points", "colour color", "weight weigh weighs",
        "country nation", "area size surface", "name called", "phone telephone", "email mail", "date day days",
        "year published built released", "start started joined hired began", "amount spend spent spending cost expense expenses payment payments",
        "against concede conceded", "won win wins winning", "lost lose loses losing defeat defeats", "drawn draw draws tie ties",
        "stock inventory", "math maths mathematics", "picture image photo", "condition weather", "department division",
        "supplier supplied supplies delivers deliver delivered", "delivered delivery arrived arrival arrive arrives", "make brand manufacturer maker", "smoker smoke smokes smokers",
        "rent rental cost costs", "payer pays paid pay", "temp temperature temperatures", "km kilometres kilometers miles", "m metre metres meter meters", "eur euro euros", "kg kilo kilos kilograms", "surname last",
    )
)  # fmt: skip
"""Words that name the same column."""

LESS_IS_BETTER = frozenset(
    "pace pain error errors cost costs price expense expenses debt debts fault faults defect defects complaint complaints absence absences latency delay time duration seconds minutes crime accidents losses penalties waste rank noise".split()
)
"""Words of the names of columns in which a lower number is the better one."""
TIMES = frozenset(
    "before after pre post start end begin final initial old new first last previous current this spring summer autumn winter morning evening am pm".split()
)
"""Words by which the names of columns tell one time from another, beside numbers and months."""
BUSY = frozenset(
    ["busiest", "fullest", "quietest", "emptiest", "most popular", "least popular", "most common", "rarest"]
)
"""Superlatives of a day or a thing that has the most or fewest rows, or the greatest sum."""
PLANNED = frozenset("due promised expected planned scheduled deadline target eta estimated agreed".split())
"""Words of the names of columns with the dates when something was to be done."""
LIMITS = frozenset("minimum min level reorder threshold target limit maximum max quota".split())
"""Words of the names of columns that say what a number should be, at least or at most."""
PLAIN_ADVERBS = frozenset(
    """actually again ago already alone also altogether always apart approximately basically briefly currently
    different either else especially even ever exactly far finally first further generally here hence how however
    indeed instead just kindly lately likely long mainly maybe merely more most much nearly next now only otherwise overall
    per perhaps please possibly precisely preferably probably quickly quite rather really respectively right roughly
    sadly simply so somehow soon still straight that then there therefore thus today together too totally ultimately usually
    very well when where why yet""".split()
)
"""Adverbs that change nothing in what is asked."""

OVERVIEW = frozenset(
    "overview describe description summarise summarize content contents contain explain inside look".split()
)
"""Words that ask for a table as a whole."""

MONEY_OUT = (
    "expense",
    "spend",
    "spent",
    "spending",
    "expenses",
    "outgoings",
    "went out",
    "goes out",
    "go out",
    "going out",
)
MONEY_IN = ("received", "receive", "came in", "comes in", "come in", "coming in")

INTENSIVE = frozenset(
    "price rate rating temperature temp high low age percent pct percentage score grade mark height speed pace density salary wage "
    "share average mean per single unit preis precio prix 单价 systolic diastolic pulse pressure".split()
)
"""Words of the names of columns of whose numbers the mean tells something, but not the sum."""
RATES = frozenset("rate price fee wage cost charge rent preis tarif precio prix".split())
"""Words of the names of columns of what a unit costs: a day rate is no number of days."""
MONEY_TAKEN = frozenset(
    "amount revenue profit sales turnover takings income total earnings spend spent eur usd gbp chf".split()
)
"""Words of the names of columns of money that adds up, which "how much" asks for rather than for pieces."""
PLACES = frozenset(
    "city town country place location address state region warehouse district street venue office shop store".split()
)
PERSONS = frozenset(
    "who name customer author student employee person player member client patient teacher owner manager team paid first tenant".split()
)
PERSON_NOUNS = frozenset(
    "people person persons employee employees staff everyone everybody anyone somebody someone man men woman women patient patients student students pupil pupils customer customers member members guests guest anybody colleague members members players player workers worker colleagues teacher teachers children child kids kid".split()
)
QUANTITIES = (
    "销量",
    "数量",
    "quantity",
    "stock",
    "units",
    "pieces",
    "qty",
    "inventory",
    "lagerbestand",
    "sold",
    "hand",
)
"""Words of columns that say how many things a row stands for."""
COUNTS = frozenset("number count no num nr anzahl zahl nombre cantidad número numero".split()) | {"个数", "数目"}
"""Names of columns that say the same where the first words of the rows name the things; elsewhere they number rows."""
ADDED_UP = frozenset(QUANTITIES) | frozenset(
    "net gross amount total sum sales revenue turnover takings income hours km miles".split()
)
"""Words of the names of columns whose numbers are added up for whoever has several rows."""
ANY_PERSON = frozenset(
    "member colleague child kid anybody people person staff everyone everybody anyone somebody someone men women guest".split()
)
"""Words for persons of any kind; "teacher" or "customer" in the singular may be what is asked for."""
PRICES = frozenset(
    "price cost rent fee fare amount salary income wage pay earnings revenue profit sales total budget eur euro euros usd gbp chf".split()
)
"""Words of the names of columns that hold sums of money."""
MONEY = frozenset("euro euros dollar dollars pounds eur usd $ € £ bucks".split())
ROW_NOUNS = frozenset(
    """stuff row rows record records entry entries line lines item items one ones thing things times time case cases data result results
    appointment appointments booking bookings visit visits session sessions delivery deliveries transaction transactions
    purchase purchases event events reservation reservations rental rentals transfer transfers task tasks
    occasion occasions figures numbers reading readings measurement measurements""".split()
)
SEXES: Mapping[str, str] = {
    **dict.fromkeys(("women", "woman", "female", "females", "ladies", "girls"), "f"),
    **dict.fromkeys(("men", "man", "male", "males", "gentlemen", "boys"), "m"),
}  # fmt: skip

WEIGHTLESS = frozenset(
    """a an the of in on at to for with and is are was were be been being do does did has have had it its this that these those
    there here me my our us we you your i they them their he she his her please kindly can could would will shall should
    tell say know want need like let get see find give show list what which how much many as than then so also just only
    any some all each table csv file data dataset spreadsheet sheet according based from by into out up about if whether
    us according listed shown given calculate compute work figure determine display print value values cell cells
    make made live lives living got come comes go goes hold holds exist exists occur occurs appear appears belong belongs
    place placed done altogether now currently really actually exactly approximately roughly hi hello hey thanks thank ok okay
    's s t re ve d ll following whole entire every both own column columns field row rows entry entries first single money hi thing anything everything something
    describe description summarise summarize overview look open explain inside content contents read analyse analyze""".split()
)
"""Words that may stay unread: without them a question asks the same."""

WEIGHTLESS_TAGS = frozenset("DT PDT IN TO PRP PRP$ UH MD CC EX POS RP WDT WP WRB LS HYPH".split())
"""Penn Treebank tags of words that may stay unread, unless they are among `HEAVY`."""
HEAVY = frozenset(
    "ago again almost daily else half instead monthly nearly never once twice weekly yearly annually".split()
)
PREDICATES = frozenset("open done gone taken made covered closed still already".split())
"""Words that are a condition behind "is", "are" or "have", though they may stay unread elsewhere."""
LIGHT_VERBS = frozenset(
    "be come cover do get give go happen have include keep let look make mind mean run see stay take try want wonder work".split()
)
"""Lemmas of verbs that add nothing to what a question names."""

GOING = frozenset("leave depart stop arrive reach bus train ferry boat tram".split())
"""Stems of words that add nothing in a question about a timetable with a column for each ride."""
GOODS = frozenset(
    "product item article goods dish produkt artikel ware producto artículo produit article 产品 商品 品名".split()
)
"""Words of the names of columns that say what is sold."""
BESIDE_COLUMNS = frozenset(
    "days hours type types kind kinds name names number numbers level group size score mark marks grade figure amount".split()
)
"""Nouns that add nothing beside the name of a column: "fuel type", "the best mark in English"."""

MEASURE_NOUNS = frozenset(
    "point points score scores scored mark marks grade grades figure figures result results".split()
)
"""Nouns and verbs that add nothing where a column with numbers is named: "scored above 80 in maths"."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
EQUALS = frozenset("= == equal equals says set to as of".split())
"""Words between a column and its yes or no."""
BEFORE_MAY = frozenset("in of on during since after before until for from to and between late early".split())
"""Words before which "may" is the month."""
UNITS = frozenset("kg g mm cm m km km2 m2 sqm eur usd gbp pct percent c f id ml l".split())
"""Words of a column's name that nobody says."""

SPOKEN_OF = frozenset(["it", "that", "this", "they", "them", "there"])
"""Words for what was spoken of before."""

MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"), 1
    )
    for name in names.split()
}  # fmt: skip
NUMBER_WORDS = {word: number for number, word in enumerate(ONES)} | {
    "twenty": 20,
    "fifty": 50,
    "hundred": 100,
    "thousand": 1000,
}
ORDINALS = {
    word: number
    for number, words in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th"), 1)
    for word in words.split()
}
SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "millions": 1e6, "m": 1e6, "mio": 1e6, "billion": 1e9, "bn": 1e9}


@cache
def stem(word: str) -> str:
    """A word without the ending of a plural: "chairs" -> "chair", "cities" -> "city"."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and re.search(r"(?:ss|x|ch|sh|z)es$", word):
        return word[:-2]
    return word[:-1] if len(word) > 3 and re.search(r"[^sui]s$", word) else word


@cache
def related(first: str, second: str) -> bool:
    """Whether two words are forms of one word ("supplied", "supplier") or name the same column ("cost", "price")."""
    first, second = stem(first), stem(second)
    if first == second or any(first in group and second in group for group in _synonyms()):
        return True
    if re.search(r"\d", first + second):
        return False
    bare = [re.sub(r"(?<=...)(?:ed|ing|er)$", "", word) for word in (first, second)]
    short, long = sorted((first, second), key=len)
    prefix = len(_common_prefix(first, second))
    is_form = long in (short + "d", short + "r") or bare[0] == bare[1]  # "use", "used", "user"
    return is_form or (prefix >= 4 and prefix >= 0.75 * len(long))


@cache
def _synonyms() -> list[set[str]]:
    return [{stem(word) for word in group} for group in (*COLUMN_SYNONYMS, {"min", "minimum"}, {"max", "maximum"})]


def _common_prefix(first: str, second: str) -> str:
    at = next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    return first[:at]


def _forms(adjective: str) -> tuple[str, str]:
    """The comparative and the superlative of a short adjective."""
    if adjective.endswith("e"):
        base = adjective[:-1]
    elif adjective.endswith("y"):
        base = adjective.removesuffix("y").removesuffix("e") + "i"  # "pricey", "priciest"
    else:
        base = adjective + adjective[-1] if re.fullmatch(r"[^aeiou]*[aeiou][bdgmnt]", adjective) else adjective
    return base + "er", base + "est"


@cache
def adjectives() -> dict[str, list[tuple[Dimension, bool, int]]]:
    """(dimension, much or little, degree 0 to 2) for each form of an adjective: "cheapest" -> (price, little, 2)."""
    forms: dict[str, list[tuple[Dimension, bool, int]]] = defaultdict(list)
    for dimension in DIMENSIONS:
        for much, words in ((True, dimension.much), (False, dimension.little)):
            for word in words:
                comparative, superlative = _forms(word)
                forms[word].append((dimension, much, 0))
                forms[comparative].append((dimension, much, 1))
                forms[superlative].append((dimension, much, 2))
                forms[f"more {word}"].append((dimension, much, 1))
                forms[f"less {word}"].append((dimension, not much, 1))
                forms[f"most {word}"].append((dimension, much, 2))
                forms[f"least {word}"].append((dimension, not much, 2))
    for form, (word, degree) in IRREGULAR.items():
        forms[form].extend((dimension, much, degree) for dimension, much, _ in list(forms[word]))
    return dict(forms)


def same_name(first: str, second: str) -> bool:
    """Whether two words are the same noun or name the same column."""
    first, second = stem(first), stem(second)
    return first == second or any(first in group and second in group for group in _synonyms())


def is_person(word: str) -> bool:
    """Whether a word stands for a person: "guest", "rider"."""
    return word in PERSON_NOUNS or re.search(r"(?:er|or|ee|ist)$", word) is not None
