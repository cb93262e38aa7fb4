"""What a question asks of a picture that no detector can tell, and the words by which it is known."""

from __future__ import annotations

import re

BACKGROUND = re.compile(r"\bbackground\b")
WORN = re.compile(
    r"\b(?:wear|worn|cloth|dress|outfit|shirt|trouser|jacket|coat|hat\b|shoe|glasses|suit\b|spacesuit|uniform|"
    r"sweater|jumper|pullover|hoodie|blouse|vest\b|costume|robe\b)"
)
DOING = "what someone is doing"
SURROUNDINGS = "the surroundings, such as water or trees"
REFUSED = (
    (
        re.compile(
            r"\bwho(?:'s|se)?\b(?! (?:made|took|painted|drew))|\bname of (?:the|this|that) (?:person|man|woman|"
            r"boy|girl)"
            r"|\b(?:recogni[sz]e|famous|celebrity)\b"
        ),
        "who somebody is",
    ),
    (re.compile(r"\bwhat(?:'?s)?\b.{1,40}\bdoing\b"), DOING),
    (
        re.compile(
            r"\b(?:which|what) (?:way|direction)\b|"
            r"\b(?:look|fac|star|point)\w* (?:at|through|to|into|left|right|away|up|down|towards?)\b"
        ),
        "which way or at what somebody looks",
    ),
    (re.compile(r"\bhow old\b|\b(?:age|young|older)\b|\b(?:is|are) .{1,20} old\b"), "how old somebody or something is"),
    (
        re.compile(r"\b(?:is|are) (?:it|this|that|they|he|she|the person) a (?:man|woman|boy|girl|male|female)\b"),
        "whether somebody is a man or a woman",
    ),
    (
        re.compile(r"\b(?:happy|sad|angry|smil\w+|laugh\w*|mood|feel\w*|emotion\w*|friendly|scared|bored)\b"),
        "what a face shows, such as a smile",
    ),
    (WORN, "which clothes somebody wears"),
    (
        re.compile(
            r"\b(?:water|sea|lake|river|ocean|snow|sand|grass|forest|woods|trees?|sky|clouds?|mountains?|road|"
            r"street|floor|wall|beach|garden)\b"
        ),
        SURROUNDINGS,
    ),
    (
        re.compile(r"\b(?:hold|eat|drink|sit|stand|ly|sleep|runn|walk|play|look)ing\b|\b(?:asleep|awake)\b"),
        DOING,
    ),
    (re.compile(r"\bdoing\b|\bactivit|\bactions?\b"), DOING),
    (re.compile(r"\bdo(?:es)? (?:he|she|it|they)\b(?! have\b)"), "what somebody or something does"),
    (
        re.compile(r"\b(?:behind|in front of|foreground|how far|distance|closer|nearest)\b"),
        "how near or far things are",
    ),
    (re.compile(r"\bbreed|\bspecies\b|\bbrand|\bmake (?:of|and|is)\b|\bmodel\b"), "the breed or make"),
    (re.compile(r"\bhair|\beyes?\b|\bface\b|\bexpression"), "how a face, eyes or hair look"),
    (re.compile(r"\bweather\b|\btime of day\b|\bseason\b"), "the weather or the time"),
    (BACKGROUND, "what is in the background"),
    (re.compile(r"\bmaterial\b|\bmade of\b"), "what something is made of"),
)
"""Patterns of questions, and what they ask for as an answer says it: "From a picture I cannot tell [...]"."""
