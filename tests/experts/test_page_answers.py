"""What pages and notices say for an age, a stay, a number and across the ends of their lines."""

from __future__ import annotations

import pytest

from hugginggpt.experts import (
    age_prices,
    bar_charts,
    chats,
    foreign_reading,
    numbered,
    owed_together,
    page_sentences,
    senders,
    stay_limits,
)
from hugginggpt.experts.ocr import Line
from hugginggpt.offline import of_reading

MUSEUM = "Adults  £9.00\nChildren (6-16)  £4.50\nUnder 6  free\nSeniors (65 and over)  £6.50\nFamily (2 adults)  £24.00"
FERRY = "Adult single £6.40Child (5-15) £3.20 Under 5 free\nBicycle £2.00"
SIGN = "P\n2 HOURS MAX\nMon - Sat 8am - 6pm\n$3.50 per hour\nFree on Sundays"


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("I'm 71, what do I pay?", MUSEUM, "£6.50 (Seniors (65 and over))"),
        ("and my grandson is 5", MUSEUM, "Free (Under 6)"),
        ("Ich bin 67, was kostet das für mich?", MUSEUM, "£6.50 (Seniors (65 and over))"),
        ("my wife and I are 40 and our kids are 8 and 10, how much?", MUSEUM, "£27.00 (2 × Adults £9.00 + 2 × Children (6-16) £4.50)"),
        ("2 grown-ups, a girl of 7 and a boy of 3, singles. What does it come to?", FERRY, "£16.00 (2 × Adult single £6.40 + Child (5-15) £3.20 + Under 5 free)"),
        ("what do three adults pay?", MUSEUM, None),
        ("we are 4, how much is it?", MUSEUM, None),
        ("the kids are 8, how much is it?", MUSEUM, None),
        ("I'm 71, is it open at 7 pm?", "Open 9 to 5\nTea  £2.00\nCake  £3.00", None),
        ("I'm 71, what do I pay?", "Adult  £6.40  £11.00\nChild (5-15)  £3.20  £5.00", None),
    ],
)  # fmt: skip
def test_what_somebody_pays_by_age(question: str, text: str, told: str | None) -> None:
    assert age_prices.answer(question, text) == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("can i park here for 3 hours on a wednesday afternoon?? quick", "No: “2 HOURS MAX / Mon - Sat 8am - 6pm”"),
        ("may I leave the car for an hour on monday", "Yes: “2 HOURS MAX”"),
        ("can we park 4 hours on sunday", "For that day it names no limit: “2 HOURS MAX / Mon - Sat 8am - 6pm”"),
        ("can we park 1 hour on monday on sunday?", "For that day it names no limit: “2 HOURS MAX / Mon - Sat 8am - 6pm”"),
        ("can i park here", None),
        ("how much is parking for 3 hours", None),
    ],
)  # fmt: skip
def test_how_long_one_may_stay(question: str, told: str | None) -> None:
    assert stay_limits.answer(question, SIGN) == told


def test_no_yes_where_another_line_may_forbid_it() -> None:
    assert stay_limits.answer("can I stay for 45 minutes", "MAX 90 MINUTES\nPermit holders only") is None
    assert stay_limits.answer("can I stay for 2 hours", "MAX 90 MINUTES\nPermit holders only") == "No: “MAX 90 MINUTES”"


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("I live in building 4, are we affected?", "The water is off in buildings 3 and 5.", "No: “The water is off in buildings 3 and 5.”"),
        ("is my flat 12 included?", "Flats 10 to 14 get new windows.", "“Flats 10 to 14 get new windows.”"),
        ("我住在4号楼，我们家停不停？", "因更换水管，本小区3号楼和5号楼停水。", "不：“因更换水管，本小区3号楼和5号楼停水。”"),
        ("Ist Haus 4 betroffen?", "Gebaut wird in Haus 3. In Haus 5 nicht.", None),
        ("Is building 4 off?", "All but building 4 have water.", "“All but building 4 have water.”"),
        ("Who lives in flat 3?", "Flat 3 is let to Ms Okafor.", None),
    ],
)  # fmt: skip
def test_whether_a_numbered_thing_is_named(question: str, text: str, told: str | None) -> None:
    assert numbered.answer(question, text) == told


def test_half_a_sentence_is_told_as_the_whole_one() -> None:
    rows = [
        [Line(text, 0, 40 * at, 10 * len(text), 40 * at + 30)]
        for at, text in enumerate(
            (
                "on Thursday 21 May Class 3 will visit the Ferrand",
                "Farm. We leave at 8:20 from the front gate and are",
                "back at about 3 pm. There is no shop.",
            )
        )
    ]
    running = page_sentences.of(rows)
    leaving = "We leave at 8:20 from the front gate and are back at about 3 pm."
    assert leaving in running
    assert page_sentences.whole(rows[1][0].text, running, "when do they leave?") == leaving
    assert page_sentences.whole("at 8:20", running) == "at 8:20"


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("停水通知\n各位业主：\n本小区3号楼和5号楼\n将于6月18日（星期三）上午8:30\n至下午4:00停水。\n电话：5550186", "本小区3号楼和5号楼将于6月18日（星期三）上午8:30至下午4:00停水。"),
        ("Liebe Eltern,\ner findet am 18. September,\num 19:30 Uhr in Raum 204 statt.", "er findet am 18. September, um 19:30 Uhr in Raum 204 statt."),
    ],
)  # fmt: skip
def test_a_sentence_over_several_lines_is_one_in_other_languages(text: str, unit: str) -> None:
    assert unit in foreign_reading.units(text)


@pytest.mark.parametrize(
    ("words", "is_of_reading"),
    [
        ("May I take it to Denmark?", True),
        ("and if i lose the key?", True),
        ("can I stay over night", True),
        ("and on sunday?", True),
        ("and my grandson is 5", True),
        ("can I have it as a pdf", False),
        ("can you read it aloud", False),
        ("and the names", False),
    ],
)
def test_what_is_asked_of_a_page_by_its_form(words: str, is_of_reading: bool) -> None:
    assert of_reading.asks(words) is is_of_reading


CHART = [
    [Line("Visitors of the museum", 340, 40, 670, 70)],
    [Line("745", 667, 73, 707, 98)],
    [Line("700", 77, 109, 119, 134)],
    [Line("530", 427, 202, 466, 224), Line("690", 789, 107, 826, 129)],
    [Line("400", 77, 289, 119, 312), Line("385", 308, 289, 345, 311)],
    [Line("Feb", 287, 543, 364, 566), Line("Mar", 419, 543, 474, 567), Line("Apr", 545, 543, 590, 570),
     Line("May", 665, 543, 709, 568), Line("Jun", 785, 544, 830, 569)],
]  # fmt: skip
CHART[1].append(Line("610", 548, 155, 586, 177))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which month had the most visitors and how many was it?", "May: 745, the most of the 5 bars."),
        ("how many came in march", "March: 530."),
        ("In welchem Monat waren es am wenigsten?", "February: 385, the least of the 5 bars."),
        ("and all together?", "2,960 (385 + 530 + 610 + 745 + 690)."),
        ("which month was best? How much more was that than in February?", "May: 745, the most of the 5 bars. 360 more in May than in February (745 - 385)."),
        ("what is the title?", None),
    ],
)  # fmt: skip
def test_a_bar_chart_whose_bars_bear_numbers(question: str, told: str | None) -> None:
    assert bar_charts.answer(question, CHART) == told


def test_a_table_is_no_bar_chart() -> None:
    rows = [
        [Line(text, 100 * at, 40 * row, 100 * at + 60, 40 * row + 30) for at, text in enumerate(texts)]
        for row, texts in enumerate((("12", "14", "9"), ("3", "4", "5"), ("Mon", "Tue", "Wed")))
    ]
    assert bar_charts.bars(rows) == []


@pytest.mark.parametrize(
    ("question", "texts", "told"),
    [
        ("who sent it?", ("INVOICE 2041", "Birchwood Furniture Ltd.", "Clara Jensen", "Total $484", "Due 11 April"), "Birchwood Furniture Ltd."),
        ("which company is it from", ("Birchwood Ltd.", "Total $484", "Due 11 April"), "Birchwood Ltd."),
        ("who pays it?", ("Birchwood Ltd.", "Total $484", "Due 11 April"), None),
    ],
)  # fmt: skip
def test_who_sent_a_page(question: str, texts: tuple[str, ...], told: str | None) -> None:
    rows = [[Line(text, 0, 20 * at, 200, 20 * at + 15)] for at, text in enumerate((*texts, "a", "b", "c"))]
    found = senders.answer(question, rows)
    assert (found and found["closest"]) == told


def test_a_single_letter_is_no_chat_of_who_comes() -> None:
    mail = "From: Dana Whitlock <dana@homes.example>\nTo: Tom <tom@mail.example>\nSubject: Boiler\n\nOur technician will come."
    assert chats.answer("Who is coming to my flat?", mail) is None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How many have not paid yet, and how much money is that together?", "7; 7 x $60 = $420 (“46 members have paid the fee of $60; seven have not.”)"),
        ("How many have not paid yet?", None),
        ("How much is the fee?", None),
    ],
)  # fmt: skip
def test_what_those_owe_together_who_have_not_paid(question: str, told: str | None) -> None:
    assert (
        owed_together.answer(question, "46 members have paid the fee of $60; seven have not. Tickets are $18.") == told
    )
