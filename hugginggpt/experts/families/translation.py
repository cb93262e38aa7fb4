"""Models that translate. How each kind is told the language: a token, a code before the text, or words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from hugginggpt.core.errors import UserError
from hugginggpt.experts.families import Args, Run, family
from hugginggpt.experts.families.generation import Rewriter, is_t5, rewrites
from hugginggpt.experts.families.languages import ENGLISH, code_of, language_of, name_of, names_of, tag_of
from hugginggpt.experts.families.pieces import checked, joined_up, split
from hugginggpt.experts.source import Source

LANGUAGE_TOKEN = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}")
"""The language tokens of NLLB (deu_Latn) and mBART (de_DE)."""
NAMED_AT_MOST = 30

Key = tuple[str, ...]
Translate = Callable[[list[str], Key], list[str]]


class UnknownLanguage(UserError):
    """The model does not translate to that language."""

    def __init__(self, model: str, language: str, codes: Iterable[str]) -> None:
        names = names_of(codes)
        more = f" and {len(names) - NAMED_AT_MOST} more" if len(names) > NAMED_AT_MOST else ""
        known = ", ".join(names[:NAMED_AT_MOST]) + more
        reason = f"does not translate to {language}" if language else "needs to know the language to translate to"
        super().__init__(f"{model} {reason}: it has {known}.")


def by_sentence(most: int, writer: Rewriter, key: Callable[[Args], Key], translate: Translate) -> Run:
    """Translates sentence by sentence, which is how the models were trained; lines stay lines.

    `key` says for a request what `translate` must know; sentences of requests with the same are run together.
    """

    def run(requests: Sequence[Args]) -> list[Any]:
        keys = [key(request) for request in requests]
        lines = [(at, line) for at, request in enumerate(requests) for line in checked(request["text"]).splitlines()]
        chunks = [(keys[at], row, part) for row, (at, line) in enumerate(lines)
                  for part in split(line, most, writer.length)]  # fmt: skip
        translated: dict[int, list[str]] = {}
        for of_key, group in groupby(sorted(chunks, key=lambda chunk: chunk[:2]), key=lambda chunk: chunk[0]):
            together = list(group)
            for (_, row, _), text in zip(together, translate([p[2] for p in together], of_key), strict=True):
                translated.setdefault(row, []).append(text)
        return [
            "\n".join(joined_up(translated.get(row, [])) for row, (owner, _) in enumerate(lines) if owner == at)
            for at in range(len(requests))
        ]

    return run


def _has_language_tokens(source: Source) -> bool:
    return source.model_type in ("m2m_100", "nllb-moe", "mbart")


@family("translation", "text2text-generation", when=_has_language_tokens, batch=8)
def with_language_tokens(source: Source) -> Run:
    """M2M100, NLLB, mBART-50: the target's token is what decoding starts with (arXiv 2010.11125, 2207.04672).

    The source language is told by the text; the target is English for texts in another language.
    """
    writer = Rewriter(source, "translation")
    tokenizer = writer.tokenizer
    codes = _language_codes(tokenizer)
    writer.unspoken = frozenset(codes.values())  # not every tokenizer knows them as special ones

    def key(request: Args) -> Key:
        spoken = language_of(request["text"])
        wanted = request.get("language") or (ENGLISH if spoken != ENGLISH else "")
        target = code_of(wanted, codes) if wanted else None
        if target is None:
            raise UnknownLanguage(source.id, wanted, codes)
        return code_of(spoken, codes) or code_of(ENGLISH, codes) or target, target

    def translate(texts: list[str], key: Key) -> list[str]:
        spoken, target = key
        tokenizer.src_lang = spoken
        return writer.write(texts, forced_bos_token_id=codes[target])

    return by_sentence(writer.limit, writer, key, translate)


def _language_codes(tokenizer: Any) -> dict[str, int]:
    """The ids of the tokens that stand for languages, by the tokenizer's codes."""
    known: Mapping[str, int] | None = getattr(tokenizer, "lang_code_to_id", None)
    if known:
        return dict(known)
    tokens = [str(token) for token in tokenizer.all_special_tokens if LANGUAGE_TOKEN.fullmatch(str(token))]
    return dict(zip(tokens, tokenizer.convert_tokens_to_ids(tokens), strict=True))


@family("translation", when=lambda source: source.model_type == "marian", batch=8)
def marian(source: Source) -> Run:
    """OPUS-MT: the model's own pair; with several targets the language's code stands before each sentence."""
    writer = Rewriter(source, "translation")
    codes: list[str] = list(writer.tokenizer.supported_language_codes)
    target = writer.tokenizer.target_lang or source.id.rpartition("-")[2]

    def key(request: Args) -> Key:
        wanted = request.get("language") or ""
        if not codes:
            if wanted and code_of(wanted, [target]) is None:
                raise UnknownLanguage(source.id, wanted, [target])
            return ("",)
        code = code_of(wanted, codes) if wanted else None
        if code is None:
            raise UnknownLanguage(source.id, wanted, codes)
        return (f"{code} ",)

    return by_sentence(
        writer.limit - 2, writer, key, lambda texts, key: writer.write([key[0] + text for text in texts])
    )


@family("translation", when=is_t5, batch=8)
def t5(source: Source) -> Run:
    """T5: told in words, "translate English to German: ". The first T5 has the languages that its settings name."""
    writer = Rewriter(source, "translation")
    taught = {
        name.rpartition("_to_")[2]: str(settings["prefix"])
        for name, settings in (source.config.get("task_specific_params") or {}).items()
        if name.startswith("translation_en_to_") and settings.get("prefix")
    }

    def key(request: Args) -> Key:
        wanted = request.get("language") or ""
        if taught:
            code = code_of(wanted, taught) if wanted else None
            if code is None:
                raise UnknownLanguage(source.id, wanted, taught)
            return (taught[code],)
        spoken = language_of(request["text"])
        if tag_of(wanted or ENGLISH) == spoken:
            raise UserError(f"The text is in {name_of(spoken)} already: say which language to translate it to.")
        return (f"translate {name_of(spoken)} to {name_of(wanted or ENGLISH)}: ",)

    most = writer.limit - writer.length("translate English to Portuguese: ")
    return by_sentence(most, writer, key, lambda texts, key: writer.write([key[0] + text for text in texts]))


@family("translation", when=rewrites, batch=8)
def own_pair(source: Source) -> Run:
    """Other encoder-decoders: trained for a pair of languages, which not all of them tell."""
    writer = Rewriter(source, "translation")
    target = getattr(writer.tokenizer, "tgt_lang", None)

    def key(request: Args) -> Key:
        wanted = request.get("language") or ""
        if target and wanted and code_of(wanted, [target]) is None:
            raise UnknownLanguage(source.id, wanted, [target])
        return (writer.prefix,)

    return by_sentence(writer.limit, writer, key, lambda texts, key: writer.write([key[0] + text for text in texts]))
