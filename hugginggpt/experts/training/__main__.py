"""Trains the readers of texts and pages and measures them on what was held out.

    python -m hugginggpt.experts.training [--measure]

The weights are written to data/experts; their digests, which are printed, belong in hugginggpt/experts/weights.py.
With --measure nothing is trained. The same data and libraries give the same weights.
"""

from __future__ import annotations

import argparse
import hashlib

from hugginggpt.common.paths import EXPERTS_DATA
from hugginggpt.experts import logistic, reading, weights
from hugginggpt.experts import pages as page_reader
from hugginggpt.experts.training import pages, texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="measure the weights there are")
    args = parser.parse_args()
    cases = list(texts.cases(texts.DATA.read_text(encoding="utf-8")))
    if not args.measure:
        keep(texts.train([case for case in cases if not case.held_out]), reading.HEAD)
        keep(pages.train(list(pages.cases(pages.SEEN, recognised=False))), page_reader.HEAD)
    print("texts:", texts.figures([case for case in cases if case.held_out]))
    print("pages:", pages.figures(list(pages.cases(pages.HELD_OUT, recognised=True))))


def keep(head: logistic.Logistic, name: str) -> None:
    """Writes a head to data/experts, and lets this process use it."""
    file = EXPERTS_DATA / name
    head.save(file)
    file.chmod(0o644)
    weights.SHA256[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    logistic.load.cache_clear()
    print(name, weights.SHA256[name])


if __name__ == "__main__":
    main()
