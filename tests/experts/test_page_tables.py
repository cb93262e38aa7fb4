"""The lines of a page as a table, and the requests that ask for one."""

from __future__ import annotations

import pytest

from hugginggpt.core.conversation import Turn
from hugginggpt.experts import page_tables
from hugginggpt.media.references import Resource
from hugginggpt.offline import tabulated
from tests.conftest import TABLE
from tests.experts.test_boards import WEEK, page

RECEIPT = """
2 x Milk 2L @ 1.65 | 3.30
Cheddar 400g       | 4.20
TOTAL GBP          | 7.50
CASH               | 10.00
VAT 20% incl.      | 1.25
"""
INVOICE = """
Description | Quantity | Price
Desk lamp   | 4        | $35.00
Chair       | 2        | $120.00
"""


def test_the_items_of_a_receipt_are_rows_and_its_sums_are_none() -> None:
    assert page_tables.columns_of(page(RECEIPT)) == {
        "Item": ["Milk 2L", "Cheddar"],
        "Quantity": ["2", "1"],
        "Price": ["3.30", "4.20"],
    }


def test_a_table_on_a_page_keeps_its_columns() -> None:
    assert page_tables.columns_of(page(INVOICE))["Price"] == ["$35.00", "$120.00"]
    assert page_tables.columns_of(page(WEEK))["Friday"][-1] == ""
    assert page_tables.columns_of(page("Dear parents, the trip is on Monday.")) == {}


@pytest.mark.parametrize(
    ("words", "format"),
    [
        ("put the things I bought with their prices into an excel file", "excel file"),
        ("turn this receipt into a csv", "csv"),
        ("Mach mir daraus bitte eine Tabelle", ""),
        ("peux-tu mettre ça dans un tableau Excel ?", "Excel"),
        ("把这张收据做成表格", ""),
    ],
)
def test_a_request_for_a_page_as_a_table_is_known(words: str, format: str) -> None:
    planned = tabulated.task(words, [Resource("receipt.jpg", "image")], (), TABLE)
    assert planned == ("page-to-table", {"image": "receipt.jpg", **({"format": format} if format else {})})


@pytest.mark.parametrize(
    "words", ["blur everything on the table", "make the table brighter", "how many cups are there?"]
)
def test_other_requests_are_left_alone(words: str) -> None:
    assert tabulated.task(words, [Resource("kitchen.jpg", "image")], (), TABLE) is None


def test_a_table_in_hand_is_no_page() -> None:
    asked = "put the sales into an excel file"
    assert tabulated.task(asked, [Resource("sales.csv", "table")], (), TABLE) is None
    assert tabulated.task(asked, [], (Turn("hello", "hello"),), TABLE) is None
