"""The aspects of tasks: parts of what a task type is asked for that not every expert for it covers.

The offline planner's classes name them ("audio-classification/emotion"), experts declare those that they cover, and
an answer says of the others what is lacking.
"""

from __future__ import annotations

from collections.abc import Mapping

from hugginggpt.core.task_types import Aspect

ASPECTS: Mapping[str, tuple[Aspect, ...]] = {
    "visual-question-answering": (
        Aspect("look", "answer questions about looks, actions or conditions in a picture"),
        Aspect("identity", "tell who a person in a picture is, or a person's age, sex or origin"),
        Aspect("feeling", "judge the feelings or the mood in a picture"),
        Aspect("place", "tell where, when or by whom a picture was made"),
        Aspect("judgement", "judge whether a picture, or what it shows, is good, real or safe"),
    ),
    "image-classification": (
        Aspect("species", "tell the species, breed, make or name of what a picture shows"),
        Aspect("scene", "tell what kind of picture or place it is"),
    ),
    "image-to-image": (Aspect("geometry", "straighten, frame or compress a picture, or read its technical data"),),
    "text-to-speech": (
        Aspect("voice", "read aloud in another voice than one man's, or in another language", is_manner=True),
        Aspect("music", "make music or sounds"),
    ),
    "audio-classification": (
        Aspect("emotion", "judge the feelings in a voice"),
        Aspect("language", "tell the language or accent of a voice"),
        Aspect("speaker", "tell who speaks, how many do, or the sex or age of a speaker"),
        Aspect("music", "recognise music, songs or instruments"),
        Aspect("sound", "name sounds other than speech"),
    ),
    "audio-to-audio": (
        Aspect("level", "change the tone of a recording"),
        Aspect("cut", "split, mix, loop or bleep recordings"),
        Aspect("voice", "change a voice, or separate voices and instruments"),
    ),
    "text-classification": (
        Aspect("emotion", "judge feelings, irony, manners, truth or quality of a text beyond positive and negative"),
    ),
    "token-classification": (Aspect("words", "sort or tag the words of a text"),),
    "conversational": (Aspect("knowledge", "answer general questions, calculate or give advice"),),
}
"""The aspects of each task that has any."""

BEYOND: Mapping[str, str] = {
    "live": "look up what is going on now: weather, time, news, prices, websites",
    "action": "act outside of this program: call or write to anybody, pay, book, print or remind; a number or an "
    "address can be found, a text saved as a file or read aloud",
    "opinion": "judge feelings, tone or taste; what is written or said can be quoted",
}
"""What people ask for that no task type is for, by its class."""

UNMADE: Mapping[str, str] = {
    "file": "make a file of that type: texts become txt, md, docx or PDF, tables csv, tsv, xlsx or PDF, pictures PDF",
    "changed": "change what is in a document or table, but rows, columns and pages can be saved as a new file",
}
"""What people ask to be made of documents and tables that no task type is for, by what tells it from its words."""
