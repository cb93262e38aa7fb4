"""Trains the readers of texts and pages and measures them on what was held out.

    python -m hugginggpt.experts.training [--measure] [--words]

The weights are written to data/experts; their digests, which are printed, belong in hugginggpt/experts/weights.py.
With --measure nothing is trained. --words is about the head for the words of questions to tables alone, which needs no
torch. The same data and libraries give the same weights.
"""

from __future__ import annotations

import argparse
import hashlib

from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts import joint_reading, logistic, reading, table_fillers, weights
from hugginggpt.experts import opinions as judged
from hugginggpt.experts import page_lines as line_reader
from hugginggpt.experts import pages as page_reader
from hugginggpt.experts.training import joint, opinions, page_lines, pages, table_words, texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="measure the weights there are")
    parser.add_argument("--words", action="store_true", help="only the words of questions to tables")
    args = parser.parse_args()
    words = table_words.every_case()
    if not args.measure:
        keep(table_words.train([case for case in words if not case.held_out]), table_fillers.HEAD)
    print("words of questions to tables:", table_words.figures([case for case in words if case.held_out]))
    if args.words:
        return
    cases, of_pages = texts.every_case(), page_lines.every_case()
    if not args.measure:
        upper, head = texts.train([case for case in cases if not case.held_out])
        joint.save(upper, EXPERTS_DATA / joint_reading.WEIGHTS)
        note(joint_reading.WEIGHTS)
        joint_reading.use(upper)
        keep(head, reading.HEAD)
        keep(pages.train(list(pages.cases(pages.SEEN, recognised=False))), page_reader.HEAD)
        keep(page_lines.train([case for case in of_pages if not case.held_out]), line_reader.HEAD)
        keep(opinions.train(opinions.cases()[0]), judged.HEAD)
    print("texts:", texts.figures([case for case in cases if case.held_out]))
    print("pages:", pages.figures(list(pages.cases(pages.HELD_OUT, recognised=True))))
    print("opinions:", opinions.figures(opinions.cases()[1]))
    print("lines of pages:", page_lines.figures([case for case in of_pages if case.held_out]))


def keep(head: logistic.Logistic, name: str) -> None:
    """Writes a head to data/experts, and lets this process use it."""
    head.save(EXPERTS_DATA / name)
    note(name)
    logistic.load.cache_clear()


def note(name: str) -> None:
    """Prints the digest of a file that was written, and lets this process read it."""
    file = EXPERTS_DATA / name
    file.chmod(0o644)
    weights.SHA256[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    print(name, weights.SHA256[name])


if __name__ == "__main__":
    main()
