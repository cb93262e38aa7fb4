"""Pages drawn for training and measuring the reader of pages: invoices, receipts, letters, forms, timetables, menus,
posters and business cards in different fonts and layouts, some turned, with questions whose answers are known."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hugginggpt.experts.ocr import Line

if TYPE_CHECKING:
    from PIL import Image

WIDTH, HEIGHT = 1000, 1300
FONTS = ("DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf", "DejaVuSans-Bold.ttf", "")
"""The last stands for Pillow's own font, which is also taken where another is not installed."""


@dataclass
class Page:
    """A drawn page: texts with their places (left, top, size), lines, and questions with answers ("" for none)."""

    kind: str
    random: random.Random
    texts: list[tuple[str, float, float, int]] = field(default_factory=list)
    rules: list[tuple[float, float, float, float]] = field(default_factory=list)
    questions: list[tuple[str, str]] = field(default_factory=list)

    def write(self, text: str, left: float, top: float, size: int = 24) -> None:
        self.texts.append((text, left, top, size))

    def ask(self, answer: str, *wordings: str) -> None:
        """One of several wordings of a question with its answer."""
        self.questions.append((self.random.choice(wordings), answer))

    def field(self, name: str, value: str, left: float, top: float, gap: float, *wordings: str) -> None:
        """A name with its value, in one of the usual layouts, and a question for it; without a value it is only asked."""
        if value:
            style = self.random.choice(("colon", "right", "right colon", "below"))
            if style == "colon":
                self.write(f"{name}: {value}", left, top)
            elif style == "below":
                self.write(name, left, top, 18)
                self.write(value, left, top + 26)
            else:
                self.write(name + ":" * (style == "right colon"), left, top)
                self.write(value, left + gap, top)
        self.ask(value, *wordings)

    def lines(self) -> list[Line]:
        """The texts as a recogniser without fault would read them."""
        return [
            Line(text, left, top, left + 0.58 * size * len(text), top + 1.2 * size)
            for text, left, top, size in self.texts
        ]

    def picture(self) -> Image.Image:
        """The page as a picture, turned by up to 6 degrees or by right angles for some, a little noisy for some."""
        import numpy as np
        from PIL import Image, ImageDraw, ImageFont

        image = Image.new("RGB", (WIDTH, HEIGHT), self.random.choice(("white", "#fbf8ee", "#f2f4f7")))
        draw = ImageDraw.Draw(image)
        name = self.random.choice(FONTS)
        for text, left, top, size in self.texts:
            try:
                font: Any = ImageFont.truetype(name, size) if name else ImageFont.load_default(size)
            except OSError:
                font = ImageFont.load_default(size)
            draw.text((left, top), text, "#1c1c22", font=font)
        for rule in self.rules:
            draw.line(rule, "#888888", 2)
        turn = self.random.choice((0, 0, 0, 0, -6, -3, 2, 5, 90, 180))
        if turn:
            image = image.rotate(turn, expand=True, fillcolor="#ffffff", resample=Image.Resampling.BICUBIC)
        if self.random.random() < 0.3:
            pixels = np.asarray(image).astype(float)
            noise = np.random.default_rng(self.random.randrange(10**6)).normal(0, 10, pixels.shape)
            image = Image.fromarray((pixels + noise).clip(0, 255).astype("uint8"))
        return image


PEOPLE = (
    "Clara Jensen",
    "Omar Haddad",
    "Ruth Keller",
    "Mateo Silva",
    "Aiko Mori",
    "Piotr Zielinski",
    "Grace Obi",
    "Liam Walsh",
)
COMPANIES = (
    "Birchwood Ltd.",
    "Northgate Motors",
    "Sunrise Bakery",
    "Oakline Furniture",
    "Delta Print GmbH",
    "Harbour Supplies",
)
STREETS = (
    "12 Harbour Street",
    "8 Mill Lane",
    "77 Wharf Road",
    "3 Station Square",
    "19 Chestnut Avenue",
    "5 Abbey Court",
)
TOWNS = ("Bristol", "Oxford", "Leeds", "Graz", "Porto", "Uppsala", "Bergen")
GOODS = (
    ("Office chair", "office chairs"), ("Desk lamp", "desk lamps"), ("Notebook A5", "notebooks"), ("Printer paper", "packs of printer paper"),
    ("Bookshelf oak", "bookshelves"), ("Monitor stand", "monitor stands"), ("Coffee mug", "coffee mugs"), ("USB cable", "USB cables"),
)  # fmt: skip
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November")


def date(rng: random.Random) -> str:
    day, month, year = rng.randrange(1, 29), rng.randrange(11), rng.randrange(2023, 2027)
    return rng.choice((f"{day} {MONTHS[month]} {year}", f"{day:02d}/{month + 1:02d}/{year}", f"{year}-{month + 1:02d}-{day:02d}",
        f"{MONTHS[month]} {day}, {year}"))  # fmt: skip


def amount(rng: random.Random, value: float, sign: str) -> str:
    return f"{sign}{value:,.2f}" if sign in "$£" else f"{value:,.2f} {sign}"


def phone(rng: random.Random) -> str:
    return rng.choice((f"0{rng.randrange(1000, 9999)} {rng.randrange(100000, 999999)}", f"+44 20 {rng.randrange(1000, 9999)} {rng.randrange(1000, 9999)}",
        f"555-{rng.randrange(1000, 9999)}"))  # fmt: skip


def iban(rng: random.Random) -> str:
    return (
        f"DE{rng.randrange(10, 99)} "
        + " ".join(str(rng.randrange(1000, 9999)) for _ in range(4))
        + f" {rng.randrange(10, 99)}"
    )


def sometimes(rng: random.Random, value: str, share: float = 0.65) -> str:
    return value if rng.random() < share else ""


def invoice(page: Page) -> None:
    rng = page.random
    sign = rng.choice(("$", "£", "EUR"))
    seller, buyer = rng.choice(COMPANIES), rng.choice(PEOPLE)
    page.write(seller, 70, 70, 36)
    page.write(f"{rng.choice(STREETS)}, {rng.choice(TOWNS)}", 70, 120, 20)
    page.write(rng.choice(("INVOICE", "Invoice", "Bill")), 720, 70, 38)
    page.write("Bill to", 70, 220, 20)
    page.write(buyer, 70, 250)
    page.write(rng.choice(STREETS), 70, 284)
    page.ask(
        buyer,
        "Who is the customer?",
        "who is it billed to",
        "Who has to pay this?",
        "To whom is the invoice addressed?",
    )
    page.ask(seller, "Who sent the invoice?", "Which company is this invoice from?", "who is the seller")
    _invoice_numbers(page, 540)
    total = _invoice_goods(page, sign)
    _invoice_sums(page, sign, total, 850)
    page.ask(
        "", "What is the discount?", "who is the driver", "What is the e-mail address?", "How much is the shipping?"
    )


def _invoice_numbers(page: Page, left: float) -> None:
    rng = page.random
    page.field(
        "Invoice no",
        f"INV-{rng.randrange(1000, 9999)}",
        left,
        220,
        210,
        "What is the invoice number?",
        "number of the invoice?",
    )
    page.field(
        "Invoice date",
        date(rng),
        left,
        285,
        210,
        "When was it issued?",
        "What is the date of the invoice?",
        "invoice date",
    )
    page.field(
        "Due date",
        sometimes(rng, date(rng)),
        left,
        350,
        210,
        "When is it due?",
        "when must I pay",
        "By when does it have to be paid?",
        "What is the due date?",
    )
    page.field(
        "Order number",
        sometimes(rng, f"PO-{rng.randrange(100, 999)}", 0.4),
        left,
        415,
        210,
        "What is the order number?",
        "purchase order number?",
    )


def _invoice_goods(page: Page, sign: str) -> float:
    """Writes the table of goods and returns what they cost together."""
    rng = page.random
    columns = (80, 480, 640, 820)
    heads = rng.choice(
        (
            ("Description", "Quantity", "Price", "Amount"),
            ("Item", "Qty", "Unit price", "Total"),
            ("Article", "Pieces", "Price", "Sum"),
        )
    )
    for head, x in zip(heads, columns, strict=True):
        page.write(head, x, 520, 22)
    if rng.random() < 0.6:
        page.rules.append((70, 550, 930, 550))
    total, goods = 0.0, rng.sample(GOODS, rng.randrange(2, 5))
    for row, (name, several) in enumerate(goods):
        count, price = rng.randrange(1, 20), rng.randrange(2, 200) + rng.choice((0, 0.5, 0.99))
        total += count * price
        for text, x in zip(
            (name, str(count), amount(rng, price, sign), amount(rng, count * price, sign)), columns, strict=True
        ):
            page.write(text, x, 570 + 52 * row)
        if row == 0:
            page.ask(
                str(count),
                f"How many {several} were ordered?",
                f"how many {several}?",
                f"What quantity of {several} is on the invoice?",
            )
        elif row == 1:
            page.ask(
                amount(rng, price, sign),
                f"What is the unit price of the {name.split()[0].lower()} {name.split()[1].lower()}?",
                f"What does one {name.lower()} cost?",
            )
    absent = next(each for each in GOODS if each not in goods)
    page.ask("", f"How many {absent[1]} were ordered?", f"What does the {absent[0].lower()} cost?")
    return total


def _invoice_sums(page: Page, sign: str, total: float, top: float) -> None:
    rng = page.random
    page.field(
        "Subtotal", amount(rng, total, sign), 560, top, 260, "What is the subtotal?", "How much is it before tax?"
    )
    page.field(
        rng.choice(("VAT 20%", "Tax (20%)", "Sales tax")),
        sometimes(rng, amount(rng, total * 0.2, sign)),
        560,
        top + 62,
        260,
        "How much is the tax?",
        "How much VAT is charged?",
        "what is the tax amount",
    )
    page.field(
        rng.choice(("Total", "Total due", "Amount due")),
        amount(rng, total * 1.2, sign),
        560,
        top + 124,
        260,
        "What is the total?",
        "How much do I have to pay?",
        "total amount?",
    )
    page.field(
        "IBAN",
        sometimes(rng, iban(rng), 0.4),
        70,
        1080,
        160,
        "What is the IBAN?",
        "IBAN?",
        "Which bank account do I pay to?",
    )
    page.field(
        "VAT ID",
        sometimes(rng, f"GB{rng.randrange(10**8, 10**9)}", 0.4),
        70,
        1150,
        160,
        "What is the VAT number?",
        "VAT ID?",
    )


def receipt(page: Page) -> None:
    rng = page.random
    shop = rng.choice(("CORNER SHOP", "GREEN MARKET", "CAFE LUNA", "BOOKS & MORE"))
    page.write(shop, 340, 80, 34)
    page.write(f"{rng.choice(STREETS)}, {rng.choice(TOWNS)}", 300, 130, 20)
    page.ask(shop, "Which shop is it from?", "What is the name of the shop?", "where was this bought")
    top, total = 220, 0.0
    names = (
        "Whole milk",
        "Rye bread",
        "Apples 1kg",
        "Orange juice",
        "Cheddar",
        "Green tea",
        "Dark chocolate",
        "Tomatoes",
    )
    goods = rng.sample(names, 4)
    for row, name in enumerate(goods):
        price = rng.randrange(80, 900) / 100
        total += price
        page.write(name, 250, top + 46 * row)
        page.write(f"{price:.2f}", 650, top + 46 * row)
        if row in (1, 2):
            page.ask(
                f"{price:.2f}",
                f"How much was the {name.lower()}?",
                f"what did the {name.lower()} cost",
                f"price of the {name.lower()}?",
            )
    page.ask("", f"How much were the {rng.choice(('bananas', 'eggs', 'batteries', 'flowers'))}?")
    page.write(rng.choice(("TOTAL", "Total", "Sum")), 250, 440, 28)
    page.write(f"{total:.2f}", 650, 440, 28)
    page.ask(f"{total:.2f}", "What is the total?", "how much was it altogether?", "What did everything cost?")
    paid = float(int(total) + rng.randrange(1, 10))
    cash = rng.random() < 0.6
    page.write("Cash" if cash else "Card", 250, 490)
    page.write(f"{paid:.2f}" if cash else f"{total:.2f}", 650, 490)
    if cash:
        page.write("Change", 250, 536)
        page.write(f"{paid - total:.2f}", 650, 536)
    page.ask(f"{paid - total:.2f}" if cash else "", "How much change was given?", "What was the change?")
    day, time = date(rng), f"{rng.randrange(8, 20)}:{rng.randrange(10, 59)}"
    page.write(f"{day}  {time}", 300, 620)
    page.ask(day, "When was this bought?", "What is the date on the receipt?")
    cashier = sometimes(rng, rng.choice(PEOPLE).split()[0], 0.5)
    if cashier:
        page.write(f"Served by: {cashier}", 300, 670)
    page.ask(cashier, "Who served the customer?", "What is the name of the cashier?")
    page.ask(
        "", "What is the IBAN?", "When does the shop open?", "What is the due date?", "What is the customer's name?"
    )
    page.write("Thank you for your visit!", 320, 760)


def letter(page: Page) -> None:
    rng = page.random
    writer, reader, day, fee = rng.choice(PEOPLE), rng.choice(PEOPLE[:4]), date(rng), rng.randrange(20, 300)
    page.write(writer, 70, 70)
    page.write(f"{rng.choice(STREETS)}, {rng.choice(TOWNS)}", 70, 104, 22)
    page.write(date(rng), 700, 180)
    page.write(f"Dear {reader},", 70, 260)
    lines = (
        "thank you for signing up for the pottery course in our studio.", f"The course starts on {day} and runs for six weeks.",
        f"The fee of {fee} euros is payable on the first evening.", "Please bring an apron and an old towel with you.",
        "The door is at the back of the building, next to the garage.",
    )  # fmt: skip
    for row, line in enumerate(lines):
        page.write(line, 70, 320 + 40 * row)
    page.write("Yours sincerely,", 70, 600)
    page.write(writer, 70, 660)
    page.ask(day, "When does the course start?", "on which day does the course begin?")
    page.ask(f"{fee} euros", "How much is the fee?", "What does the course cost?")
    page.ask("apron", "What should the participants bring?", "what do I have to bring?")
    page.ask("six weeks", "How long does the course take?", "how many weeks does it run?")
    page.ask("back of the building", "Where is the door?")
    page.ask("", "What is the phone number of the studio?", "What is the e-mail address?")
    page.ask("", "How many people take part?", "What is the name of the teacher's assistant?", "What is the IBAN?")
    page.ask("", "When does the course end each evening?", "What is the customer number?")


def form(page: Page) -> None:
    rng = page.random
    page.write(rng.choice(("Registration form", "Membership application", "Patient record")), 70, 70, 36)
    first, last = rng.choice(PEOPLE).split()
    town, street = rng.choice(TOWNS), rng.choice(STREETS)
    fields = (
        ("Surname", last, "What is the surname?", "last name?", "family name of the person?"),
        ("First name", first, "What is the first name?", "given name?"),
        ("Date of birth", date(rng), "When was the person born?", "What is the date of birth?", "birthday?"),
        ("Street", street, "In which street does the person live?", "street?"),
        ("City", town, "Which city does the person live in?", "What town is it?"),
        ("Telephone", sometimes(rng, phone(rng)), "What is the phone number?", "telephone number?", "How can I call this person?"),
        ("E-mail", sometimes(rng, f"{first.lower()}@mail.example", 0.5), "What is the e-mail address?", "email?"),
        ("Occupation", sometimes(rng, rng.choice(("nurse", "carpenter", "teacher", "pilot")), 0.5), "What does the person do for a living?", "What is the occupation?", "job?"),
        ("Member no.", sometimes(rng, str(rng.randrange(10000, 99999)), 0.5), "What is the membership number?", "member number?"),
        ("Emergency contact", sometimes(rng, rng.choice(PEOPLE), 0.5), "Who is to be called in an emergency?", "emergency contact?"),
    )  # fmt: skip
    two = rng.random() < 0.4
    for row, (name, value, *wordings) in enumerate(fields):
        left, top = (70 + 470 * (row % 2), 180 + 90 * (row // 2)) if two else (70, 180 + 76 * row)
        page.field(name, value, left, top, 200 if two else 320, *wordings)
    page.ask(
        "", "What is the blood group?", "What is the nationality?", "How tall is the person?", "What is the total?"
    )


def timetable(page: Page) -> None:
    rng = page.random
    page.write(rng.choice(("Departures", "Bus timetable", "Trains from Central")), 70, 70, 38)
    columns = (80, 240, 560, 760)
    for head, x in zip(
        rng.choice((("Time", "Destination", "Line", "Platform"), ("Departure", "To", "Train", "Track"))),
        columns,
        strict=True,
    ):
        page.write(head, x, 170, 22)
    hour, towns = rng.randrange(6, 12), rng.sample(TOWNS, 5)
    for row, town in enumerate(towns):
        time, line, platform = (
            f"{hour + row}:{rng.randrange(10, 59)}",
            f"{rng.choice('ABRS')}{rng.randrange(2, 90)}",
            str(rng.randrange(1, 12)),
        )
        for text, x in zip((time, town, line, platform), columns, strict=True):
            page.write(text, x, 220 + 56 * row)
        if row in (0, 2):
            page.ask(
                time,
                f"When does the train to {town} leave?",
                f"what time is the departure to {town}?",
                f"when do I have to go to get to {town}",
            )
        elif row == 1:
            page.ask(
                platform, f"Which platform does {town} leave from?", f"From which track does the train to {town} go?"
            )
        elif row == 3:
            page.ask(line, f"Which line goes to {town}?", f"what line do I take to {town}")
    absent = next(town for town in TOWNS if town not in towns)
    page.ask("", f"When does the train to {absent} leave?", f"Which platform does {absent} leave from?")
    page.ask("", "How much is a ticket?", "Who is the driver?", "What is the phone number for information?")
    page.write("All times without guarantee", 80, 560, 20)


def menu(page: Page) -> None:
    rng = page.random
    place = rng.choice(("Trattoria Bella", "The Golden Goat", "Cafe Morgenrot", "Blue Anchor"))
    page.write(place, 330, 70, 40)
    page.ask(place, "What is the restaurant called?", "name of the restaurant?")
    sections = {
        "Starters": ("Tomato soup", "Green salad", "Garlic bread", "Smoked salmon"),
        "Main courses": ("Grilled trout", "Mushroom risotto", "Beef stew", "Vegetable lasagne"),
        "Desserts": ("Apple pie", "Ice cream", "Lemon tart", "Chocolate cake"),
    }
    top, dotted = 180, rng.random() < 0.4
    served = []
    for section, dishes in sections.items():
        page.write(section, 120, top, 30)
        top += 56
        for dish in rng.sample(dishes, 3):
            price = f"{rng.randrange(3, 25)}.{rng.choice(('00', '50', '90'))}"
            served.append((dish, price))
            page.write(f"{dish} {'.' * 20} {price}" if dotted else dish, 120, top)
            if not dotted:
                page.write(price, 700, top)
            top += 44
        top += 30
    for dish, price in rng.sample(served, 4):
        page.ask(
            price, f"How much is the {dish.lower()}?", f"what does the {dish.lower()} cost?", f"price of {dish.lower()}"
        )
    absent = next(dish for dishes in sections.values() for dish in dishes if dish not in dict(served))
    page.ask("", f"How much is the {absent.lower()}?", f"What does the {absent.lower()} cost?")
    hours = sometimes(rng, f"{rng.randrange(10, 13)} am to {rng.randrange(9, 12)} pm", 0.5)
    if hours:
        page.write(f"Open daily from {hours}", 300, top + 30)
    page.ask(hours, "When is it open?", "What are the opening hours?")
    page.ask("", "What is the phone number?", "Who is the cook?", "What is the wifi password?", "How much is the wine?")


def poster(page: Page) -> None:
    rng = page.random
    title = rng.choice(("SUMMER JAZZ NIGHT", "CHARITY RUN", "FLEA MARKET", "OPEN AIR CINEMA"))
    page.write(title, 200, 120, 56)
    day, place, time = (
        date(rng),
        f"{rng.choice(('City Park', 'Town Hall', 'Old Harbour', 'Riverside Stage'))}, {rng.choice(TOWNS)}",
        f"{rng.randrange(5, 9)} pm",
    )
    page.write(day, 330, 260, 40)
    page.write(place, 260, 340, 36)
    page.ask(day, "When does it take place?", "On what date is the event?", "which day is it")
    page.ask(place.split(",", maxsplit=1)[0], "Where is it?", "Where does the event take place?", "what is the venue")
    page.write(rng.choice((f"Doors open at {time}", f"Starts at {time}", f"From {time}")), 330, 430, 30)
    page.ask(time, "What time does it start?", "at what time does it begin?", "When do the doors open?")
    price = sometimes(rng, f"{rng.randrange(5, 40)} euros")
    if price:
        page.write(rng.choice((f"Tickets: {price}", f"Admission {price}", f"Entry fee {price}")), 330, 520, 30)
    page.ask(price, "How much is a ticket?", "What does it cost to get in?", "entry fee?")
    artist = sometimes(rng, rng.choice(PEOPLE), 0.5)
    if artist:
        page.write(f"with special guest {artist}", 260, 600, 28)
    page.ask(artist, "Who is the special guest?", "who is the guest")
    page.ask("", "Who is the mayor?", "What is the IBAN?", "How long does it last?", "What is the invoice number?")
    page.ask("", "Is there parking?", "How many people can come?", "What is the dress code?")


def card(page: Page) -> None:
    rng = page.random
    person, company = rng.choice(PEOPLE), rng.choice(COMPANIES)
    role = rng.choice(("Sales manager", "Architect", "Head of design", "Veterinary surgeon"))
    page.write(company, 120, 120, 34)
    page.write(person, 120, 240, 40)
    page.write(role, 120, 300, 26)
    page.ask(person, "Whose card is this?", "What is the name of the person?", "who is this")
    page.ask(role, "What is the job title?", "What does this person do?", "position?")
    page.ask(company, "Which company does the person work for?", "What is the company?")
    number, mail = (
        sometimes(rng, phone(rng), 0.75),
        sometimes(rng, f"{person.split()[0].lower()}@{company.split()[0].lower()}.example", 0.7),
    )
    labels = rng.random() < 0.5
    top = 420
    for label, value in (
        ("Tel.", number),
        ("E-mail", mail),
        ("Web", sometimes(rng, f"www.{company.split()[0].lower()}.example", 0.5)),
    ):
        if value:
            page.write(f"{label} {value}" if labels else value, 120, top)
            top += 46
    page.ask(number, "What is the phone number?", "how can I phone them?", "telephone?")
    page.ask(mail, "What is the e-mail address?", "email?", "Where can I send a mail?")
    street = sometimes(rng, rng.choice(STREETS))
    if street:
        page.write(f"{street}, {rng.choice(TOWNS)}", 120, top + 20)
    page.ask(street, "What is the address?", "Where is the office?")
    page.ask(
        "", "What is the fax number?", "When is the office open?", "What is the total?", "What is the date of birth?"
    )


KINDS: tuple[Callable[[Page], None], ...] = (invoice, receipt, letter, form, timetable, menu, poster, card)


def drawn(numbers: Sequence[int]) -> Iterator[Page]:
    """Pages by number: the same number is always the same page; the kinds take turns, with one in three an invoice."""
    for number in numbers:
        make = invoice if number % 3 == 0 else KINDS[number % len(KINDS)]
        page = Page(make.__name__, random.Random(number))
        make(page)
        yield page
