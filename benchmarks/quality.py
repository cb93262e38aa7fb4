"""How right the embedded experts are, on small sets whose truth is known (`benchmarks.quality_sets`).

    python -m benchmarks.quality [NAME ...]

Names are those of the first column. Speech of other languages than English is spoken by espeak-ng, and texts are
translated by Apertium, where these programs are installed; English is spoken by Piper. All of it takes three
to eight minutes, documents and speech most of it.
"""

from __future__ import annotations

import argparse
import math
import re
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from rich.console import Console
from rich.table import Table

from benchmarks import quality_sets as sets
from hugginggpt.common.content_cache import ContentCache
from hugginggpt.common.paths import ROOT
from hugginggpt.core.errors import HuggingGPTError
from hugginggpt.experts import classifier, control, registry, sound_events, upscaling, vision
from hugginggpt.experts.ocr import read_lines
from hugginggpt.experts.remembered import remembering
from hugginggpt.media.decoding import load_audio
from hugginggpt.media.encoding import wav_bytes

EXAMPLES = ROOT / "public" / "examples"
NEAR = 2
"""Pixels by which a drawn edge may be beside the true one."""
Figures = Iterator[tuple[str, str]]
"""What was measured, and the figure."""


def run(expert: str, task: str, **args: Any) -> Any:
    return registry.expert_for(expert, task).run(**args)


def _or_error(call: Callable[[], str]) -> str:
    try:
        return call()
    except HuggingGPTError as error:
        return f"({error})"


def documents(folder: Path) -> Figures:
    """Questions about drawn pages: the answer holds the truth."""
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    with remembering(ContentCache(folder / "cache", 10**8)):
        for number, page in enumerate(sets.pages(folder)):
            kind = "invoices" if number % 2 else "letters"
            for one in page.asked:
                answer = _or_error(
                    lambda p=page, q=one.question: run(
                        "rapidocr-minilm", "document-question-answering", image=p.file, text=q
                    )[0]["answer"]
                )  # type: ignore[misc]
                asked[kind] += 1
                right[kind] += one.answer in answer
    for kind in asked:
        yield f"questions about {asked[kind] // 4} {kind}", f"{right[kind]} of {asked[kind]}"


def tables(folder: Path) -> Figures:
    """Questions about a table of 40 rows: the answer holds the truth as a number or word of its own."""
    csv, asked = sets.table_questions()
    (folder / "sales.csv").write_text(csv)
    right = 0
    for one in asked:
        answer = _or_error(
            lambda q=one.question: run("pandas-tables", "table-question-answering", table=folder / "sales.csv", text=q)[
                "answer"
            ]
        )  # type: ignore[misc]
        is_right = bool(re.search(rf"(?<![\w.]){re.escape(one.answer)}(?![\w]|\.\d)", _short(answer)))
        right += is_right
        if not is_right:
            yield f"wrong: {one.question}", f"{answer[:60]} instead of {one.answer}"
    yield "questions about a table", f"{right} of {len(asked)}"


def _short(answer: str) -> str:
    """An answer whose numbers have neither commas nor zeros at their end."""
    return re.sub(r"(\.\d*?)0+\b", r"\1", answer.replace(",", ""))


def enlarging(folder: Path) -> Figures:
    """Halved examples that are doubled again: decibels above bicubic interpolation."""
    gains = []
    for name in ("a.jpg", "b.jpg", "c.jpg", "e.jpg", "f.jpg", "g.jpg"):
        original = Image.open(EXAMPLES / name).convert("RGB").crop((150, 50, 450, 250))
        half = original.resize((150, 100), Image.Resampling.BICUBIC)
        stretched = half.resize(original.size, Image.Resampling.BICUBIC)
        gains.append(_decibels(upscaling.doubled(half), original) - _decibels(stretched, original))
    yield "PSNR above bicubic, six pictures", f"{min(gains):.1f} to {max(gains):.1f} dB"


def _decibels(one: Image.Image, other: Image.Image) -> float:
    return 10 * math.log10(255**2 / float(np.mean((np.asarray(one, float) - np.asarray(other, float)) ** 2)))


def edges(folder: Path) -> Figures:
    """Outlines of drawn shapes with texture: the mean of the best F-measure of each drawing, by HED and by OpenCV."""
    drawn = list(sets.shapes())
    for name, strength in (("HED", control.edge_probability), ("OpenCV's stand-in", control.edge_strength)):
        best = [
            max(_f_measure(strength(picture) > at, outline) for at in (0.2, 0.35, 0.5, 0.65))
            for picture, outline in drawn
        ]
        yield f"outlines of {len(drawn)} drawings, {name}", f"F {np.mean(best):.2f}"


def _f_measure(found: Any, outline: Any) -> float:
    import cv2

    thin = cv2.ximgproc.thinning(found.astype(np.uint8) * 255) > 0 if hasattr(cv2, "ximgproc") else _thinned(found)
    near = np.ones((2 * NEAR + 1,) * 2, np.uint8)
    precision = (cv2.dilate(outline.astype(np.uint8), near)[thin] > 0).mean() if thin.any() else 0.0
    recall = (cv2.dilate(thin.astype(np.uint8), near)[outline] > 0).mean()
    return float(2 * precision * recall / max(precision + recall, 1e-9))


def _thinned(found: Any) -> Any:
    """The middles of lines, by repeated erosion (a morphological skeleton)."""
    import cv2

    left, cross = found.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
    kept = np.zeros_like(left)
    while left.any():
        opened = cv2.morphologyEx(left, cv2.MORPH_OPEN, cross)
        kept |= left & (1 - opened)
        left = cv2.erode(left, cross)
    return kept > 0


def speech(folder: Path) -> Figures:
    """Word errors: the recordings that come with the project, and five sentences in each language."""
    said = {"jfk.wav": "And so my fellow Americans ask not what your country can do for you ask what you can do for your country",
            "speech.wav": "Marie Curie was born in Warsaw and later worked in Paris Albert Einstein lived in Berlin before he moved to the United States"}  # fmt: skip
    wrong = [
        _word_errors(
            run("whisper-tiny.en", "automatic-speech-recognition", audio=EXAMPLES / name)["generated text"], text
        )
        for name, text in said.items()
    ]
    yield "tiny.en, two recordings", _percent(np.mean(wrong))
    for language, sentences in sets.SENTENCES.items():
        voice = "Piper" if language == "en" else "espeak-ng"
        if (file := _spoken(language, sentences, folder)) is None:
            yield f"{language} by {voice}", "espeak-ng is not installed"
            continue
        model = "whisper-tiny.en" if language == "en" else "whisper-base"
        heard = _or_error(lambda m=model, f=file: run(m, "automatic-speech-recognition", audio=f)["generated text"])  # type: ignore[misc]
        figure = heard if heard.startswith("(") else _percent(_word_errors(heard, " ".join(sentences)))
        yield f"{language} by {voice}, {model}", figure


def speech_translation(folder: Path) -> Figures:
    """The five sentences of each language, spoken by espeak-ng, as chrF of the English that is heard."""
    wanted = " ".join(sets.SENTENCES["en"])
    for language, sentences in sets.SENTENCES.items():
        if language == "en" or (file := _spoken(language, sentences, folder)) is None:
            continue
        made = _or_error(lambda f=file: run("whisper-base", "speech-translation", audio=f)["generated text"])  # type: ignore[misc]
        yield f"{language} to English", made if made.startswith("(") else f"chrF {100 * _chrf(made, wanted):.0f}"


def _spoken(language: str, sentences: tuple[str, ...], folder: Path) -> Path | None:
    file = folder / f"{language}.wav"
    if language == "en":
        file.write_bytes(run("piper-joe", "text-to-speech", text=" ".join(sentences)))
    elif program := shutil.which("espeak-ng"):
        subprocess.run([program, "-v", language, "-s", "140", "-w", str(file), " ".join(sentences)], check=True)
    return file if file.exists() else None


def _word_errors(heard: str, said: str) -> float:
    """Words replaced, left out or added, as a share of those that were said."""
    found, wanted = (re.findall(r"\w+", text.lower()) for text in (heard, said))
    return _distance(found, wanted) / len(wanted)


def _distance(found: Sequence[str], wanted: Sequence[str]) -> int:
    """How many elements are replaced, left out or added (Levenshtein)."""
    row = list(range(len(found) + 1))
    for number, one in enumerate(wanted, 1):
        last, row[0] = row[0], number
        for at, other in enumerate(found, 1):
            last, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, last + (one != other))
    return row[-1]


def sounds(folder: Path) -> Figures:
    """Speech, pause, melody, and speech over the melody: the share of frames that are labelled right."""
    rate = sound_events.RATE
    one, tone = (load_audio(EXAMPLES / name, rate) for name in ("speech.wav", "tone.wav"))
    pause = np.zeros(2 * rate, np.float32)
    both = one[: len(tone)] * 0.8
    both[: len(tone)] += 0.5 * tone[: len(both)]
    parts = [(one, (1, 0)), (pause, (0, 0)), (tone, (0, 1)), (pause, (0, 0)), (both, (1, 1))]
    truth = np.concatenate([np.tile(label, (len(part), 1)) for part, label in parts])[:: sound_events.HOP]
    heard = sound_events.events(np.concatenate([part for part, _ in parts]).astype(np.float32))
    file = folder / "parts.wav"
    file.write_bytes(wav_bytes(np.concatenate([part for part, _ in parts]).astype(np.float32), rate))
    share = run("silero-vad", "audio-classification", audio=file)[0]["score"]
    yield (
        "share of it that Silero VAD takes for speech",
        f"{_percent(share)}, where it is {_percent(truth[:, 0].mean())}",
    )
    for at, kind in enumerate(("speech", "music")):
        times = np.arange(len(truth)) * sound_events.HOP / rate
        found = np.any([(times >= span.start) & (times < span.end) for span in heard[kind]] or [times < 0], 0)
        yield f"frames with {kind} or without", _percent((found == truth[:, at]).mean())


def denoising(folder: Path) -> Figures:
    """Speech with hiss or hum over it, and what is left after the noise is removed, in decibels of speech to noise."""
    rate, file = 48_000, folder / "noisy.wav"
    clean = load_audio(EXAMPLES / "speech.wav", rate)[: 8 * rate]
    times = np.arange(len(clean)) / rate
    noises = {
        "hiss": np.random.default_rng(18).normal(size=len(clean)),
        "hum": np.sign(np.sin(2 * np.pi * 120 * times)),
    }
    for name, noise in noises.items():
        noisy = clean + noise * np.sqrt(np.mean(clean**2) / np.mean(noise**2) / 10**0.5)  # 5 dB below the speech
        file.write_bytes(wav_bytes((0.5 * noisy / np.abs(noisy).max()).astype(np.float32), rate))
        (folder / "quiet.wav").write_bytes(run("deepfilternet3", "audio-to-audio", audio=file))
        before, after = (_clearness(load_audio(folder / one, rate), clean) for one in ("noisy.wav", "quiet.wav"))
        yield f"speech above {name}", f"{before:.1f} dB before, {after:.1f} dB after"


def _clearness(heard: Any, clean: Any) -> float:
    """The scale-invariant ratio of signal to distortion (Le Roux et al., 2019), in decibels."""
    clean = clean[: len(heard)]
    target = clean * (heard @ clean) / (clean @ clean)
    return 10 * math.log10(float(np.sum(target**2) / np.sum((heard - target) ** 2)))


def entities(folder: Path) -> Figures:
    """Names of persons, places, organisations, times and amounts: text and kind are to be right."""
    found, wanted, right = 0, 0, 0
    for text, named in sets.NAMED:
        told = {(row["word"], row["entity_group"]) for row in run("en_core_web_sm", "token-classification", text=text)}
        found, wanted, right = found + len(told), wanted + len(named), right + len(told & set(named))
    yield f"{wanted} names in {len(sets.NAMED)} sentences", f"{right} found with their kind, {found - right} others"


def reading(folder: Path) -> Figures:
    """The lines of drawn pages, read to the letter, and the share of characters that are wrong."""
    exact, count, wrong, chars = 0, 0, 0, 0
    for page in sets.pages(folder, 8):
        read = ["".join("".join(line.text.split()) for line in row) for row in read_lines(page.file)]
        for line in page.lines:
            wanted = "".join(line.split())
            best = min((_distance(one, wanted) for one in read), default=len(wanted))
            exact, count = exact + (best == 0), count + 1
            wrong, chars = wrong + best, chars + len(wanted)
    yield (
        f"{count} lines of eight drawn pages",
        f"{exact} to the letter, {100 * wrong / chars:.1f} % of characters wrong",
    )


def translation(folder: Path) -> Figures:
    """Five sentences between the languages that are installed, as chrF against the translation written by hand."""
    if registry.expert_for("apertium", "translation").missing:
        yield "translation", "Apertium is not installed"
        return
    from hugginggpt.experts.translation import translate

    for source, target in (("en", "es"), ("es", "en"), ("fr", "es"), ("es", "fr")):
        scores = []
        for text, wanted in zip(sets.SENTENCES[source], sets.SENTENCES[target], strict=True):
            made = _or_error(lambda t=text, into=target: translate(t, into)["generated text"])  # type: ignore[misc]
            scores.append(_chrf(made, wanted))
        yield f"{source} to {target}", f"chrF {100 * np.mean(scores):.0f}"


def _chrf(made: str, wanted: str) -> float:
    """The F-measure of n-grams of one to six characters (Popović, 2015), recall weighted twice."""
    precisions, recalls = [], []
    for size in range(1, 7):
        found, true = (
            Counter(text[at : at + size] for at in range(len(text) - size + 1))
            for text in (made.replace(" ", ""), wanted.replace(" ", ""))
        )
        shared = (found & true).total()
        precisions.append(shared / max(found.total(), 1))
        recalls.append(shared / max(true.total(), 1))
    precision, recall = np.mean(precisions), np.mean(recalls)
    return float(5 * precision * recall / max(4 * precision + recall, 1e-9))


def pictures(folder: Path) -> Figures:
    """What the detector is to find in the examples, and whether any of them is taken for unsafe."""
    found = [name for name, label in sets.SHOWN.items()
             if any(row["label"] == label for row in _regions(run("nanodet-coco", "object-detection", image=EXAMPLES / name)))]  # fmt: skip
    yield "objects in the examples", f"{len(found)} of {len(sets.SHOWN)}"
    trials = (ROOT / "tests" / "trials" / "sets").rglob("*.jpg")
    files = [*EXAMPLES.glob("*.jpg"), *EXAMPLES.glob("*.png"), *trials]
    unsafe = [run("open-nsfw", "image-safety", image=file)[1]["score"] for file in files]
    yield (
        f"of {len(files)} ordinary pictures taken for unsafe",
        f"{sum(score >= 0.5 for score in unsafe)} (most: {_percent(max(unsafe))})",
    )


def kinds(folder: Path) -> Figures:
    """What photographs are said to show, by the classifier alone and with the detector: rightly, wrongly, or nothing sure."""
    for about, photographs in (("whose kind it knows", sets.KINDS), ("of other things", sets.OTHER_KINDS)):
        for who, name_of in (("alone", _look), ("with the detector", _best_label)):
            told = Counter[str]()
            for name, wanted in photographs.items():
                called = name_of(sets.photograph(name))
                is_right = wanted and re.search(rf"\b(?:{wanted})\b", called)
                verdict = "rightly" if is_right else "wrongly" if called else "not named"
                told[verdict] += 1
                if verdict == "wrongly":
                    yield f"{who}: {name}", called
            figure = ", ".join(f"{number} {verdict}" for verdict, number in sorted(told.items()))
            yield f"{len(photographs)} photographs {about}, {who}", figure


def _look(file: Path) -> str:
    with Image.open(file) as opened:
        look = classifier.look(classifier.probabilities(opened.convert("RGB")))
    return look.name if look else ""


def _best_label(file: Path) -> str:
    try:
        return str(run("efficientnet-lite0", "image-classification", image=file)[0]["label"])
    except HuggingGPTError:  # it is not sure
        return ""


def people(folder: Path) -> Figures:
    """How well persons are cut out, and where their joints are found."""
    for name, outline in sets.OUTLINES.items():
        with Image.open(EXAMPLES / name) as opened:
            picture = opened.convert("RGB")
        drawn = Image.new("L", picture.size)
        ImageDraw.Draw(drawn).polygon(outline, fill=255)
        mask = run("selfie-segmentation", "image-segmentation", image=EXAMPLES / name)[0]["mask"]
        true, found = np.asarray(drawn) > 0, np.asarray(mask) > 127
        yield f"person in {name}, overlap of the outlines", _percent((true & found).sum() / (true | found).sum())
        joints, points = sets.JOINTS[name], vision.key_points(picture)
        near = math.dist(joints[5], joints[6]) / 4
        right = [at for at, place in joints.items() if math.dist(points[at][:2], place) <= near]
        yield f"joints in {name} within a quarter of the shoulders' distance", f"{len(right)} of {len(joints)}"


def _regions(raw: Any) -> list[dict[str, Any]]:
    return raw if isinstance(raw, list) else raw["predicted"]


def sentiment(folder: Path) -> Figures:
    right = sum(
        max(run("vader", "text-classification", text=text), key=lambda row: row["score"])["label"].upper() == label
        for label, text in sets.OPINIONS
    )
    yield "opinions", f"{right} of {len(sets.OPINIONS)}"


def texts(folder: Path) -> Figures:
    """Answers from texts, topics, closeness of meaning, and languages of short sentences."""
    asked = [(text, question, answer) for text, questions in sets.PASSAGES for question, answer in questions]
    told = [
        _or_error(lambda t=t, q=q: run("sentence-reader", "question-answering", text=q, context=t)["answer"])
        for t, q, _ in asked
    ]  # type: ignore[misc]
    right = [
        answer in found and not found.startswith("I do not find")
        for found, (_, _, answer) in zip(told, asked, strict=True)
    ]
    for (_, question, _), found, is_right in zip(asked, told, right, strict=True):
        if not is_right:
            yield f"wrong: {question}", found[:70]
    yield f"questions to {len(sets.PASSAGES)} texts", f"{sum(right)} of {len(asked)}"
    sorted_right = sum(
        max(
            run("all-MiniLM-L6-v2-labels", "zero-shot-classification", text=text, labels=list(sets.TOPICS)),
            key=lambda row: row["score"],
        )["label"]
        == topic
        for topic, text in sets.ABOUT
    )
    yield f"sentences by {len(sets.TOPICS)} topics", f"{sorted_right} of {len(sets.ABOUT)}"
    near = sum(_similarity(one, same) > _similarity(one, other) for one, same, other in sets.CLOSER)
    yield "pairs that are closer than others", f"{near} of {len(sets.CLOSER)}"
    spoken = [(sets.LANGUAGES[code], text) for code, texts in sets.SENTENCES.items() for text in texts]
    languages = [
        _or_error(lambda t=text: run("py3langid", "detect-language", text=t)[0]["label"])  # type: ignore[misc]
        for _, text in spoken
    ]
    known = [name == told for (name, _), told in zip(spoken, languages, strict=True)]
    refused = sum(told.startswith("(") for told in languages)
    yield "languages of sentences", f"{sum(known)} of {len(spoken)}, {refused} refused"


def _similarity(one: str, other: str) -> float:
    return float(run("all-MiniLM-L6-v2", "sentence-similarity", text1=one, text2=other)[0])


def seeing(folder: Path) -> Figures:
    """Questions about the examples: the answer has the right word."""
    right = 0
    for name, question, word in sets.SEEN:
        told = _or_error(
            lambda n=name, q=question: run("nanodet-coco", "visual-question-answering", image=EXAMPLES / n, text=q)[0][
                "answer"
            ]
        )  # type: ignore[misc]
        is_right = bool(re.search(rf"\b{word}", told, re.IGNORECASE))
        right += is_right
        if not is_right:
            yield f"wrong: {name}: {question}", told[:70]
    yield "questions about the examples", f"{right} of {len(sets.SEEN)}"


def codes(folder: Path) -> Figures:
    """QR codes, upright and turned, in several sizes, on a grey ground."""
    import cv2

    right, count = 0, 0
    for number, (side, angle) in enumerate((side, angle) for side in (90, 180, 360) for angle in (0, 8, 90, 200)):
        text = f"https://example.org/{number}"
        code = Image.fromarray(cv2.QRCodeEncoder.create().encode(text)).convert("L").resize((side, side), 0)
        page = Image.new("L", (640, 480), 170)
        page.paste(Image.new("L", (side + 30, side + 30), 255), (100, 50))
        page.paste(code, (115, 65))
        page.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=170).save(folder / "code.png")
        right += text in str(run("opencv-codes", "read-code", image=folder / "code.png")["answer"])
        count += 1
    yield "QR codes", f"{right} of {count}"


def classes(folder: Path) -> Figures:
    """The classes of every third flower and wine of two tables of scikit-learn, from those of the others."""
    from sklearn.datasets import load_iris, load_wine

    for name, data in (("flowers", load_iris()), ("wines", load_wine())):
        truth = [str(data.target_names[target]) for target in data.target]
        rows = [
            ",".join([*map(str, row), "" if number % 3 == 0 else truth[number]]) for number, row in enumerate(data.data)
        ]
        columns = [f"c{number}" for number in range(data.data.shape[1])]
        (folder / "rows.csv").write_text("\n".join([",".join([*columns, "class"]), *rows]))
        found = run("random-forest", "tabular-classification", table=folder / "rows.csv")
        wanted = truth[::3]
        yield f"classes of {name}", f"{sum(a == b for a, b in zip(found, wanted, strict=True))} of {len(wanted)}"


def _percent(share: Any) -> str:
    return f"{100 * float(share):.0f} %"


SETS: dict[str, Callable[[Path], Figures]] = {
    made.__name__: made for made in (pictures, kinds, people, edges, enlarging, reading, documents, tables, speech, speech_translation, sounds, denoising, translation, sentiment, entities, texts, seeing, codes, classes)
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*SETS, []], help="without any, all")
    names = parser.parse_args().names or SETS
    shown = Table("set", "what", "figure", "s")
    for name in names:
        with TemporaryDirectory() as folder:
            start = time.perf_counter()
            figures = list(SETS[name](Path(folder)))
            seconds = f"{time.perf_counter() - start:.0f}"
        for what, figure in figures:
            shown.add_row(name, what, figure, seconds)
            seconds = ""
    Console(width=150).print(shown)


if __name__ == "__main__":
    main()
