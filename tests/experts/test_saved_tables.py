"""What a request for a file says of the rows that are to be in it."""

from __future__ import annotations

import pytest

from hugginggpt.experts.saved_tables import asked_rows


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("please make me an Excel list with only those four", "only those four"),
        ("can you put that in a spreadsheet for me", ""),
        ("chuck it all in an xlsx for my sister", ""),
        ("export only the unpaid ones to csv", "only the unpaid ones"),
        ("an Excel file of the members from Leeds", "the members from Leeds"),
        ("who owes?\nsave those as csv", "who owes?\nthose"),
        ("the members from Leeds", "the members from Leeds"),
    ],
)
def test_the_kind_of_file_names_no_rows(words: str, rows: str) -> None:
    assert asked_rows(words) == rows
