"""The rows of the operations: what code does to a file exactly as the arguments say, without a model.

Each has a type of its own, called by what it does: a graph reads well ("rotate-image"), and a planner needs no second
choice within a task. What is to be done is one argument, in words as in the request ("90 degrees to the left", "the
first 30 seconds"). Its pattern finds it there for the offline planner; the expert reads it, whoever planned.
"""

from __future__ import annotations

from typing import Any

from hugginggpt.core import document_words as documents
from hugginggpt.core import operation_words as words
from hugginggpt.core import picture_words as pictures
from hugginggpt.core import results
from hugginggpt.core.task_types import Arg, Cue, TaskType


def _operation(
    name: str,
    about: str,
    args: tuple[Arg, ...],
    result: results.ResultSchema,
    answer: str,
    *cues: str,
    sure: str = "",
    in_hand: tuple[Cue, ...] = (),
    **more: Any,
) -> TaskType:
    """The row of an operation; its cues are words for a planner without a learned head, `sure` those that leave no
    doubt.
    """
    known = (*((Cue(sure, sure=True),) if sure else ()), *((Cue.any_of(*cues),) if cues else ()), *in_hand)
    return TaskType(
        name, about, args, result, answer=answer, cues=known, is_exact=True,
        transforms_input=bool(result.makes), is_repeatable=True, **more,
    )  # fmt: skip


_IMAGE, _AUDIO, _VIDEO, _TEXT = Arg("image", "image"), Arg("audio", "audio"), Arg("video", "video"), Arg("text")
_DOCUMENT = Arg("document", "document", about="a PDF file")
_TABLE = Arg("table", "table", about="CSV text, or a file with a table")


def _many(name: str, kind: results.Kind) -> Arg:
    """The argument for files that become one."""
    return Arg(name, kind, many=True)


def _how(name: str, about: str, pattern: str, required: bool = True, takes_all: bool = False) -> Arg:
    """The argument for how an operation is to be done."""
    return Arg(name, required=required, about=about, pattern=pattern, takes_all=takes_all)


OPERATIONS: tuple[TaskType, ...] = (
    _operation(
        "crop-image", "keep a part of a picture",
        (_IMAGE, _how("part", "left half, square, 400x300, the dog", words.CROP)), results.IMAGE,
        "The cropped picture: {}", "crop", sure=rf"{words.CROPPED_TO}|{words.SIDE_LOST}",
    ),
    _operation(
        "resize-image", "make a picture larger or smaller",
        (_IMAGE, _how("size", "50 %, 800 wide, 640x480, under 2 MB", words.SIZE)), results.IMAGE,
        "The picture in its new size: {}", r"resiz\w*", "scale", "shrink",
        sure=rf"{words.TO_BYTES}|{words.ONLY_SIZE}",
    ),
    _operation(
        "rotate-image", "turn a picture",
        (_IMAGE, _how("angle", "90 degrees left", words.ANGLE)), results.IMAGE, "The turned picture: {}", r"rotat\w*",
    ),
    _operation(
        "flip-image", "mirror a picture",
        (_IMAGE, _how("direction", "horizontally or vertically", words.DIRECTION, required=False)), results.IMAGE,
        "The mirrored picture: {}", "flip", "mirror", sure=words.MIRRORED,
    ),
    _operation(
        "adjust-image", "change the light, colours or sharpness of a whole picture, or put a border around it",
        (_IMAGE, _how("change", "greyscale, blur, sharper, 20 % brighter, warmer, a white border, without GPS data",
                      words.CHANGE, takes_all=True)),
        results.IMAGE, "The adjusted picture: {}", r"gr[ae]y ?scale", "black and white",
        sure=rf"{words.CHANGED}|{pictures.FRAMED}|{pictures.WARMED}|{pictures.REQUESTS}.*?{words.STRIPPED}",
    ),
    _operation(
        "convert-image", "save a picture in another format",
        (_IMAGE, _how("format", "png, jpg, webp, avif, gif, bmp, tiff; jpg in quality 80", words.PICTURE_FORMAT,
                      takes_all=True)),
        results.IMAGE, "The picture in the new format: {}", sure=rf"{words.OF_QUALITY}|{words.ONLY_FORMAT}",
    ),
    _operation(
        "redact-image", "hide a part of a picture: faces, a text on it, an object, the background",
        (_IMAGE, Arg("what", about="blur the faces, black out the phone number, pixelate the car")), results.IMAGE,
        "The picture: {}", sure=pictures.HIDDEN, wording="instruction", needs_words=Cue(pictures.REQUESTS),
    ),
    _operation(
        "write-on-image", "write words on a picture",
        (_IMAGE, Arg("text", about="the words"),
         _how("look", "top left, large, red, white on black, semi-transparent", pictures.LETTERING, required=False,
              takes_all=True)),
        results.IMAGE, "The picture with the words: {}", sure=pictures.WRITTEN, wording="inscription",
        needs_words=Cue(pictures.REQUESTS),
    ),
    _operation(
        "read-code", "read the QR code or barcode in a picture", (_IMAGE,), results.ANSWER, "The code in {image}: {}",
        sure=pictures.CODE,
    ),
    _operation(
        "images-to-video", "make a video (slideshow) of pictures, with the sound of a recording or without",
        (_many("images", "image"), _how("each", "3 seconds each", pictures.EACH, required=False),
         Arg("audio", "audio", required=False)),
        results.VIDEO, "The video: {}", sure=pictures.SLIDESHOW, unless_named=("video",),
    ),
    _operation(
        "join-images", "put pictures into one (a collage)",
        (_many("images", "image"), _how("layout", "in a row, in a column, in a grid", words.LAYOUT, required=False)),
        results.IMAGE, "The pictures in one: {}", "collage", sure=words.COLLAGE,
    ),
    _operation(
        "cut-audio", "keep or remove a part of a recording by its times",
        (_AUDIO, _how("part", "first 30 seconds, 0:10 to 0:20, without the last 5 s, no silence", words.PART)),
        results.AUDIO, "The cut recording: {}", r"trim\w*", sure=words.SILENCE_REMOVED,
    ),
    _operation(
        "join-audio", "put recordings one after another",
        (_many("audios", "audio"), _how("gap", "2 seconds between", words.GAP, required=False)), results.AUDIO,
        "The joined recording: {}", "join", "concatenate", sure=rf"{words.JOINED_WITH_GAP}|{words.JOINED}",
    ),
    _operation(
        "convert-audio", "save a recording, or the sound of a video, in a format",
        (_AUDIO, _how("format", "mp3, ogg, flac, wav, m4a; mp3 at 128 kbit/s; wav, 16 kHz", words.SOUND_FORMAT,
                      required=False, takes_all=True)), results.AUDIO,
        "The sound as a file: {}", sure=words.ONLY_SOUND_FORMAT,
    ),
    _operation(
        "adjust-audio", "change the loudness or speed of a recording",
        (_AUDIO, _how("change", "6 dB louder, -16 LUFS, half speed, mono, backwards, fade out, repeat twice",
                      words.SOUND_CHANGE, takes_all=True)),
        results.AUDIO, "The adjusted recording: {}", "louder", "quieter", "slow down", "speed up",
        sure=words.REVERSED,
    ),
    _operation(
        "measure-image", "say how large, bright and sharp a picture is",
        (_IMAGE,), results.ANSWER, "The picture {image}: {}", "how many pixels", "file size",
        measures=("pixels", "width", "height", "bytes", "brightness", "sharpness"),
    ),
    _operation(
        "measure-audio", "say how long and how loud a recording is",
        (_AUDIO,), results.ANSWER, "The recording {audio}: {}", "how long is", "duration",
        measures=("seconds", "loudness", "bytes"),
    ),
    _operation(
        "measure-video", "say how long and large a video is, and whether it has sound",
        (_VIDEO,), results.ANSWER, "The video {video}: {}", "how long is the video", sure=words.HAS_SOUND,
        measures=("seconds", "pixels", "width", "height", "bytes", "sound"),
    ),
    _operation(
        "cut-video", "keep or remove a part of a video by its times",
        (_VIDEO, _how("part", "first 30 seconds, 0:10 to 0:20, without the last 5 s", words.PART)), results.VIDEO,
        "The cut video: {}",
    ),
    _operation(
        "adjust-video", "change the speed, loudness or look of a video, remove its sound, or save it as MP4",
        (_VIDEO, _how("change", "without sound, twice as fast, louder, black and white, as mp4", words.VIDEO_CHANGE,
                      takes_all=True)),
        results.VIDEO, "The adjusted video: {}", "mute", sure=words.OF_VIDEO,
    ),
    _operation(
        "video-frame", "take a still picture from a video",
        (_VIDEO, _how("time", "0:05, last frame, every 5 seconds, 4 stills", words.MOMENT, required=False)),
        results.IMAGE, "From the video {video}: {}", "screenshot", "still", sure=words.STILLS,
    ),
    _operation(
        "video-to-gif", "make an animated GIF of a video",
        (_VIDEO, _how("part", "first 5 seconds", words.PART, required=False),
         _how("look", "15 frames per second, 300 px wide", words.GIF_LOOK, required=False, takes_all=True)),
        results.IMAGE, "The GIF: {}", r"gif\b",
    ),
    _operation(
        "add-sound", "give a video another sound",
        (_VIDEO, _AUDIO), results.VIDEO, "The video with the new sound: {}", sure=words.AS_SOUND,
    ),
    _operation(
        "make-subtitles", "write subtitles with times for a recording or video",
        (_AUDIO, _how("format", "srt or vtt", words.SUBTITLE_FORMAT, required=False)), results.TEXT_FILE,
        "The subtitles of {audio}:\n{}", "subtitles?", r"srt\b", sure=rf"{words.SUBTITLES}|{words.TIMED}",
    ),
    _operation(
        "move-subtitles", "show the subtitles of a file earlier or later",
        (Arg("document", "document", about="an SRT or VTT file"),
         _how("by", "2 seconds later, 0.5 s earlier", words.SUBTITLES_MOVED_BY)), results.DOCUMENT,
        "The subtitles with their new times: {}", sure=words.MOVED_SUBTITLES,
    ),
    _operation(
        "join-pdf", "put documents, tables and pictures of pages into one PDF", (_many("documents", "document"),),
        results.DOCUMENT, "The documents in one PDF: {}",
        sure=rf"{documents.as_file('pdf')}|{documents.AS_ONE}",
    ),
    _operation(
        "images-to-pdf", "make a PDF with a page for each picture", (_many("images", "image"),), results.DOCUMENT,
        "The pictures as a PDF: {}", sure=documents.as_file("pdf"), takes_frames=True,
    ),
    _operation(
        "extract-pages", "take some pages of a PDF, or all but some, as a PDF",
        (_DOCUMENT, _how("pages", "pages 2 to 4, the last page, all but page 1", documents.PAGES)), results.DOCUMENT,
        "These pages of {document} as a PDF: {}", sure=documents.OF_PAGES_AS_PDF,
    ),
    _operation(
        "split-pdf", "split a PDF into several",
        (_DOCUMENT, _how("parts", "each page, after page 3, into 2 parts, every 2 pages", documents.PARTS,
                         required=False)),
        results.DOCUMENT, "The parts of {document}: {}", sure=documents.EACH_PAGE_ALONE,
    ),
    _operation(
        "pdf-to-images", "make pictures of the pages of a PDF",
        (_DOCUMENT, _how("pages", "pages 2 to 4, the last page", documents.PAGES, required=False)), results.IMAGE,
        "The pages of {document} as pictures: {}", sure=documents.PAGES_AS_PICTURES,
    ),
    _operation(
        "image-frames", "take the frames or pages of a GIF, WebP or TIFF picture apart",
        (_IMAGE, _how("frames", "each, every 5th, 3 to 8, the last", documents.FRAMES, required=False)), results.IMAGE,
        "From {image}: {}", sure=documents.FRAMES_AS_PICTURES, takes_frames=True,
    ),
    _operation(
        "page-to-table", "save the lines of a receipt, bill, list or plan in a picture as an Excel or CSV file",
        (_IMAGE, _how("format", "xlsx, csv or tsv", documents.TABLE_FORMAT, required=False)), results.DOCUMENT,
        "The lines of {image} as a table: {}",
        r"(?:receipt|bill|till slip|list|rota)s? (?:as|into|to|in) (?:an? )?(?:excel|spread ?sheet|csv)\w*",
    ),
    _operation(
        "export-table", "save a table, or some rows of it, as a CSV, Excel or PDF file",
        (_TABLE, _how("format", "csv, tsv, xlsx or pdf", documents.TABLE_FORMAT, required=False),
         Arg("rows", required=False, about="which rows or columns: over 100 euros; name and price")),
        results.DOCUMENT, "The table as a file: {}", sure=documents.as_file("xlsx", "csv", "tsv"),
    ),
    _operation(
        "edit-table", "change a table: add, drop or rename columns, sort, keep or remove rows, remove duplicates",
        (_TABLE, Arg("change", about="add a column total = price x pieces; drop the column phone; remove duplicates"),
         _how("format", "csv, tsv, xlsx or pdf", documents.TABLE_FORMAT, required=False)),
        results.DOCUMENT, "The changed table: {}", sure=documents.EDITED_TABLE,
        in_hand=(Cue(documents.TAKEN_OUT, in_hand="table"), Cue(documents.SORTED, in_hand="table", saved=True)),
    ),
    _operation(
        "merge-tables", "put tables together: below one another, or joined by a column",
        (_many("tables", "table"), Arg("how", required=False, about="without duplicates; joined by the column name"),
         _how("format", "csv, tsv, xlsx or pdf", documents.TABLE_FORMAT, required=False)),
        results.DOCUMENT, "The tables as one: {}", sure=documents.MERGED_TABLES,
    ),
    _operation(
        "compare-tables", "say what is in both of two tables, or in one of them only",
        (_many("tables", "table"), Arg("text", about="the question")), results.ANSWER, "Compared: {}",
        sure=documents.COMPARED_TABLES,
    ),
    _operation(
        "plot-table", "draw a bar, line or pie chart of a table's numbers",
        (_TABLE, Arg("chart", about="a bar chart of the spending per category")), results.IMAGE,
        "The chart: {}", sure=documents.CHART,
    ),
    _operation(
        "save-text", "save a text, summary, transcript or answer as a text file, Word document or PDF",
        (_TEXT, _how("format", "txt, md, docx or pdf", documents.TEXT_FORMAT, required=False)), results.DOCUMENT,
        "The text as a file: {}", sure=documents.as_file("txt", "md", "docx"),
    ),
    TaskType(
        "count-words", "count the words of a text", (_TEXT,), results.ANSWER, answer="The text has {}.",
        cues=(Cue.any_of("word count", r"wc\b", "count (?:the|its|all|all the) words", "total number of words",
                         sure=True),),
    ),
    TaskType(
        "calculate", "work out a calculation exactly",
        (Arg("calculation", about="numbers, + - * / and brackets: 0.17 * 240"),), results.ANSWER,
        answer="{calculation} = {}", is_repeatable=True, wording="calculation",
        cues=(Cue(r"(?:calculate|compute) [\d(][\d ().+*/-]{2,80}$"),),
    ),
    TaskType(
        "detect-language", "say in which language a text is", (_TEXT,), results.LABELS, answer="The language: {}.",
        cues=(Cue.any_of("which language", "what language"),),
    ),
    TaskType(
        "compare-texts", "show the lines in which two texts differ",
        (Arg("text1"), Arg("text2"), Arg("topic", required=False, about="what of them is asked about, in words")),
        results.TEXT, answer="{}", wording="pair",
        cues=(Cue.any_of("line by line", r"word (?:for|by) word\b", sure=True),),
    ),
)  # fmt: skip
"""The operations."""
