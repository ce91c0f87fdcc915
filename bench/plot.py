"""The plot of `make bench`: bars as SVG, written by hand so that no library is needed.

One panel for decode and one for encode; in each a group for every document and a bar for every library,
as long as the library is fast, with the base (orjson or ormsgpack where it is installed) at one.
"""

from collections.abc import Mapping
from html import escape

COLOURS = {
    "oxwire": "#b3391f",
    "orjson": "#3b6ea5",
    "msgspec": "#5c9a6f",
    "ujson": "#b08d3c",
    "json": "#8a8a8a",
    "ormsgpack": "#3b6ea5",
    "msgpack": "#b08d3c",
    "msgpack.packb": "#8a8a8a",
}
LABELS, PANEL, BAR, GAP, TOP = 110, 420, 13, 12, 70

Speeds = Mapping[str, Mapping[str, float]]
"""Of each document, of each library: how many times as fast as the base."""


def _panel(title: str, speeds: Speeds, left: int, longest: float) -> tuple[list[str], int]:
    # The room for the bar's own label is kept free at the right.
    scale = (PANEL - 60) / longest
    out = [f'<text x="{left}" y="{TOP - 12}" font-weight="bold">{escape(title)}</text>']
    y = TOP
    for document, bars in speeds.items():
        middle = y + BAR * len(bars) / 2 + 4
        out.append(f'<text x="{left - 8}" y="{middle:.0f}" text-anchor="end">{escape(document)}</text>')
        for name, speed in bars.items():
            width = max(speed * scale, 1)
            colour = COLOURS.get(name, "#666")
            out.append(f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{colour}"/>')
            out.append(
                f'<text x="{left + width + 4:.1f}" y="{y + BAR - 4}" font-size="10">{speed:.2f}</text>'
            )
            y += BAR
        y += GAP
    one = left + scale
    out.append(
        f'<line x1="{one:.1f}" x2="{one:.1f}" y1="{TOP - 4}" y2="{y - GAP + 4}" stroke="#222" stroke-dasharray="3 3"/>'
    )
    return out, y


def svg(decode: Speeds, encode: Speeds, base: str, caption: str) -> str:
    """The whole plot. Both panels share one scale."""
    longest = max([1.0, *(s for group in (decode, encode) for bars in group.values() for s in bars.values())])
    one, bottom = _panel("decode", decode, LABELS, longest)
    two, other = _panel("encode", encode, 2 * LABELS + PANEL, longest)
    width, height = 2 * (LABELS + PANEL) + 10, max(bottom, other) + 20
    names = list(dict.fromkeys(n for bars in [*decode.values(), *encode.values()] for n in bars))
    key = []
    for i, name in enumerate(names):
        x = LABELS + 110 * i
        key.append(f'<rect x="{x}" y="28" width="11" height="11" fill="{COLOURS.get(name, "#666")}"/>')
        key.append(f'<text x="{x + 16}" y="38">{escape(name)}</text>')
    head = f"Speed beside {base} (= 1, dashed); longer is faster. {caption}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="#222">',
            '<rect width="100%" height="100%" fill="#fff"/>',
            f'<text x="10" y="18">{escape(head)}</text>',
            *key,
            *one,
            *two,
            "</svg>\n",
        ]
    )
