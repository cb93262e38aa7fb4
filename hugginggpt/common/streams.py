"""Standard input and output for a protocol: nothing else may then write to the one or read from the other."""

from __future__ import annotations

import os
from typing import BinaryIO


def claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """The standard input and output, for their caller alone.

    From here on what anything else prints (print, a compiled library, a child) goes to the standard error, also what is
    still buffered when the program ends; whoever reads finds nothing.
    """
    streams = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return streams
