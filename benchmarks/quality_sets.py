"""Small labelled sets for `benchmarks.quality`, whose truth is known as they are made here, or written by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from hugginggpt.common.paths import ROOT

NAMES = ("Ada Brook", "Noah Lindt", "Ines Moreau", "Otto Kranz", "Mia Falk", "Leo Hart", "Zoe Pratt", "Karl Voss")
FIRMS = ("Brightwater Ltd", "Kestrel Tools", "Harbour Books", "Maple Dairy", "Orchard Cycles", "Pinehill Garden")
GOODS = ("lamp", "kettle", "ladder", "blanket", "saddle", "notebook", "spade", "clock", "basket", "mirror")
TOWNS = ("Leeds", "Bath", "York", "Dover")
MONTHS = ("January", "March", "May", "July", "September", "November")


@dataclass(frozen=True)
class Asked:
    """A question and what has to stand in the answer."""

    question: str
    answer: str


@dataclass(frozen=True)
class Page:
    """A drawn page, its lines, and questions about it."""

    file: Path
    asked: tuple[Asked, ...]
    lines: tuple[str, ...] = ()


def pages(folder: Path, count: int = 30) -> Iterator[Page]:
    """Invoices and letters in turn, drawn with Pillow's own font; answers that stand in them."""
    rng = random.Random(18)
    for number in range(count):
        lines, asked = (_invoice if number % 2 else _letter)(rng)
        size = rng.choice((20, 22, 26))
        page = Image.new("RGB", (820, 60 + 2 * size * len(lines)), rng.choice(("white", "#fbf8ef", "#f4f6fa")))
        draw = ImageDraw.Draw(page)
        for at, line in enumerate(lines):
            for text, x in zip(line.split("\t"), (40, 420, 640), strict=False):
                draw.text((x, 30 + 2 * size * at), text, fill="#1c2026", font=ImageFont.load_default(size))
        file = folder / f"page{number:02d}.png"
        page.save(file)
        yield Page(file, asked, tuple(filter(str.strip, lines)))


def _date(rng: random.Random) -> str:
    return f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {rng.randint(2023, 2026)}"


def _invoice(rng: random.Random) -> tuple[list[str], tuple[Asked, ...]]:
    name, firm, number, due = rng.choice(NAMES), rng.choice(FIRMS), str(rng.randint(1000, 9999)), _date(rng)
    goods = rng.sample(GOODS, 3)
    prices = [rng.randint(500, 9000) / 100 for _ in goods]
    total = f"{sum(prices):.2f}"
    lines = [firm, "INVOICE", f"Invoice number: {number}", f"Customer: {name}", "Article\tQuantity\tPrice"]
    lines += [f"{good.title()}\t1\t{price:.2f}" for good, price in zip(goods, prices, strict=True)]
    lines += [f"Total due\t\t{total} EUR", f"Please pay by {due}"]
    asked = (
        Asked("What is the invoice number?", number), Asked("What is the total?", total),
        Asked("When is it due?", due), Asked(f"How much is the {goods[0]}?", f"{prices[0]:.2f}"),
    )  # fmt: skip
    return lines, asked


def _letter(rng: random.Random) -> tuple[list[str], tuple[Asked, ...]]:
    writer, reader = rng.sample(NAMES, 2)
    day, hour, room, phone = _date(rng), rng.randint(8, 17), rng.randint(2, 40), f"01632 {rng.randint(100000, 999999)}"
    lines = [
        rng.choice(FIRMS), f"Date: {_date(rng)}", f"Dear {reader},", "thank you for your message of last week.",
        f"The meeting takes place on {day}", f"at {hour}:30 in room {room}.",
        f"Please call {phone} if you cannot come.", "Yours sincerely,", writer,
    ]  # fmt: skip
    asked = (
        Asked("Who is the letter from?", writer), Asked("In which room is the meeting?", str(room)),
        Asked("What is the phone number?", phone), Asked("At what time is the meeting?", f"{hour}:30"),
    )  # fmt: skip
    return lines, asked


def table_questions() -> tuple[str, list[Asked]]:
    """A table of sales as CSV, and 40 questions with the answers computed here."""
    rng = random.Random(7)
    rows = [
        (number, rng.choice(GOODS), rng.choice(TOWNS), rng.randint(1, 30), rng.randint(3, 90))
        for number in range(1, 41)
    ]
    csv = "order,article,town,quantity,price\n" + "\n".join(",".join(map(str, row)) for row in rows)
    asked = []
    for town in TOWNS:
        here = [row for row in rows if row[2] == town]
        asked += [
            Asked(f"How many orders are from {town}?", str(len(here))),
            Asked(f"What is the total quantity in {town}?", str(sum(row[3] for row in here))),
            Asked(f"What is the highest price in {town}?", str(max(row[4] for row in here))),
            Asked(f"What is the average quantity in {town}?", f"{sum(row[3] for row in here) / len(here):.2f}".rstrip("0").rstrip(".")),
            Asked(f"How many orders from {town} have a price above 40?", str(sum(row[4] > 40 for row in here))),
        ]  # fmt: skip
    for good in sorted({row[1] for row in rows})[:5]:
        of = [row for row in rows if row[1] == good]
        asked += [
            Asked(f"How many {good}s were ordered in all?", str(sum(row[3] for row in of))),
            Asked(f"What is the lowest price of a {good}?", str(min(row[4] for row in of))),
        ]
    asked += [Asked(f"What is the article of order {row[0]}?", row[1]) for row in rows[3:30:5]]
    asked += [
        Asked("Which town has the most orders?", max(TOWNS, key=lambda town: sum(row[2] == town for row in rows))),
        Asked("How many rows are there?", "40"), Asked("What is the sum of all quantities?", str(sum(row[3] for row in rows))),
        Asked("How many different towns are there?", str(len({row[2] for row in rows}))),
    ]  # fmt: skip
    return csv, asked


SENTENCES = {
    "en": ("The train to the coast leaves at nine.", "My sister bought a green umbrella.", "We will paint the kitchen next weekend.",
           "The old bridge was closed for repairs.", "Nobody knew the answer to that question."),
    "es": ("El tren a la costa sale a las nueve.", "Mi hermana compró un paraguas verde.", "Vamos a pintar la cocina el próximo fin de semana.",
           "El puente viejo estaba cerrado por obras.", "Nadie sabía la respuesta a esa pregunta."),
    "fr": ("Le train pour la côte part à neuf heures.", "Ma sœur a acheté un parapluie vert.", "Nous allons peindre la cuisine le week-end prochain.",
           "Le vieux pont était fermé pour travaux.", "Personne ne connaissait la réponse à cette question."),
    "de": ("Der Zug an die Küste fährt um neun Uhr ab.", "Meine Schwester hat einen grünen Regenschirm gekauft.", "Wir streichen nächstes Wochenende die Küche.",
           "Die alte Brücke war wegen Reparaturen gesperrt.", "Niemand wusste die Antwort auf diese Frage."),
    "it": ("Il treno per la costa parte alle nove.", "Mia sorella ha comprato un ombrello verde.", "Il prossimo fine settimana dipingeremo la cucina.",
           "Il vecchio ponte era chiuso per lavori.", "Nessuno sapeva la risposta a quella domanda."),
}  # fmt: skip
"""The same five sentences: what voices say, and what translations are held against."""

LANGUAGES = {"en": "English", "es": "Spanish", "fr": "French", "de": "German", "it": "Italian"}
"""What the languages of `SENTENCES` are called."""

PASSAGES = (
    ("The lighthouse on the north pier was built in 1874 by the brothers Alder. Its lamp burns rapeseed oil until it was "
     "replaced by an electric one in 1931. Visitors climb 142 steps. On Tuesdays it stays closed. The keeper, Maud Finch, "
     "sells tickets for 4 euros; children pay half.",
     (("When was the lighthouse built?", "1874"), ("How many steps are there?", "142"), ("Who sells the tickets?", "Maud Finch"),
      ("On which day is it closed?", "Tuesday"), ("What does a ticket cost?", "4 euros"), ("When did the lamp become electric?", "1931"))),
    ("The library moves to Garden Street in May. Books that were borrowed before can be returned at either place. Opening "
     "hours are ten to six, on Saturdays ten to two. The reading room on the second floor has 60 seats. Printing costs ten "
     "cents a page. Questions are answered by Tom Reyes.",
     (("Where does the library move to?", "Garden Street"), ("How many seats does the reading room have?", "60"),
      ("Which floor is the reading room on?", "second floor"), ("How much is printing?", "ten cents"),
      ("Whom do I ask?", "Tom Reyes"), ("When does the move take place?", "May"))),
    ("Stir the flour, 200 g of sugar and three eggs until the dough is smooth. Bake it at 180 degrees for 40 minutes. Let the "
     "cake cool on a rack. It keeps for five days in a tin. Do not freeze it.",
     (("How long does the cake bake?", "40 minutes"), ("At which temperature?", "180"), ("How many eggs are needed?", "three eggs"),
      ("How long does it keep?", "five days"), ("May I freeze it?", "Do not freeze"), ("How much sugar goes in?", "200 g"))),
)  # fmt: skip
"""Texts and questions to them, each with what its answer holds."""

TOPICS = ("sport", "cooking", "politics", "travel", "money")
ABOUT = (
    ("sport", "The striker scored twice in the second half."), ("sport", "She won the marathon in under three hours."),
    ("sport", "The coach changed the goalkeeper."), ("sport", "They lost the final on penalties."),
    ("cooking", "Simmer the onions until they are soft."), ("cooking", "Add a pinch of salt to the dough."),
    ("cooking", "This stew needs two hours in the oven."), ("cooking", "Whisk the eggs with the cream."),
    ("politics", "The minister resigned after the vote."), ("politics", "Parliament passed the new law."),
    ("politics", "The two parties could not agree on a coalition."), ("politics", "Voters go to the polls on Sunday."),
    ("travel", "Our flight to Lisbon leaves at noon."), ("travel", "The hotel is ten minutes from the beach."),
    ("travel", "Do I need a visa for Japan?"), ("travel", "We crossed the Alps by train."),
    ("money", "The bank raised its interest rates."), ("money", "Her savings lost a third of their value."),
    ("money", "How much tax do I pay on a bonus?"), ("money", "Shares fell sharply at the opening of the exchange."),
)  # fmt: skip
"""Sentences, each with the one of `TOPICS` that it is about."""

CLOSER = (
    ("A man is playing a guitar.", "Someone makes music.", "Someone repairs a car."), ("The shop closes at six.", "You can buy things until 6 pm.", "The shop sells shoes."),
    ("It rained all day.", "The weather was wet.", "The day was long."), ("The dog chased the cat.", "A cat ran from a dog.", "A dog slept beside a cat."),
    ("He quit his job.", "He resigned.", "He found a job."), ("The film was boring.", "I nearly fell asleep during the movie.", "The movie starts at nine."),
    ("My car broke down.", "The automobile stopped working.", "My car is red."), ("She is a physician.", "She works as a doctor.", "She visits a doctor."),
    ("The soup is too hot.", "Let the soup cool.", "The soup is too salty."), ("Prices went up.", "Everything has become more expensive.", "Everything is on sale."),
    ("Children were laughing in the garden.", "Kids had fun outside.", "The garden has a fence."), ("The train was late.", "The train did not arrive on time.", "The train was full."),
)  # fmt: skip
"""A sentence, one that is closer to it in meaning, and one that is not."""

SEEN = (
    ("a.jpg", "How many giraffes are there?", "1"), ("b.jpg", "How many giraffes are there?", "2"), ("b.jpg", "Is there a dog?", "no"),
    ("c.jpg", "Is there a bird?", "yes"), ("c.jpg", "How many birds are there?", "1"), ("d.jpg", "Is there a cat?", "yes"),
    ("d.jpg", "What animal is it?", "cat"), ("d.jpg", "How many dogs are there?", "(?:0|no)"), ("e.jpg", "Is there a cup?", "yes"),
    ("f.jpg", "How many people are there?", "1"), ("f.jpg", "Is there a giraffe?", "no"), ("f.jpg", "What colour is her suit?", "orange"),
    ("g.jpg", "Is this a castle?", "yes"), ("person.jpg", "How many people are there?", "1"), ("c.jpg", "What kind of bird is it?", "lorikeet"),
    ("a.jpg", "What colour is the giraffe?", "brown"),
)  # fmt: skip
"""Questions about the examples, each with a word, or a pattern, of the right answer."""

OPINIONS = (
    ("POSITIVE", "The staff were friendly and the room was lovely."), ("POSITIVE", "I really enjoyed this book."),
    ("POSITIVE", "What a great day, thank you so much!"), ("POSITIVE", "The new phone works perfectly."),
    ("POSITIVE", "Dinner was delicious and cheap."), ("POSITIVE", "Best holiday we ever had."),
    ("POSITIVE", "It is not bad at all."), ("POSITIVE", "I would buy it again without hesitation."),
    ("NEGATIVE", "The parcel arrived broken and late."), ("NEGATIVE", "I hate waiting on the phone for hours."),
    ("NEGATIVE", "The film was a boring waste of time."), ("NEGATIVE", "Nobody answered my complaint."),
    ("NEGATIVE", "Terrible service, never again."), ("NEGATIVE", "The room was dirty and smelled awful."),
    ("NEGATIVE", "It is not good at all."), ("NEGATIVE", "The battery dies after an hour."),
)  # fmt: skip

NAMED: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("Angela Merkel visited Paris in March 2019.", (("Angela Merkel", "PERSON"), ("Paris", "GPE"), ("March 2019", "DATE"))),
    ("Toyota will build a factory in Poland for $400 million.", (("Toyota", "ORG"), ("Poland", "GPE"), ("$400 million", "MONEY"))),
    ("The Danube flows through Vienna and Budapest.", (("Danube", "LOC"), ("Vienna", "GPE"), ("Budapest", "GPE"))),
    ("Professor Alan Turing worked at the University of Manchester.", (("Alan Turing", "PERSON"), ("the University of Manchester", "ORG"))),
    ("On Tuesday the Bank of England raised rates by 0.5 percent.", (("Tuesday", "DATE"), ("the Bank of England", "ORG"), ("0.5 percent", "PERCENT"))),
    ("Serena Williams won twenty-three titles before 2018.", (("Serena Williams", "PERSON"), ("twenty-three", "CARDINAL"), ("2018", "DATE"))),
    ("Netflix bought a studio in Madrid from Sony.", (("Netflix", "ORG"), ("Madrid", "GPE"), ("Sony", "ORG"))),
    ("The Japanese minister met Nelson Mandela in Cape Town.", (("Japanese", "NORP"), ("Nelson Mandela", "PERSON"), ("Cape Town", "GPE"))),
)  # fmt: skip
"""Sentences with the names in them, and their kinds as OntoNotes has them."""

SHOWN = {"a.jpg": "giraffe", "b.jpg": "giraffe", "c.jpg": "bird", "d.jpg": "cat", "e.jpg": "cup", "f.jpg": "person", "person.jpg": "person"}  # fmt: skip
"""The examples with what the detector is to find in each."""


KINDS = {
    "public/examples/c.jpg": "lorikeet|parrot|bird", "public/examples/d.jpg": "cat", "public/examples/e.jpg": "espresso|coffee|cup",
    "public/examples/g.jpg": "castle", "mike/berlin.jpg": "triumphal arch|building", "mike/drums.jpg": "drum", "mike/rex.jpg": "German Shepherd|dog",
    "mike/IMG_2043.jpg": "bear", "mike/IMG_2044.jpg": "panda|bear", "mike/hedgehog.jpg": "hedgehog", "mike/stadium.jpg": "ball",
    "birch/balloon.jpg": "balloon", "birch/goldie.jpg": "Golden Retriever|dog", "birch/hens.jpg": "hen|chicken|bird", "birch/kitten_fence.jpg": "cat",
    "birch/mimi_wool.jpg": "cat", "birch/paddock.jpg": "horse", "birch/cows_field.jpg": "cow|ox|animal", "birch/white_car.jpg": "sports car|car",
    "birch/bandroom.jpg": "drum|electric guitar|musical instrument", "alder/mittens.jpg": "cat", "alder/pagoda.jpg": "palace|stupa|monastery|building",
    "amber/cape_evening.jpg": "missile or rocket|space shuttle", "kilo/garage_bike.jpg": "moped|motorcycle",
}  # fmt: skip
"""Photographs whose kind the classifier knows, of the examples and of the trials (licences: NOTICE and the SOURCES.txt
beside them), with patterns of what they may be called, be it a kind or a group of kinds; each was looked at for this."""
OTHER_KINDS = {
    "public/examples/a.jpg": "giraffe|animal", "public/examples/b.jpg": "giraffe|animal", "public/examples/person.jpg": "person",
    "public/examples/f.jpg": "person", "amber/navy_lady.jpg": "person", "amber/coin_tray.jpg": "", "amber/dahlia.jpg": "flower", "amber/man_on_the_lawn.jpg": "tripod|person",
    "aspen/garden_visitor.jpg": "animal", "birch/bird_homework.jpg": "bird|animal", "birch/books.jpg": "", "birch/sunflower.jpg": "flower",
    "mike/IMG_2045.jpg": "antelope or deer|antelope|animal", "mike/paris.jpg": "", "cedar/trailcam_0412.jpg": "", "delta/driveway.jpg": "",
}  # fmt: skip
"""Photographs whose kind is none of its thousand, with patterns of what may be said of them all the same."""


def photograph(name: str) -> Path:
    """The file of a photograph of these."""
    return ROOT / name if name.startswith("public/") else ROOT / "tests" / "trials" / "sets" / name


def shapes(count: int = 5) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pictures of overlapping shapes full of texture on a textured ground, and their outlines (booleans)."""
    rng = np.random.default_rng(3)
    for _ in range(count):
        label = Image.new("I", (320, 240))
        draw = ImageDraw.Draw(label)
        for number in range(1, 6):
            x, y, w, h = rng.integers(0, 220), rng.integers(0, 150), rng.integers(50, 110), rng.integers(40, 90)
            (draw.ellipse if number % 2 else draw.rectangle)((x, y, x + w, y + h), fill=number)
        areas = np.asarray(label)
        colours = rng.integers(30, 226, (6, 3))
        grain = np.asarray(
            Image.fromarray(rng.integers(0, 256, (240, 320), np.uint8)).filter(ImageFilter.GaussianBlur(1)), float
        )
        picture = np.clip(colours[areas] + 1.5 * (grain - grain.mean())[..., None], 0, 255).astype(np.uint8)
        outline = np.zeros(areas.shape, bool)
        outline[:, 1:] |= areas[:, 1:] != areas[:, :-1]
        outline[1:] |= areas[1:] != areas[:-1]
        yield picture, outline


OUTLINES = {
    "person.jpg": (
        (240, 55), (262, 44), (300, 42), (350, 42), (388, 40), (405, 50), (412, 95), (410, 150), (432, 165), (455, 190),
        (478, 230), (482, 270), (470, 290), (438, 305), (436, 340), (445, 380), (455, 420), (465, 470), (474, 520),
        (480, 552), (493, 575), (492, 592), (468, 600), (440, 590), (432, 555), (415, 515), (400, 470), (385, 430),
        (372, 405), (362, 412), (350, 440), (345, 480), (330, 530), (325, 570), (322, 585), (312, 598), (285, 602),
        (272, 590), (272, 560), (275, 500), (272, 450), (275, 405), (280, 370), (262, 372), (258, 400), (255, 430),
        (240, 440), (220, 438), (214, 410), (214, 370), (222, 330), (225, 280), (228, 230), (232, 200), (232, 165),
        (240, 145), (243, 100),
    ),
    "f.jpg": (
        (192, 110), (196, 75), (220, 45), (255, 25), (300, 20), (345, 38), (372, 75), (378, 110), (368, 145), (345, 162),
        (335, 190), (325, 215), (352, 235), (378, 270), (385, 300), (425, 335), (440, 370), (452, 420), (450, 445),
        (410, 465), (370, 510), (350, 560), (348, 640), (30, 640), (30, 590), (26, 530), (38, 430), (55, 370),
        (75, 320), (110, 285), (140, 262), (145, 235), (165, 205), (200, 188), (228, 186), (228, 165), (205, 140),
    ),
}  # fmt: skip
"""The outlines of the persons in two examples, as a person drew them, in pixels."""
JOINTS = {
    "person.jpg": {
        5: (420, 188), 6: (258, 205), 7: (474, 272), 8: (236, 300), 9: (405, 290), 10: (236, 378), 13: (430, 485),
        14: (312, 490), 15: (462, 560), 16: (298, 570),
    },
    "f.jpg": {0: (282, 155), 1: (307, 128), 2: (252, 126), 5: (400, 335), 6: (110, 325)},
}  # fmt: skip
"""Where their nose, eyes, shoulders, elbows, wrists, knees and ankles are, by COCO's numbers of key points."""
