"""Requests in German, French, Spanish and Chinese: their language, tasks, questions, follow-ups and refusals."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import pytest

from benchmarks.planner_languages import grade, read
from hugginggpt.common.paths import PLANNER_DATA, ROOT
from hugginggpt.core.conversation import Attachment, MissingInput, PastTask, Turn
from hugginggpt.core.errors import ExpertUnavailable
from hugginggpt.core.questions import Objects, Question
from hugginggpt.experts import coco, speaking, text
from hugginggpt.experts.written_language import english_only, foreign_language, language_of
from hugginggpt.media.references import Resource, find_resources
from hugginggpt.media.types import kind_of
from hugginggpt.offline.languages import answering, operations
from hugginggpt.offline.languages.detection import request_language
from hugginggpt.offline.languages.vocabulary import CODES, NO_OBJECT, vocabulary
from hugginggpt.offline.planner import Draft, draft_plan
from tests.conftest import TABLE


def language(request: str) -> str:
    return request_language(request, find_resources(request))


def question(request: str) -> Question:
    draft = draft_plan(request, TABLE)
    (asked,) = draft.questions
    return asked


def test_most_requests_are_planned_and_few_wrongly() -> None:
    """Requests that were written before the phrases that the planner learned from."""
    grades = Counter(grade(expected, draft_plan(expected.request, TABLE), TABLE) for expected in read())
    assert grades["right"] >= 0.85 * grades.total()
    assert grades["wrong"] <= 0.03 * grades.total()


def test_english_requests_are_never_taken_for_another_language() -> None:
    lines = (ROOT / "data" / "planning_eval.jsonl").read_text(encoding="utf-8").splitlines()
    requests = [json.loads(line)["request"] for line in lines]
    phrases = (PLANNER_DATA / "phrases.txt").read_text(encoding="utf-8").splitlines()
    bare = [line for line in phrases if line and line[0] not in "#[" and "(" not in line]
    assert len(bare) > 40
    assert [one for one in (*requests, *bare) if language(one) != "en"] == []


@pytest.mark.parametrize(
    "request_text",
    [
        "translate 'Wo ist der Bahnhof?' into English",
        "what does “où est la gare” mean",
        "describe a.jpg and say hola",
        "resume.txt",
        "no",
        "edges",
        "the fiancé's résumé in notes.txt, summarise it",
        "把 means what",
        "deblur",
        "total sales",
    ],
)
def test_english_with_foreign_words_stays_english(request_text: str) -> None:
    assert language(request_text) == "en"


@pytest.mark.parametrize(
    ("request_text", "code"),
    [
        ("Guten Abend!", "de"), ("bonjour", "fr"), ("¡Hola!", "es"), ("你好", "zh"), ("Fasse notes.txt zusammen", "de"),
        ("Quante persone ci sono nella foto a.jpg?", "it"), ("Сколько людей на a.jpg?", "ru"), ("a.jpgに何人いますか", "ja"),
        ("Lies 'the cat is on the table' vor", "de"),
    ],
)  # fmt: skip
def test_the_language_of_short_requests(request_text: str, code: str) -> None:
    assert language(request_text) == code


def test_the_language_of_texts() -> None:
    german = "Der Rat traf sich am Montag und beschloss den Umbau der Schule."
    assert (foreign_language(german), language_of(german)) == ("German", "de")
    assert foreign_language("The council met on Monday and decided to rebuild the school in Bad Homburg.") == ""
    assert foreign_language("Wunderbar!") == ""
    assert foreign_language("Ada met Charles Babbage.") == ""  # "met" is a word of Dutch, too
    assert foreign_language("我们昨天去了公园，天气很好。") == "Chinese"


def test_experts_for_english_say_which_language_a_text_is_in() -> None:
    @english_only
    def shout(text: str) -> str:
        return text.upper()

    assert shout("The council met on Monday.") == "THE COUNCIL MET ON MONDAY."
    french = "Le conseil s'est réuni lundi et il a décidé de reconstruire l'école."
    with pytest.raises(ExpertUnavailable, match="seems to be in French; the expert for it knows only English"):
        shout(text=french)


@pytest.mark.parametrize("expert", [text.entities, text.zero_shot, speaking.speak])
def test_the_experts_for_texts_refuse_a_foreign_one(expert: Callable[..., object]) -> None:
    labels = (["news"],) if expert is text.zero_shot else ()
    with pytest.raises(ExpertUnavailable, match="seems to be in German"):
        expert("Der Rat traf sich am Montag und beschloss, die alte Schule neu zu bauen.", *labels)


def test_moods_of_other_languages_than_the_known_ones_are_refused() -> None:
    with pytest.raises(ExpertUnavailable, match="seems to be in Italian"):
        text.sentiment("Il consiglio si è riunito lunedì e ha deciso di ricostruire la vecchia scuola, che era rotta.")


@pytest.mark.parametrize("code", CODES)
def test_words_for_objects_are_known_to_the_detector(code: str) -> None:
    meanings = [word for word in vocabulary(code).meanings["objects"] if word != NO_OBJECT]
    assert [word for word in meanings if coco.meaning(word) is None] == []
    named = {label for word in meanings if (meaning := coco.meaning(word)) for label in meaning.labels}
    assert set(coco.labels()) - named == set()


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("Sind keine Autos auf a.jpg?", Question("exists", (Objects("car", ("car",)),), (0,), negated=True)),
        ("¿No hay nadie en a.jpg?", Question("exists", (Objects("person", ("person",)),), (0,), negated=True)),
        ("Gibt es auf a.jpg mehr als drei Hunde?", Question("exists", (Objects("dog", ("dog",)),), (0,), relation=">", number=3)),
        ("Y a-t-il au moins 2 chats sur a.jpg ?", Question("exists", (Objects("cat", ("cat",)),), (0,), relation=">=", number=2)),
        ("Wie viele Frauen sind auf a.jpg?", Question("count", (Objects("woman", ("person",), is_wider=True),), (0,))),
        ("Wie viele schlafende Hunde sind auf a.jpg?", Question("count", (Objects("dog", ("dog",), unjudged="schlafende"),), (0,))),
        ("Combien de lampadaires y a-t-il sur a.jpg ?", Question("count", (Objects("lampadaires"),), (0,))),
        ("¿Hay más perros que gatos en a.jpg?", Question("more", (Objects("dog", ("dog",)), Objects("cat", ("cat",))), (0,))),
        ("a.jpg里有几只河马？", Question("count", (Objects("河马"),), (0,))),
        ("Auf welchem der zwei Bilder a.jpg und b.jpg sind mehr Hunde?", Question("most", (Objects("dog", ("dog",)),), (0, 1))),
        ("a.jpg和b.jpg哪张狗更多？", Question("most", (Objects("dog", ("dog",)),), (0, 1))),
    ],
)  # fmt: skip
def test_questions_about_objects(request_text: str, expected: Question) -> None:
    asked = question(request_text)
    assert asked.text == request_text
    fields = ("operation", "objects", "tasks", "negated", "relation", "number")
    assert [getattr(asked, name) for name in fields] == [getattr(expected, name) for name in fields]


def test_a_usual_question_to_a_page_comes_in_its_own_words_and_in_english() -> None:
    (task,) = draft_plan("Bis wann muss invoice.png bezahlt werden?", TABLE).tasks
    assert task["args"] == {"image": "invoice.png", "text": "Bis wann muss bezahlt werden?\nWhat is the due date?"}


@pytest.mark.parametrize(
    ("request_text", "text"),
    [
        ("Wer ist laut notes.txt die Lehrerin?", "Wer ist laut die Lehrerin?"),
        ("Où habite Paul ? notes.txt", "Où habite Paul ?"),
        ("notes.txt 谁是老师？", "谁是老师？"),
    ],
)
def test_a_question_to_a_text_is_put_in_its_own_words(request_text: str, text: str) -> None:
    (task,) = draft_plan(request_text, TABLE).tasks
    assert (task["task"], task["args"]) == ("question-answering", {"text": text, "context": "notes.txt"})


def test_a_price_on_a_picture_is_read_and_not_detected() -> None:
    (task,) = draft_plan("¿Cuánto cuesta la entrada para los niños? cartel.png", TABLE).tasks
    assert task["task"] == "document-question-answering"


def test_a_question_that_only_english_could_ask_is_refused_in_both_languages() -> None:
    draft = draft_plan("Sag mir das Alter der Lehrerin in notes.txt", TABLE)
    assert draft.tasks == []
    refusal = answering.refusal(draft.language, draft.unplanned)
    assert refusal.startswith("Das geht hier nicht.")
    assert "ask it in English" in refusal


def test_a_translation_has_the_target_that_was_named_and_no_other_task_has_one() -> None:
    (task,) = draft_plan("Übersetze 'Good evening' ins Spanische", TABLE).tasks
    assert task["args"] == {"text": "Good evening", "language": "Spanish"}
    assert [task["task"] for task in draft_plan("Beschreibe a.jpg", TABLE).tasks] == ["image-to-text"]


def test_a_text_after_a_colon_is_worked_on_and_does_not_tell_the_language() -> None:
    minutes = "The council met on Monday. It decided to rebuild the school."
    (task,) = draft_plan(f"Fass bitte zusammen: {minutes}", TABLE).tasks
    assert task["args"] == {"text": minutes}


def asked_before(request: str) -> Turn:
    (task,) = draft_plan(request, TABLE).tasks
    return Turn(request, "1", tasks=(PastTask(0, task["task"], task["args"], {"predicted": []}),))


@pytest.mark.parametrize(
    ("first", "follow_up"),
    [
        ("Wie viele Hunde sind auf a.jpg?", "und in b.jpg?"),
        ("Combien de chiens y a-t-il sur a.jpg ?", "et dans b.jpg ?"),
        ("¿Cuántos perros hay en a.jpg?", "¿y en b.jpg?"),
        ("a.jpg里有几只狗？", "b.jpg 呢?"),
        ("a.jpg里有几只狗？", "b.jpg呢？"),
    ],
)
def test_a_follow_up_repeats_the_request_with_another_file(first: str, follow_up: str) -> None:
    draft = draft_plan(follow_up, TABLE, [asked_before(first)])
    assert [task["args"] for task in draft.tasks] == [{"image": "b.jpg"}]
    assert draft.questions[0].objects[0].words == "dog"


@pytest.mark.parametrize(
    ("first", "follow_up", "counted"),
    [
        ("wie viele Kühe sind das?", "und Menschen?", "person"),
        ("wie viele Kühe sind das?", "und wie ist es mit Hunden", "dog"),
        ("cuántas jirafas hay?", "¿y gatos?", "cat"),
        ("combien de vaches y a-t-il ?", "et des chiens ?", "dog"),
        ("这张照片里有几只长颈鹿？", "那狗呢？", "dog"),
    ],
)
def test_a_follow_up_asks_for_something_else_in_the_same_picture(first: str, follow_up: str, counted: str) -> None:
    picture = Attachment("a.jpg", "a.jpg", "image")
    asked = PastTask(0, "object-detection", {"image": "a.jpg"}, {"predicted": []})
    draft = draft_plan(follow_up, TABLE, [Turn(first, "1", files=(picture,), tasks=(asked,))])
    assert [question.objects[0].words for question in draft.questions] == [counted]


@pytest.mark.parametrize(
    ("first", "follow_up", "file"),
    [
        ("wie viele Kühe sind das?", "und im ersten Bild?", "a.jpg"),
        ("wie viele Kühe sind das?", "und auf dem anderen?", "a.jpg"),
        ("combien de vaches y a-t-il ?", "et sur la première ?", "a.jpg"),
        ("cuántas vacas hay?", "¿y en la otra?", "a.jpg"),
        ("有几头牛？", "那第一张呢？", "a.jpg"),
    ],
)
def test_a_follow_up_selects_an_earlier_file(first: str, follow_up: str, file: str) -> None:
    pictures = [Attachment(name, name, "image") for name in ("a.jpg", "b.jpg")]
    turns = [
        Turn(
            first,
            str(at),
            files=(one,),
            tasks=(PastTask(0, "object-detection", {"image": one.name}, {"predicted": []}),),
        )
        for at, one in enumerate(pictures)
    ]
    draft = draft_plan(follow_up, TABLE, turns)
    assert [task["args"] for task in draft.tasks] == [{"image": file}]
    assert draft.questions[0].objects[0].words == "cow"


def test_a_missing_input_is_asked_for_and_a_file_completes_the_request() -> None:
    request = "Wie viele Hunde siehst du auf dem Bild?"
    draft = draft_plan(request, TABLE)
    assert draft.missing == MissingInput("image", "object-detection", "image")
    waiting = Turn(request, "1", message="Which picture do you mean?", missing=draft.missing)
    completed = draft_plan("b.jpg", TABLE, [waiting])
    assert [task["args"] for task in completed.tasks] == [{"image": "b.jpg"}]
    other = draft_plan("Transkribiere sound.wav", TABLE, [waiting])
    assert [task["task"] for task in other.tasks] == ["automatic-speech-recognition"]


def test_a_language_that_is_not_understood_is_named() -> None:
    draft = draft_plan("Quante persone ci sono nella foto a.jpg?", TABLE)
    assert (draft.tasks, draft.language) == ([], "it")
    assert answering.refusal("it", ()).startswith("This request seems to be in Italian.")
    assert answering.note("it") == "" == answering.note("")


def test_what_is_not_understood_is_refused_in_the_language_and_in_english() -> None:
    draft = draft_plan("Kannst du mir bitte einen Tee kochen?", TABLE)
    assert draft == Draft(unplanned=draft.unplanned, language="de", request=draft.request)
    native, english = answering.refusal("de", draft.unplanned).split("\n\n")
    assert native.startswith("Das habe ich nicht verstanden.")
    assert english.startswith("I did not understand this German request.")


@pytest.mark.parametrize(
    ("text", "file", "tasks", "arguments"),
    [
        ("Könntest du das Foto um 90 Grad nach links drehen?", "a.jpg", ["rotate-image"], ["90 degrees to the left"]),
        ("Schneid die letzten 2,5 Sekunden weg und mach es leiser", "a.wav", ["cut-audio", "adjust-audio"],
         ["cut the last 2.5 seconds off", "quieter"]),
        ("Mets cette photo en noir et blanc puis enregistre-la en webp", "a.png", ["adjust-image", "convert-image"],
         ["greyscale", "webp"]),
        ("coupe les 10 premières secondes", "a.mp3", ["cut-audio"], ["cut off the first 10 seconds"]),
        ("voltéala horizontalmente por favor", "a.jpg", ["flip-image"], ["horizontally"]),
        ("das Bild ist zu dunkel, mach es heller", "a.jpg", ["adjust-image"], ["brighter"]),
        ("kannst du die ersten zehn Sekunden rausschneiden?", "a.wav", ["cut-audio"], ["cut the first ten seconds off"]),
        ("la foto está muy oscura, aclárala", "a.jpg", ["adjust-image"], ["brighten"]),
        ("córtale los últimos 10 segundos al vídeo", "a.mp4", ["cut-video"], ["cut off the last 10 seconds"]),
        ("这个视频多长?", "a.mp4", ["measure-video"], []),
        ("¿cuántos píxeles tiene la foto?", "a.jpg", ["measure-image"], []),
        ("把这张照片顺时针转90度", "a.jpg", ["rotate-image"], ["clockwise 90 degrees"]),
        ("Réduis-la à 300 pixels de large, c'est pour la newsletter", "a.jpg", ["resize-image"], []),
        ("Schneid unten ein Viertel ab", "a.jpg", ["crop-image"], ["cut the bottom quarter off"]),
        ("Fais-en des sous-titres", "a.wav", ["make-subtitles"], []),
        ("裁掉右边一半", "a.jpg", ["crop-image"], ["crop off the right half"]),
        ("Mach mir ein Kreisdiagramm nach Kategorie daraus", "a.csv", ["plot-table"], []),
        ("画一张数学的柱状图", "a.csv", ["plot-table"], []),
        ("把视频的前5秒剪掉", "a.mp4", ["cut-video"], ["remove the video the first 5 seconds"]),
        ("Gib mir ein Standbild aus dem Video bei Sekunde 4", "a.mp4", ["video-frame"], []),
        ("Hat das Video Ton?", "a.mp4", ["measure-video"], []),
        ("Ponle un marco rojo alrededor", "a.jpg", ["adjust-image"], ["red border"]),
        ("Réduis-la à 320 pixels de large pour que je l'envoie par mail", "a.jpg", ["resize-image"], []),
        ("Mach bitte ihr Gesicht unkenntlich, ich möchte das Bild weitergeben", "a.jpg", ["redact-image"], []),
        ("¿Cuántas palabras tiene?", "carta.txt", ["count-words"], []),
        ("Mach die Aufnahme lauter, man versteht ja nichts", "a.wav", ["adjust-audio"], ["louder"]),
        ("On n'entend rien, monte le son", "a.wav", ["adjust-audio"], ["raise the volume"]),
        ("Schneide ein Quadrat aus der Mitte aus und mach es 400 mal 400 groß", "a.jpg",
         ["crop-image", "resize-image"], ["square"]),
        ("Et gardez le résultat en PNG", "a.jpg", ["convert-image"], ["png"]),
        ("Recórtala en forma de cuadrado", "a.jpg", ["crop-image"], ["square"]),
        ("截取第3秒的画面", "a.mp4", ["video-frame"], []),
    ],
)  # fmt: skip
def test_operations_are_planned_with_their_arguments(
    text: str, file: str, tasks: list[str], arguments: list[str]
) -> None:
    draft = draft_plan(text, TABLE, resources=[Resource(file, kind_of(file))])
    assert [task["task"] for task in draft.tasks] == tasks
    found = [
        value
        for task in draft.tasks
        for name, value in task["args"].items()
        if name in ("angle", "part", "change", "format", "direction")
    ]
    assert found == arguments
    assert draft.language


@pytest.mark.parametrize(
    ("text", "words", "look"),
    [
        ("Schreib „Frohe Ostern“ oben auf a.jpg", "Frohe Ostern", "top"),
        ("Écrivez « À vendre » en rouge en bas de a.jpg", "À vendre", "in red, at the bottom"),
        ("在a.jpg上面写“生日快乐”", "生日快乐", "at the top"),
    ],
)
def test_words_in_quotes_are_written_as_they_are(text: str, words: str, look: str) -> None:
    (task,) = draft_plan(text, TABLE).tasks
    assert task["task"] == "write-on-image" and task["args"] == {"image": "a.jpg", "text": words, "look": look}


@pytest.mark.parametrize("text", ["Mets a.jpg et b.jpg côte à côte", "把a.jpg和b.jpg并排放"])
def test_files_that_are_named_together_stay_together(text: str) -> None:
    (task,) = draft_plan(text, TABLE).tasks
    assert task["task"] == "join-images" and task["args"]["images"] == ["a.jpg", "b.jpg"]


@pytest.mark.parametrize(
    "text", [":࣊", "࣊", "mach das Bild glücklicher", "gira la foto como un profesional", "make it darker", "crop 把"]
)
def test_nothing_is_guessed_of_an_operation_with_other_words(text: str) -> None:
    assert operations.in_english(text, [Resource("a.jpg", "image")]) is None


def test_what_no_expert_makes_is_said_in_the_language() -> None:
    draft = draft_plan("Mets-moi le son en pdf", TABLE, resources=[Resource("rire.wav", "audio")])
    said = answering.refusal(draft.language, draft.unplanned)
    assert draft.tasks == []
    assert said.startswith("Ce n’est pas possible ici. No expert")


@pytest.mark.parametrize(
    ("text", "file", "task"),
    [
        ("dürfen wir echte Kerzen nehmen?", "brief.txt", "question-answering"),
        ("on a un labrador, c'est possible de l'emmener ?", "gite.txt", "question-answering"),
        ("¿y cuántos kWh gasté?", "luz.png", "document-question-answering"),
        ("C'est quand, le ramassage des encombrants ?", "affiche.png", "document-question-answering"),
        ("我住2号楼,会停吗?", "tongzhi.txt", "question-answering"),
        ("fasse das bitte zusammen?", "brief.txt", "summarization"),
    ],
)
def test_a_question_without_a_file_is_for_what_is_written_in_hand(text: str, file: str, task: str) -> None:
    draft = draft_plan(text, TABLE, resources=[Resource(file, kind_of(file))])
    assert [one["task"] for one in draft.tasks] == [task]
    assert draft.unplanned == ()


@pytest.mark.parametrize(
    ("request_text", "english"),
    [
        ("a.jpg: Welche Farbe hat die Katze?", "What colour is the cat?"),
        ("De quelle couleur est le chien sur a.jpg ?", "What colour is the dog?"),
        ("¿Dónde está el perro en a.jpg?", "Where is the dog?"),
        ("a.jpg 里的猫是什么颜色？", "What colour is the cat?"),
        ("a.jpg: Welche Rasse ist das denn?", "What does it look like?"),
    ],
)
def test_usual_questions_to_a_picture_have_their_english_below(request_text: str, english: str) -> None:
    (task,) = draft_plan(request_text, TABLE).tasks
    assert task["task"] == "visual-question-answering"
    assert task["args"]["text"].rpartition("\n")[2] == english


def test_where_most_or_fewest_are_is_asked_of_all_pictures() -> None:
    assert question("a.jpg, b.jpg: wo sind die wenigsten Zebras?").operation == "fewest"


@pytest.mark.parametrize(
    "text",
    [
        "Quelles sont les différences entre ces deux contrats ?",
        "Was hat sich im neuen Vertrag geändert?",
        "Compara los dos contratos, por favor",
        "这两份合同有什么不同？",
    ],
)
def test_two_texts_are_compared(text: str) -> None:
    files = [Resource("old.docx", "text"), Resource("new.docx", "text")]
    assert [one["task"] for one in draft_plan(text, TABLE, resources=files).tasks] == ["compare-texts"]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Oma fragt: wann kommt Lukas und was bringt die Mama mit?", "wann kommt Lukas"),
        ("Elternbrief von der Schule. Wann kommt der Bus?", "Wann kommt der Bus"),
        ("Ma fille demande : à quelle heure commence le spectacle ?", "à quelle heure commence"),
    ],
)
def test_what_only_says_who_asks_or_of_what_is_no_request(text: str, asked: str) -> None:
    draft = draft_plan(text, TABLE, resources=[Resource("brief.txt", "text")])
    assert [one["task"] for one in draft.tasks] == ["question-answering"]
    assert draft.tasks[0]["args"]["text"].startswith(asked) and draft.unplanned == ()
