"""Questions with slips of the keyboard, and for durations, to four documents."""

import pytest

from hugginggpt.experts import slips
from hugginggpt.experts.registry import expert_for

LEASE = """\
TENANCY AGREEMENT

This agreement is made between Marlow Property Ltd (the landlord) and Ms Ingrid Halvorsen (the tenant) for the flat at 14 Quay Street, Bristol. The tenancy begins on 1 September 2025 and runs for a fixed term of twelve months.

The rent is 985 pounds a month, payable in advance on the first day of each month. A deposit of 1,200 pounds is held by the Tenancy Deposit Scheme and will be returned within ten days of the end of the tenancy, less any deductions.

After the fixed term either party may end the tenancy by giving two months' written notice. The tenant may not keep dogs, but one cat is allowed with the consent of the landlord. The tenant shall not sublet the flat or any part of it.

Repairs to the boiler are paid by the landlord. The tenant is responsible for broken windows. The landlord will give 24 hours' notice before any inspection.
"""
MANUAL = """\
KESTREL 300 COFFEE MACHINE: QUICK GUIDE

Fill the tank with cold water up to the mark; it holds 1.8 litres. Switch the machine on and wait until the green lamp stops blinking, which takes about 45 seconds. Never use milk in the tank.

To descale the machine, dissolve one sachet of citric acid in a full tank and run the cleaning programme. The programme lasts 25 minutes. Descale at least every three months, or when the orange lamp lights up.

The machine switches itself off after 30 minutes without use. The warranty covers manufacturing faults for two years from the date of purchase; it does not cover damage by limescale. Spare parts can be ordered from Kestrel Service in Leeds, telephone 0113 496 0177.
"""
MINUTES = """\
Minutes of the allotment society, 12 March 2026

Present: Olu Adeyemi (chair), Greta Lindqvist (treasurer), Sam Pereira, Wendy Cho. Apologies: Tomasz Nowak.

The treasurer reported a balance of 3,412 pounds. The annual fee stays at 48 pounds for a full plot and 26 pounds for a half plot. The waiting list has 31 names; the average wait is 18 months.

It was agreed to repair the northern fence in April. Sam Pereira will obtain three quotes by 2 April. The water supply will be switched on again on 28 March. Bonfires are forbidden between May and September.

The next meeting takes place on 9 April at 7 pm in the Baptist hall.
"""
TRAVEL = """\
Dear Mr Okafor,

thank you for booking the walking tour "Hills of Umbria" with Saltmarsh Travel. The tour starts in Perugia on 3 May 2026 and lasts eight days. The price is 1,340 euros per person and includes seven nights in small hotels, breakfast, and the transfer of luggage. Flights are not included.

The balance of 940 euros is due by 20 March 2026. If you cancel more than 60 days before departure, the deposit is refunded in full; later cancellations are charged at half the price.

The longest walk is 19 kilometres, from Spello to Assisi. Your guide is Chiara Bonetti. Please bring sturdy boots and a rain jacket. The group has at most 14 people.

Kind regards,
Penelope Marsh
"""


@pytest.mark.parametrize(
    ("one", "other", "number"),
    [
        ("priod", "period", 1),
        ("giude", "guide", 1),
        ("tresurer", "treasurer", 1),
        ("waranti", "warranty", 2),
        ("cat", "dog", 3),
    ],
)
def test_edits(one: str, other: str, number: int) -> None:
    assert slips.edits(one, other, 3) == number


def test_how_a_question_was_read_is_told_where_it_matters() -> None:
    assert slips.note_of("how long is teh tour", "how long is the tour") == ""
    assert slips.note_of("who is the giude", "who is the guide") == "read as “who is the guide”"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("wat is teh notice priod", "what is the notice period"),
        ("wen is the rent due", "when is the rent due"),
        ("does the tennant pay for broken widnows", "does the tenant pay for broken windows"),
        ("can i sublet the flat", "can i sublet the flat"),
        ("who is Halverson", "who is Halverson"),  # another one than Halvorsen
        ("is the landlady kind", "is the landlady kind"),
        ("may i keep a hamster", "may i keep a hamster"),
    ],
)
def test_slips_are_corrected_by_the_words_of_the_text(question: str, read: str) -> None:
    assert slips.corrected(question, LEASE) == read


@pytest.mark.slow
@pytest.mark.parametrize(
    ("context", "question", "said"),
    [
        (LEASE, "how mcuh is teh deposit", "1,200"),
        (LEASE, "wat is the notice priod", "two months"),
        (LEASE, "how long is the notice period?", "two months"),
        (LEASE, "who pays for the bioler repairs", "paid by the landlord."),
        (LEASE, "when dose the tennancy begin", "1 September"),
        (MANUAL, "how long does the cleaning program take", "25 minutes"),
        (MANUAL, "how offen must i descael it", "three months"),
        (MANUAL, "how long is the warrenty", "two years"),
        (MANUAL, "waht does the orange lampe mean", "“Descale at least every three months"),
        (MANUAL, "how mutch water does the tnak hold", "1.8"),
        (MINUTES, "who is the tresurer", "Greta Lindqvist (treasurer)"),
        (MINUTES, "how long is the average wait", "18 months"),
        (MINUTES, "wen is the next meating", "9 April"),
        (MINUTES, "what is teh anual fee for a half plot", "26"),
        (MINUTES, "when are bonfiers forbiden", "between May and September"),
        (TRAVEL, "how long is the tour", "eight days"),
        (TRAVEL, "who is our giude", "Chiara Bonetti"),
        (TRAVEL, "are fligths included", "Flights are not included."),
        (TRAVEL, "how long is teh longest wlak", "19 kilomet"),
        (TRAVEL, "by wehn is the balence due", "20 March"),
    ],
)  # fmt: skip
def test_questions_with_slips_and_for_durations(context: str, question: str, said: str) -> None:
    answer = expert_for("sentence-reader", "question-answering").run(text=question, context=context)
    assert said in answer["answer"]


@pytest.mark.parametrize("question", ["how long does the cake bake?", "may i sublet it", "can we bring a labrador"])
def test_an_english_word_is_no_slip(question: str) -> None:
    assert slips.corrected(question, "The baker sells subways. The labourer is in.") == question
