"""Calculations as they are written: numbers, the four operations between them, and brackets."""

from __future__ import annotations

import ast
import re
from fractions import Fraction

LONGEST = 120
"""Characters of a calculation."""
_SIGNS = re.compile(r"[0-9. ()+*/-]+")
"""No exponents: a number of a few characters would have millions of digits."""


def calculated(written: str) -> Fraction:
    """The exact value of a calculation. Raises ValueError for anything else."""
    if len(written) > LONGEST:
        raise ValueError("The calculation is too long.")
    if not _SIGNS.fullmatch(written.strip()):
        raise ValueError(f"“{written}” is no calculation.")
    try:
        return _value(ast.parse(written.strip(), mode="eval").body, written.strip())
    except (SyntaxError, ZeroDivisionError) as error:
        raise ValueError(f"“{written}” cannot be calculated.") from error


def _value(node: ast.expr, written: str) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return Fraction(str(ast.get_source_segment(written, node)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, written)
        case ast.BinOp(left=left, op=op, right=right):
            one, other = _value(left, written), _value(right, written)
            match op:
                case ast.Add():
                    return one + other
                case ast.Sub():
                    return one - other
                case ast.Mult():
                    return one * other
                case ast.Div():
                    return one / other
    raise ValueError(f"“{written}” is no calculation.")
