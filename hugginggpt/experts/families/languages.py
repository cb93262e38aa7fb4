"""Languages by their English names, the codes that models have for them, and which one a text is in."""

from __future__ import annotations

import re
from collections.abc import Iterable

_TABLE = """
Afrikaans af afr; Albanian sq sqi als; Amharic am amh; Arabic ar ara arb; Armenian hy hye; Assamese as asm;
Asturian ast; Azerbaijani az aze azj; Bashkir ba bak; Basque eu eus; Belarusian be bel; Bengali bn ben;
Bosnian bs bos; Breton br bre; Bulgarian bg bul; Burmese my mya; Catalan ca cat; Cebuano ceb;
Chinese zh zho_Hans cmn_Hans zho cmn; Croatian hr hrv; Czech cs ces; Danish da dan; Dutch nl nld; English en eng;
Esperanto eo epo; Estonian et est; Faroese fo fao; Filipino tl tgl fil; Finnish fi fin; French fr fra;
Frisian fy fry; Fulah ff ful fuv; Galician gl glg; Ganda lg lug; Georgian ka kat; German de deu; Greek el ell;
Gujarati gu guj; Haitian Creole ht hat; Hausa ha hau; Hebrew he heb; Hindi hi hin; Hungarian hu hun;
Icelandic is isl; Igbo ig ibo; Iloko ilo; Indonesian id ind; Irish ga gle; Italian it ita; Japanese ja jpn;
Javanese jv jav; Kannada kn kan; Kazakh kk kaz; Khmer km khm; Kinyarwanda rw kin; Korean ko kor; Kurdish ku kmr ckb;
Kyrgyz ky kir; Lao lo lao; Latin la lat; Latvian lv lav lvs; Lingala ln lin; Lithuanian lt lit; Luxembourgish lb ltz;
Macedonian mk mkd; Malagasy mg mlg plt; Malay ms msa zsm; Malayalam ml mal; Maltese mt mlt; Maori mi mri;
Marathi mr mar; Mongolian mn mon khk; Nepali ne nep npi; Northern Sotho ns nso; Norwegian no nor nob nb;
Norwegian Nynorsk nn nno; Occitan oc oci; Odia or ori ory; Pashto ps pus pbt; Persian fa fas pes; Polish pl pol;
Portuguese pt por; Punjabi pa pan; Romanian ro ron; Russian ru rus; Samoan sm smo; Scottish Gaelic gd gla;
Serbian sr srp; Shona sn sna; Sindhi sd snd; Sinhala si sin; Slovak sk slk; Slovenian sl slv; Somali so som;
Spanish es spa; Sundanese su sun; Swahili sw swa swh; Swati ss ssw; Swedish sv swe; Tajik tg tgk; Tamil ta tam;
Tatar tt tat; Telugu te tel; Thai th tha; Tibetan bo bod; Tigrinya ti tir; Traditional Chinese zho_Hant cmn_Hant zh_TW;
Tswana tn tsn; Turkish tr tur; Turkmen tk tuk; Ukrainian uk ukr; Urdu ur urd; Uyghur ug uig; Uzbek uz uzb uzn;
Vietnamese vi vie; Welsh cy cym; Wolof wo wol; Xhosa xh xho; Yiddish yi yid ydd; Yoruba yo yor; Zulu zu zul
"""
_ROW = re.compile(r"([A-Z][A-Za-z ]*?) ([a-z][\w ]*)")


def _rows() -> dict[str, tuple[str, ...]]:
    rows = (_ROW.fullmatch(" ".join(row.split())) for row in _TABLE.split(";"))
    return {row[1]: tuple(row[2].split()) for row in rows if row}


LANGUAGES: dict[str, tuple[str, ...]] = _rows()
"""English names and the codes of each: ISO 639-1, ISO 639-3, and those of FLORES-200 where they differ."""

OTHER_NAMES = {
    "farsi": "Persian", "mandarin": "Chinese", "simplified chinese": "Chinese", "tagalog": "Filipino",
    "brazilian portuguese": "Portuguese", "castilian": "Spanish", "bokmål": "Norwegian", "gaelic": "Scottish Gaelic",
    "haitian": "Haitian Creole", "oriya": "Odia", "panjabi": "Punjabi", "flemish": "Dutch", "slovene": "Slovenian",
}  # fmt: skip


def language_named(name: str) -> str:
    """The English name of a language that is given by a name or code; as it was given if it is not known."""
    key = " ".join(re.sub(r"[_-]", " ", name).split()).casefold()
    if key in OTHER_NAMES:
        return OTHER_NAMES[key]
    for language, codes in LANGUAGES.items():
        if key == language.casefold() or key.replace(" ", "_") in (code.casefold() for code in codes):
            return language
    head, _, rest = key.partition(" ")
    return language_named(head) if rest and len(head) in (2, 3) else name.strip()  # "de-DE" or "deu Latn"


def code_of(language: str, codes: Iterable[str]) -> str | None:
    """The one of a model's codes ("de", "deu_Latn", "de_DE") that means a language; None if it has none."""
    plain = {re.sub(r"[<>]", "", code).replace("-", "_").casefold(): code for code in reversed([*codes])}
    asked = language.strip().replace("-", "_").casefold()
    wanted = [asked, *(code.casefold() for code in LANGUAGES.get(language_named(language), ()))]
    for want in wanted:
        if want in plain:
            return plain[want]
    heads = {code.partition("_")[0]: own for code, own in plain.items()}
    return next((heads[want] for want in wanted if want in heads), None)


def names_of(codes: Iterable[str]) -> list[str]:
    """The languages that a model's codes mean, in alphabetical order; codes that are not known stay codes."""
    return sorted({language_named(re.sub(r"[<>]", "", code)) for code in codes})


SCRIPTS = {
    "Japanese": r"[\u3040-\u30ff]", "Korean": r"[\uac00-\ud7af]", "Chinese": r"[\u4e00-\u9fff]",
    "Persian": r"[پچژگ]", "Urdu": r"[ٹڈڑے]", "Arabic": r"[\u0600-\u06ff]", "Hebrew": r"[\u0590-\u05ff]",
    "Ukrainian": r"[іїєґІЇЄҐ]", "Russian": r"[\u0400-\u04ff]", "Greek": r"[\u0370-\u03ff]", "Thai": r"[\u0e00-\u0e7f]",
    "Hindi": r"[\u0900-\u097f]", "Bengali": r"[\u0980-\u09ff]", "Punjabi": r"[\u0a00-\u0a7f]",
    "Gujarati": r"[\u0a80-\u0aff]", "Odia": r"[\u0b00-\u0b7f]", "Tamil": r"[\u0b80-\u0bff]",
    "Telugu": r"[\u0c00-\u0c7f]", "Kannada": r"[\u0c80-\u0cff]", "Malayalam": r"[\u0d00-\u0d7f]",
    "Sinhala": r"[\u0d80-\u0dff]", "Lao": r"[\u0e80-\u0eff]", "Tibetan": r"[\u0f00-\u0fff]",
    "Burmese": r"[\u1000-\u109f]", "Georgian": r"[\u10a0-\u10ff]", "Amharic": r"[\u1200-\u137f]",
    "Khmer": r"[\u1780-\u17ff]", "Armenian": r"[\u0530-\u058f]",
}  # fmt: skip
"""The most usual language of each script; before it those that share it and have letters of their own."""
OWN_LETTERS = ("Persian", "Urdu", "Ukrainian")
SHARE_OF_SCRIPT, SHARE_OF_OWN_LETTERS = 0.2, 0.03
WORDS = {
    "English": "the and of to is in that it for you was with are not this i",
    "German": "der die das und ist nicht ich ein eine mit zu den sie von auf guten morgen danke wie",
    "French": "le la les et est des une je pas que vous dans pour avec du bonjour merci comment",
    "Spanish": "el los las y es una que no por con para está del hola gracias buenos cómo",
    "Italian": "il che di e è non una per sono con gli della questo ciao grazie buongiorno come",
    "Portuguese": "o os e não uma que para com do da em é você olá obrigado bom como",
    "Dutch": "de het een en is niet van ik dat je op te met goedemorgen dank hoe",
}
"""Usual words of the languages that are most often translated from, among those in Latin letters."""


def language_of(text: str) -> str:
    """The language of a text by its script and, in Latin letters, by its usual words; English in doubt."""
    letters = sum(char.isalpha() for char in text) or 1
    for language, pattern in SCRIPTS.items():
        share = len(re.findall(pattern, text)) / letters
        if share >= (SHARE_OF_OWN_LETTERS if language in OWN_LETTERS else SHARE_OF_SCRIPT):
            return language
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return max(WORDS, key=lambda language: sum(word in WORDS[language].split() for word in words))
