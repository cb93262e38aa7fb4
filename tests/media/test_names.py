"""Files as users name them: the attached file is meant by its name, in other case, without its suffix, misspelt."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import Attachment
from hugginggpt.core.errors import MediaError
from hugginggpt.media.names import closest, is_misspelt
from hugginggpt.media.references import find_resources, with_attachments
from hugginggpt.media.store import MediaStore
from hugginggpt.media.types import kind_of
from tests.conftest import MakeConfig


def attached(name: str) -> Attachment:
    return Attachment(name, f"/uploads/{name}", kind_of(name))


def named_in(request: str, files: str, earlier: str = "") -> dict[str, str]:
    """What the request calls each file that it names, by the words that do."""
    now, before = ([attached(name) for name in names.split()] for names in (files, earlier))
    resources = with_attachments(request, find_resources(request), now, before)
    return {request[one.start : one.end]: one.text for one in resources if one.has_place}


@pytest.mark.parametrize(
    ("request_text", "files", "words", "file"),
    [
        ("what does notes.txt say", "notes.txt", "notes.txt", "/uploads/notes.txt"),
        ("what does Notes.TXT say", "notes.txt", "Notes.TXT", "/uploads/notes.txt"),
        ("what does notes say", "notes.txt", "notes", "/uploads/notes.txt"),
        ("what does nots.txt say", "notes.txt", "nots.txt", "/uploads/notes.txt"),
        ("describe cta.jpg", "cat.jpg", "cta.jpg", "/uploads/cat.jpg"),
        ("describe cat.jpgg", "cat.jpg", "cat.jpgg", "/uploads/cat.jpg"),
        ("describe holiday/cat.jpg", "cat.jpg", "holiday/cat.jpg", "/uploads/cat.jpg"),
        (r"describe C:\Users\me\cat.jpg", "cat.jpg", r"C:\Users\me\cat.jpg", "/uploads/cat.jpg"),
        ("same for c", "c.jpg", "c", "/uploads/c.jpg"),
        ("listen to es2", "es1.wav es2.wav", "es2", "/uploads/es2.wav"),
        ("summarise the invoice", "letter.png invoice.png", "invoice", "/uploads/invoice.png"),
        ("describe /examples/cat.jpg", "cat.jpg", "/examples/cat.jpg", "/examples/cat.jpg"),
        ("describe page2.png", "page1.png", "page2.png", "page2.png"),
        ("describe bat.jpg", "cat.jpg", "bat.jpg", "bat.jpg"),
    ],
)
def test_a_name_means_the_attached_file(request_text: str, files: str, words: str, file: str) -> None:
    assert named_in(request_text, files) == {words: file}


@pytest.mark.parametrize(
    ("request_text", "files"),
    [
        ("is there a person in it?", "person.jpg b.jpg"),
        ("how many cats are there?", "cats.jpg"),
        ("describe the picture", "picture.jpg b.jpg"),
        ("is there a dog?", "a.jpg"),
        ("describe the invoice", "invoice.png"),  # the only file: its words stay
        ("see example.com, or mail a@b.com. Ok.now go", "b.jpg"),
    ],
)
def test_plain_words_are_no_names(request_text: str, files: str) -> None:
    assert named_in(request_text, files) == {}


def test_a_path_elsewhere_means_no_earlier_file() -> None:
    assert named_in("describe other/cat.jpg", "", "cat.jpg") == {"other/cat.jpg": "other/cat.jpg"}
    assert named_in("what about cat?", "", "cat.jpg") == {"cat": "/uploads/cat.jpg"}


def test_a_missing_file_is_answered_with_the_nearest_name(make_config: MakeConfig) -> None:
    store = MediaStore(make_config())
    for missing, others, near in (
        ("cat.jpgg", ["cat.jpg", "dog.jpg"], "cat.jpg"),
        ("my/holliday.png", ["my/holiday.png"], "my/holiday.png"),
        ("/examples/speach.wav", [], "/examples/speech.wav"),
        ("c.jpg", [], "/examples/c.jpg"),
    ):
        with pytest.raises(MediaError, match=rf"There is no file {missing}\. Did you mean {near}\?"):
            store.open(missing, "image", (), others)
    with pytest.raises(MediaError, match="check the path, or attach it"):
        store.open("cat.jpg", "image", (), ["letter.png"])


def test_what_a_typing_error_is() -> None:
    assert all(
        is_misspelt(name, "notes.txt") for name in ("note.txt", "nots.txt", "ntoes.txt", "nodes.txt", "notes.tx")
    )
    assert not any(is_misspelt(name, "notes.txt") for name in ("notes.txt", "votes.txt", "nts.txt", "notes2.txt"))
    assert closest("Holliday.jpg", ["a/holiday.jpg", "b.jpg"]) == "a/holiday.jpg"
