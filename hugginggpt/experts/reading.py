"""The reader of texts: which sentence of a text answers a question, if any does.

There is no extractive reader among the weights that come with the project, so each sentence is described by features
(what the joint reader says of it, closeness in meaning, shared words and their rarity, whether it holds what the
question asks for), which a logistic regression weighs, trained by `python -m hugginggpt.experts.training` on
data/reading. A sentence whose probability lies below the threshold is offered, and not asserted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hugginggpt.core.errors import BackendError
from hugginggpt.experts import logistic, minilm, named_things, nearness, sections
from hugginggpt.experts.answer_types import MEASURED, lacks_figures, spans
from hugginggpt.experts.asked_query import LIGHT, Query, is_content, is_whether_said, lemma, names_all
from hugginggpt.experts.grammar import parse
from hugginggpt.experts.joint_answers import LIKELY, PERHAPS, hedge, together
from hugginggpt.experts.joint_reading import Memory, standing
from hugginggpt.experts.plain_questions import in_short
from hugginggpt.experts.question_parts import parts_of
from hugginggpt.experts.sentences import statements
from hugginggpt.experts.word_likeness import nearest, stem, stems_of, word_vectors

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

MAX_EMBEDDED = 400
"""Of a longer text the sentences with most of the question's words are embedded."""
BLOCK_SENTENCES, MAX_BLOCKS = 20, 8
"""So many sentences are read together with a question at once, and so many times at most."""
MAX_CANDIDATES = 10
"""The sentences closest to the question are parsed and described by all features."""
NEGATIONS = frozenset("not n't no never nobody nothing none neither nor without cannot hardly".split())
HEDGES = frozenset(
    """if unless only all every each but although though may might could would perhaps maybe or apologies apology absent
    absence excused closed except excluding excluded cancelled canceled refused postponed instead rather""".split()
)
"""Words of a sentence or question with which neither "Yes" nor "No" follows from the words alone."""
MIN_SETTLING = 2
"""A sentence that shares fewer words with a question of yes or no settles nothing."""
ASSERTED = 0.8
"""A sentence of at least this probability is given as the answer: wrong ones are given seldom."""
NEAR = 0.01
"""One of at least this is offered as the closest."""
NEARLY, MAX_CLOSEST_CHARS = 0.7, 240
"""A second one is offered that has this share of the best one's probability, if both are no longer than so."""
SETTLED, SETTLED_UNTYPED = 0.5, 0.99
"""The share of a question's words, weighed, that a sentence has beside which no second one is quoted, where the question
asks for a kind of thing, and where it does not.
"""
UNLIKE = 0.5
"""Words of a question are not spoken of where those nearest to them are less alike than this."""
MOST_WORDS, AHEAD = 0.45, 3.0
"""The share of an untyped question's words from which a sentence that is so many times likelier than the next is quoted."""
PAYING = frozenset(("pay", "cost", "owe", "spend", "price", "charge", "trip", "school", "child", "son", "daughter"))
"""Words of a question that ask for what is to be paid, and of nothing in particular."""
PROBABLE = 0.3
"""One of at least this is quoted; of a less likely one it is said first that it may not answer."""
NEARLY_LIKELY = 0.15
"""One of at least this is likely if it alone has the amount that is asked for and the rarest word of the question."""
PLAINLY = "I do not find this in the text; closest is: “{}”"
RARE, NOT_FAR = 0.5, 0.2
"""How rare a word is that a single sentence shares with a question, and with which share of the best one's probability
that sentence goes before it."""
MAX_SALUTATION = 5
MIN_STEM = 3
NOT_SAID = "I do not find this in the text."
HEAD = "reader.safetensors"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a text, its number in it, and its features for a question."""

    text: str
    index: int
    features: tuple[float, ...]

    def __getitem__(self, name: str) -> float:
        """A feature by its name in `FEATURES`."""
        return self.features[FEATURES.index(name)]


def answer(question: str, context: str) -> dict[str, Any]:
    """The answer to a question from a text, as a sentence of it with its probability as score.

    Where there is none, "found" is false, and a sentence that is near is "closest". Raises as `parse` does, and
    BackendError for an empty text.
    """
    if not context.strip():
        raise BackendError("The text is empty, so it answers no question.")
    question = in_short(question)
    query = Query.read(question)
    if listed := named_things.answer(query, context):
        return {"answer": listed}
    asked = parts_of(question)
    return together(_in_turn(asked, context), asked, PLAINLY)


def _in_turn(asked: Sequence[str], context: str) -> list[dict[str, Any]]:
    """The answers to the parts of a question. One that says "it" of what the first part names is answered by the very
    sentence that answers this; what another sentence says of it is only probable.
    """
    given: list[dict[str, Any]] = []
    for part in asked:
        words = {word.strip("?!.,'").lower() for word in part.split()}
        first = given[0] if given and given[0].get("found", True) else None
        near = str(given[0].get("closest") or given[0]["answer"]) if given and words & TAKING_UP else ""
        if not given or not POINTING & words:
            given.append(_answer(Query.read(part), context, near))
        else:
            given.append(_about_the_same(part, first or {"answer": ""}, context, near))
    return given


def _about_the_same(part: str, first: Mapping[str, Any], context: str, near: str) -> dict[str, Any]:
    """What the answer to the part before ("" for none) says of this one; a heading says no more. `near` is the line by
    which this one may be answered.
    """
    sentence = str(first["answer"])
    query = Query.read(part)
    is_when = query.asked.types[0] in ("date", "time")
    told = is_when or any(spans(each, parse(sentence), query.words) for each in query.asked.types)
    own = stems_of(sentence)
    is_named = bool(query.weights) or not is_when  # "and how much was it?" names nothing, and asks of the same
    is_about = is_named and all(any(_is_form(stem(word), one) for one in own) for word in query.weights)
    if told and is_about:
        return {"answer": sentence}
    if sentence and "score" not in first:  # it stands below a heading
        return {"answer": NOT_SAID, "found": False}
    read = _answer(query, context, near)
    if not read.get("found", True) or "score" not in read:
        return read
    return {"answer": LIKELY.format(read["answer"]), "closest": read["answer"], "score": read["score"], "found": False}


def _is_form(word: str, other: str) -> bool:
    """Whether two stems are of one word: "pay" and "payabl"."""
    return word == other or (
        min(len(word), len(other)) >= MIN_STEM and (word.startswith(other) or other.startswith(word))
    )


def _answer(query: Query, context: str, beside: str = "") -> dict[str, Any]:
    """What `answer` gives for a single question; one that takes up another is rather answered by the line that answers
    that, or close to it (`beside`).
    """
    candidates = described(query.text, context)
    probabilities = logistic.load(HEAD, FEATURES).probabilities([statement.features for statement in candidates])
    texts, places = [one.text for one in candidates], [one.index for one in candidates]
    probabilities = nearness.below_heading(query, probabilities, texts, context)
    probabilities = nearness.beside(probabilities, texts, places, beside) if beside else probabilities
    pairs = zip(probabilities, candidates, strict=True)
    scored = sorted((pair for pair in pairs if _may_tell(pair[1].text, query)), key=lambda pair: -pair[0])
    if scored and (below := _below_heading(query, scored[0][1], context)):
        return {"answer": below}
    scored = _by_rare_word(query, _saying_all(query, scored))
    headings = sections.headings(context)
    scored = [pair for pair in scored if pair[1].text not in headings] or scored  # a heading answers nothing
    probability, best = scored[0] if scored else (0.0, None)
    is_no_contact = best is not None and best["lacks the type by far"] and query.asked.types[0] == "contact"
    is_unknown = best is not None and best["name or number unknown to the text"] and probability < PROBABLE
    is_unsaid = best is not None and is_whether_said(query) and not names_all(query, best.text)
    if best is None or probability < NEAR or is_no_contact or is_unknown or is_unsaid:
        return {"answer": NOT_SAID, "found": False}
    quoted = _with_antecedent(best, context)
    if NEARLY_LIKELY <= probability < PROBABLE and len(scored) > 1 and _is_only_measure(query, scored):
        probability = PROBABLE
    if PERHAPS <= probability < PROBABLE and (_is_ahead(query, scored) or _is_only_price(query, scored)):
        probability = PROBABLE
    if probability >= ASSERTED:
        polarity = _polarity(query, best.text) if query.asked.is_yes_no else ""
        return {"answer": f"{polarity}{quoted}", "score": probability}
    if not _settles(query, best):
        quoted = " / ".join([quoted, *_nearly_as_close(scored, best, probability)])
    near = {"closest": quoted, "found": False}
    is_other = _is_price_of_other(query, best)
    is_likely = probability >= PROBABLE and not lacks_figures(query.asked, quoted) and not is_other
    near |= {"score": probability} if is_likely else {"chance": NEAR if is_other else min(PROBABLE, probability)}
    return {"answer": hedge(near, PLAINLY).format(quoted), **near}


def _saying_all(query: Query, scored: list[tuple[float, Statement]]) -> list[tuple[float, Statement]]:
    """The sentences, the only one with all words of the question and what it asks for first, if it is not far behind;
    and where a name is asked for, one that says so.
    """
    if len(scored) < 2:
        return scored
    is_strict = query.asked.types[0] in STRICT
    if query.asked.types[0] == "name":
        words = {stem(word) for word in query.weights if not _NAMES.fullmatch(word)}
        saying = [pair for pair in scored if _NAMES.search(pair[1].text) and words & stems_of(pair[1].text)]
        if len(saying) == 1 and saying[0][0] >= NEAR:
            likely = (max(PROBABLE, saying[0][0]), saying[0][1])
            return [likely, *(pair for pair in scored if pair is not saying[0])]
    saying = [
        pair
        for pair in scored
        if pair[1]["shared words"] >= SETTLED_UNTYPED
        and (pair[1]["holds the type"] or not is_strict)
        and pair[0] >= NOT_FAR * scored[0][0]
    ]
    if len(saying) != 1 or len(query.weights) < 2 or saying[0] is scored[0]:
        return scored
    return [saying[0], *(pair for pair in scored if pair is not saying[0])]


def _by_rare_word(query: Query, scored: list[tuple[float, Statement]]) -> list[tuple[float, Statement]]:
    """The sentences, the only one with a rare word of the question first, if it is not far behind: of "how long does
    the soup simmer?" that is the one with "simmer".
    """
    stems = [stems_of(statement.text) for _, statement in scored[:MAX_CANDIDATES]]
    rare = [
        word
        for word, weight in query.weights.items()
        if (weight >= RARE or len(query.weights) == 1) and sum(stem(word) in own for own in stems) == 1
    ]
    if not rare or any(stem(word) in stems[0] for word in rare):
        return scored
    at = next(at for at, own in enumerate(stems) if stem(max(rare, key=query.weights.__getitem__)) in own)
    is_near = scored[at][0] >= NOT_FAR * scored[0][0]
    return [scored[at], *scored[:at], *scored[at + 1 :]] if is_near else scored


def _may_tell(text: str, query: Query) -> bool:
    """Whether a sentence may answer: a question does not, but for one that is a request ("Can you bring a cake?"), nor
    does the beginning of a letter, or the name of an empty field; the head of a mail or book tells of itself alone.
    """
    if _HEAD_LINE.match(text) and not _OF_HEAD.intersection(query.words):
        return False
    is_greeting = text.endswith((",", ":")) and len(text.split()) <= MAX_SALUTATION
    return not is_greeting and (not text.endswith("?") or bool(_REQUEST.search(text)))


def _below_heading(query: Query, best: Statement, context: str) -> str:
    """The section whose heading names what is asked for, which answers for it; "" where the best is none."""
    section = sections.below(best.text, context)
    words = stems_of(section.heading) if section else frozenset()
    asked = [stem(word) for word in query.weights if len(word) > 1]  # not the "s" of "whats"
    if section is None or not asked or not words or not words <= set(asked):
        return ""
    type_, below = query.asked.types[0], " ".join(section.lines)
    names_it = asked[0] in words or set(asked) - words <= stems_of(below)
    if not names_it or (type_ in STRICT and not spans(type_, parse(below), query.words)):
        return ""
    return section.text


def _settles(query: Query, best: Statement) -> bool:
    """Whether a sentence has most words of a question and the kind of thing that it asks for, so that a second one
    beside it is only in the way.
    """
    if query.asked.types[0] not in STRICT:
        return best["shared words"] >= SETTLED_UNTYPED
    return bool(best["holds the type"]) and best["shared words"] >= SETTLED


def _is_only_measure(query: Query, scored: Sequence[tuple[float, Statement]]) -> bool:
    """Whether the likeliest sentence alone has the rarest word of a question and the amount that it asks for: "how high
    is the deposit for the flat?" where one tells of a deposit with a price.
    """
    if query.asked.types[0] not in MEASURED or not query.weights:
        return False
    rarest = stem(max(query.weights, key=query.weights.__getitem__))
    holding = [one for _, one in scored if one["holds the type"] and rarest in stems_of(one.text)]
    return len(holding) == 1 and holding[0] is scored[0][1]


def _is_ahead(query: Query, scored: Sequence[tuple[float, Statement]]) -> bool:
    """Whether the likeliest sentence has most words of a question of several and the kind of thing that it asks for,
    and is clearly likelier than the next.
    """
    (first, best), second = scored[0], scored[1][0] if len(scored) > 1 else 0.0
    is_typed = query.asked.types[0] in STRICT
    least = SETTLED if is_typed else MOST_WORDS
    has_type = bool(best["holds the type"]) or not is_typed
    is_known = not (best["name or number unknown to the text"] or best["lacks the type"])
    several = len(query.weights) >= MIN_SETTLING
    return several and has_type and is_known and best["shared words"] >= least and first >= AHEAD * second


def _is_only_price(query: Query, scored: Sequence[tuple[float, Statement]]) -> bool:
    """Whether the likeliest sentence is the only one with an amount of money, where a question but asks what is to be
    paid: "what do I owe them?".
    """
    if query.asked.types[0] != "money" or not query.weights.keys() <= PAYING:
        return False
    return [one for _, one in scored if one["holds the type"]] == [scored[0][1]]


def _is_price_of_other(query: Query, best: Statement) -> bool:
    """Whether a question asks for the price of what neither a sentence nor its neighbours speak of: that of the window
    cleaning, where the lift's is told.
    """
    is_of_thing = query.asked.types[0] == "money" and bool(query.weights.keys() - PAYING)
    return is_of_thing and not best["shared words"] and best["similar words with the neighbours"] < UNLIKE


def _nearly_as_close(scored: Sequence[tuple[float, Statement]], best: Statement, probability: float) -> list[str]:
    """A second sentence that is almost as close as the best, if both are short."""
    others = sorted((each for each in scored if each[1] is not best), key=lambda each: -each[0])[:1]
    return [
        other.text
        for closeness, other in others
        if closeness >= NEARLY * probability and len(other.text) + len(best.text) <= MAX_CLOSEST_CHARS
    ]


def _with_antecedent(statement: Statement, context: str) -> str:
    """A sentence, after the one before it if it begins with a pronoun that needs it."""
    first = [word.lower() for word in re.findall(r"[\w']+", statement.text)[:FIRST_WORDS]]
    before = _passage(context).texts[statement.index - 1] if statement.index else ""
    is_said = statement.text[0] in "\"“'‘«" or before[-1:] not in _ENDS  # by somebody; below a heading
    return statement.text if is_said or not BACK.intersection(first) else f"{before} {statement.text}"


def _polarity(query: Query, text: str) -> str:
    """ "Yes: " or "No: " where a sentence says in the question's own words and order what is asked, else nothing."""
    asked = [stem(word) for word in query.weights if len(word) > 1]  # not the "s" of "whats"
    sentence = parse(text, entities=False)
    stems = [stem(token.lemma_) for token in sentence]
    hedged = HEDGES & ({token.lower_ for token in sentence} | set(query.words))
    done = {stem(token.lemma_) for token in query.parsed if token.pos_ == "VERB"}  # also "get", which weighs nothing
    is_said = any(token.pos_ in ("VERB", "AUX") for token in sentence)  # not by a label with a name behind it
    if len(asked) < MIN_SETTLING or not is_said or hedged or not done.union(asked) <= set(stems):
        return ""
    if NEGATIONS & query.words:
        return ""
    places = [stems.index(word) for word in asked]
    if places != sorted(places):
        return ""
    negations = [token for token in sentence if token.lower_ in NEGATIONS]
    if not negations:
        return "Yes: "
    return "No: " if all(stem(token.head.lemma_) in asked for token in negations) else ""


_NAMES = re.compile(r"\b(?:names?|named|called|christened|known as)\b", re.IGNORECASE)
_HEAD_LINE = re.compile(r"(?:Subject|Title|Author|Date|From|To|Cc|Sent):\s")
_OF_HEAD = frozenset(
    """subject title author authors writer wrote written write sent send sender from to who whom whose received receive
    dated date mail email e-mail message address addressed about""".split()
)
"""Words of a question that may be about a mail or book itself."""
_REQUEST = re.compile(r"\b(?:can|could|would|will) you\b|\bplease\b", re.IGNORECASE)
TAKING_UP = frozenset("it its they them their he him his she her that this".split())
"""Words of a further part that take up what the part before names or asks for."""
POINTING = frozenset("it its they them their".split())
"""Words of a further part for what the part before names."""


def described(question: str, context: str) -> list[Statement]:
    """The sentences of a text that may answer a question, with their features, in the order of the text."""
    import numpy as np

    passage = _passage(context)
    query = Query.read(question)
    if not passage.texts:
        return []
    vector = minilm.embed([query.text])[0]
    chosen = passage.with_most_words(query)
    closeness = dict(zip(chosen, map(float, passage.vectors(chosen) @ vector), strict=True))
    order = sorted(chosen, key=lambda index: -(closeness[index] + 0.5 * passage.share(query, index)))
    ranked = np.array(sorted(closeness.values(), reverse=True))
    together = passage.read_with(query)
    return [
        Statement(
            passage.texts[index], index,
            _features(query, vector, passage, index, closeness[index], ranked) + standing(index, together),
        )
        for index in sorted(order[:MAX_CANDIDATES])
    ]  # fmt: skip


class Passage:
    """The sentences of a text with their vectors, stems and grammar, each computed when it is needed."""

    def __init__(self, context: str) -> None:
        self.texts = statements(context)
        self.stems = [stems_of(text) for text in self.texts]
        self.all_stems: frozenset[str] = frozenset().union(*self.stems) if self.stems else frozenset()
        self._vectors: dict[int | tuple[int, int], Any] = {}
        self._memories: dict[int, Memory] = {}
        self._parsed: dict[int, Any] = {}

    def vectors(self, indices: Sequence[int]) -> Array:
        """The vectors of some sentences, float32, shape (len(indices), 384)."""
        import numpy as np

        missing = [index for index in indices if index not in self._vectors]
        vectors = minilm.embed([self.texts[index] for index in missing])
        self._vectors.update(zip(missing, vectors, strict=True))
        return np.stack([self._vectors[index] for index in indices])

    def vector_with_before(self, index: int) -> Any:
        """The vector of a sentence together with the one before it."""
        key = (index - 1, index)
        if key not in self._vectors:
            self._vectors[key] = minilm.embed([" ".join(self.texts[max(0, index - 1) : index + 1])])[0]
        return self._vectors[key]

    def parsed(self, index: int) -> Any:
        if index not in self._parsed:
            self._parsed[index] = parse(self.texts[index])
        return self._parsed[index]

    def lemmas(self, index: int) -> tuple[str, ...]:
        """The content words of a sentence, sorted."""
        return tuple(sorted({lemma(token) for token in self.parsed(index) if is_content(token)}))

    def share(self, query: Query, index: int) -> float:
        """The weighted share of the question's words that are in a sentence."""
        return share(query, self.stems[index])

    def read_with(self, query: Query) -> dict[int, float]:
        """The joint reader's score of each sentence; of a long text those of the blocks with most words of a question
        are read.
        """
        starts = range(0, len(self.texts), BLOCK_SENTENCES)
        blocks = [range(start, min(start + BLOCK_SENTENCES, len(self.texts))) for start in starts]
        likeliest = sorted(blocks, key=lambda block: -max(self.share(query, index) for index in block))[:MAX_BLOCKS]
        return {
            index: score
            for block in likeliest
            for index, score in zip(block, self._memory(block).scores(query.text), strict=True)
        }

    def _memory(self, block: range) -> Memory:
        if block.start not in self._memories:
            self._memories[block.start] = Memory([self.texts[index] for index in block])
        return self._memories[block.start]

    def with_most_words(self, query: Query) -> list[int]:
        """The sentences to be embedded: all, or those of a long text with most of the question's words."""
        order = sorted(range(len(self.texts)), key=lambda index: -self.share(query, index))
        return sorted(order[:MAX_EMBEDDED])


_passage = lru_cache(8)(Passage)


def share(query: Query, stems: frozenset[str]) -> float:
    total = sum(query.weights.values())
    return sum(weight for word, weight in query.weights.items() if stem(word) in stems) / total if total else 0.0


FEATURES = (
    "closeness", "closer than the next", "less close than the closest", "rank", "closeness with the sentence before",
    "shared words", "similar words", "least similar word", "similar words with the neighbours",
    "least similar word with the neighbours", "unlike any word of the text", "name or number unknown to the text",
    "name or number not in the sentence", "holds the type", "lacks the type", "holds another type", "type and words",
    "lacks the type by far", "number counts the noun", "number counts another noun", "noun is near", "is a question",
    "is short", "is long", "verb is near", "asks yes or no", "asks who", "asks when", "asks where", "asks why",
    "asks how", "asks what", "asks yes or no, words shared", "asks what, words similar", "refers back", "read together", "read together, of all", "read together, ahead",
    "read together, rank",
)  # fmt: skip
STRICT = frozenset(("person", "date", "time", "money", "duration", "number", "age", "temperature", "length", "mass",
    "frequency", "contact", "name", "colour", "speed"))  # fmt: skip


def _features(
    query: Query, vector: Any, passage: Passage, index: int, closeness: float, ranked: Any
) -> tuple[float, ...]:
    """The `FEATURES` of a sentence for a question with its vector; `ranked` are all closenesses, the highest first."""
    sentence, text, asked = passage.parsed(index), passage.texts[index], query.asked
    type_ = asked.types[0]
    near = [other for other in (index - 1, index, index + 1) if 0 <= other < len(passage.texts)]
    similar = similar_words(query, passage.lemmas(index), passage.stems[index])
    refers_back = any(token.lower_ in BACK and token.i < 6 for token in sentence)
    around = [
        max(each)
        for each in zip(*(similar_words(query, passage.lemmas(n), passage.stems[n]) for n in near), strict=True)
    ]
    anywhere = _similar_anywhere(query, passage, around)
    names = [token for token in query.parsed if token.i not in asked.spent and is_name(token)]
    unknown = any(not _name_stems(name) <= passage.all_stems for name in names)
    absent = any(not _name_stems(name) <= passage.stems[index] for name in names)
    held = [bool(spans(each, sentence, query.words)) for each in asked.types]
    typed = type_ not in ("thing", "statement")
    counts, counts_other, noun = _counted(query, sentence)
    weights = list(query.weights.values())
    mean, mean_around = mean_of(weights, similar), mean_of(weights, around)
    return (
        closeness,
        closeness
        - float(ranked[1] if closeness == ranked[0] and len(ranked) > 1 else ranked[0] * (closeness != ranked[0])),
        float(ranked[0]) - closeness,
        float((ranked > closeness).sum()) / 5,
        float(passage.vector_with_before(index) @ vector),
        passage.share(query, index),
        mean,
        min(similar, default=0.5),
        mean_around,
        min(around, default=0.5),
        mean_of(weights, [float(value < 0.5) for value in anywhere]),
        float(unknown),
        float(absent),
        float(typed and held[0]),
        float(typed and not any(held)),
        float(typed and any(held) and not held[0]),
        float(typed and any(held)) * mean_around,
        float(type_ in STRICT and not any(held)),
        counts,
        counts_other,
        noun,
        float(text.rstrip().endswith("?")),
        float(len(sentence) < 5),
        float(len(sentence) > 30),
        _verb(query, sentence),
        float(asked.is_yes_no),
        float(type_ == "person"),
        float(type_ in ("date", "time")),
        float(type_ == "place"),
        float(type_ == "reason"),
        float(type_ == "manner"),
        float(type_ == "thing"),
        float(asked.is_yes_no) * mean,
        float(type_ == "thing") * mean,
        float(refers_back),
    )


_ENDS = tuple(".!?…")
FIRST_WORDS = 2
"""A sentence with a pronoun among its first words is quoted behind the one before it."""
BACK = frozenset("he she it they his her its their him them this that these those".split())


def is_name(token: Any) -> bool:
    is_named = token.pos_ == "PROPN" and token.text[:1].isupper()
    return bool(is_named or any(char.isdigit() for char in token.text) or token.ent_type_ in ("PERSON", "GPE", "ORG"))


def _name_stems(token: Any) -> frozenset[str]:
    return stems_of(token.text)


def mean_of(weights: Sequence[float], values: Sequence[float]) -> float:
    total = sum(weights)
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) / total if total else 0.5


def similar_words(query: Query, words: tuple[str, ...], stems: frozenset[str]) -> list[float]:
    """For each word of the question its similarity to the most similar of a sentence, 1 for the same word."""
    asked = tuple(query.weights)
    if not asked:
        return []
    values = (word_vectors(asked) @ word_vectors(words).T).max(1) if words else [0.0] * len(asked)
    return [1.0 if stem(word) in stems else min(1.0, float(value)) for word, value in zip(asked, values, strict=True)]


def _similar_anywhere(query: Query, passage: Passage, around: Sequence[float]) -> list[float]:
    """The same for the whole text, as far as its sentences are parsed."""
    words = sorted({word for index in passage._parsed for word in passage.lemmas(index)})
    return [max(pair) for pair in zip(similar_words(query, tuple(words), passage.all_stems), around, strict=True)]


def _counted(query: Query, sentence: Any) -> tuple[float, float, float]:
    """How near the noun that a question wants counted or named is to one that a number counts in a sentence, whether
    numbers count other nouns, and how near the noun is to any."""
    asked = query.asked
    if asked.noun is None:
        return 0.0, 0.0, 0.0
    noun = lemma(query.parsed[asked.noun])
    nouns = [token for token in sentence if token.pos_ in ("NOUN", "PROPN")]
    near = nearest(noun, [lemma(token) for token in nouns])
    if asked.types[0] != "number":
        return 0.0, 0.0, near * (asked.noun not in asked.spent)
    counted = [
        lemma(token) for token in nouns if any(child.pos_ == "NUM" or child.like_num for child in token.children)
    ]
    closest = nearest(noun, counted)
    return closest, float(bool(counted)) * (1 - closest), near


def _verb(query: Query, sentence: Any) -> float:
    """How near the question's verb is to one of the sentence."""
    verbs = [lemma(token) for token in query.parsed if token.pos_ == "VERB" and token.lemma_ not in LIGHT]
    return nearest(verbs[0], [lemma(token) for token in sentence if token.pos_ in ("VERB", "AUX")]) if verbs else 0.0
