"""Texts that are given as files are called what the user calls them."""

from hugginggpt.answers.findings import names_of_args
from hugginggpt.core.conversation import Attachment
from hugginggpt.core.task_rows import ROWS


def test_a_text_in_a_file_has_the_name_of_the_users_file() -> None:
    row = next(row for row in ROWS if row.name == "question-answering")
    path = "/uploads/offer-1f2e.txt"
    args = {"text": "Who pays?", "context": path}
    names = names_of_args([(row, args, args)], [Attachment("offer.txt", path, "text")])
    assert names[path] == "offer.txt"
    assert names["Who pays?"] == "Who pays?"
