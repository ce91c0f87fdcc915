"""Tables of text, for a terminal and for a file alike, and the mean that stands in them."""

import math
from collections.abc import Sequence


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A table, aligned so that it can be read as text too."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: list[str]) -> str:
        padded = [c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]
    return "\n".join(map(line, [head, rule, *rows])) + "\n"


def geometric_mean(values: Sequence[float]) -> float:
    """The mean of ratios: twice as fast here and half as fast there is one."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan
