"""Looks for better words of the archive and a better order of modules in it: `WORDS` and `ORDER` of `tools/backend.py`.

    python tools/words.py [SECONDS]     tries for so long (600), and writes what it found into tools/backend.py

One thing is changed at a time, and what makes the archive smaller stays: a word less, a word more, two bytes for each other, some
modules elsewhere. What may surprise: which byte stands for a word matters by a percent, since LZMA foretells a byte by the first three
bits of the one before. Nothing is lost if sources change and nobody looks again: the words only fit less well.
"""

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import backend

ROOT = Path(__file__).resolve().parent.parent
BACKEND = ROOT / "tools/backend.py"


class Search:
    """The best words and order so far."""

    def __init__(self, seconds: float) -> None:
        root = ROOT / "python"
        self.files = backend.archived({str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*.py")})
        self.words = [*backend.WORDS] + [""] * (len(backend.CODES) - len(backend.WORDS))
        self.order = [*backend.ORDER]
        self.end = time.monotonic() + seconds
        self.best = 1 << 30
        self.tried(self.words, self.order)

    def tried(self, words: list[str], order: list[str]) -> int:
        """By how much these are worse than the best; if they are not, they are the best."""
        if time.monotonic() > self.end:
            raise TimeoutError
        backend.WORDS, backend.ORDER = tuple(words), tuple(order)
        text = backend.laid(self.files)
        # By two ways of packing: one alone gains and loses ten bytes by chance.
        more = sum(len(backend.lzma(text, length)) for length in (40, 60)) - self.best
        if more <= 0:
            self.best += more
            self.words, self.order = [*words], [*order]
        return more

    def candidates(self) -> list[str]:
        """What may be a word as well: up to four names, signs and bytes for words in a row, by how much they would save."""
        backend.WORDS, backend.ORDER = tuple(self.words), tuple(self.order)
        text = backend.laid(self.files)
        found = re.findall(r"[A-Za-z_0-9]+|[^\0]", text)
        counts = Counter("".join(found[at : at + n]) for n in range(1, 5) for at in range(len(found)))
        meant = {code: word for code, word in zip(backend.CODES, self.words, strict=True) if word}
        fills = {one.translate(meant): count * (len(one) - 1) for one, count in counts.items() if count > 5}
        return sorted((one for one in fills if fills[one] > 60), key=lambda one: -fills[one])

    def fewer(self) -> list[int]:
        """The places of words, those first that save least."""
        worth = {}
        for at, word in enumerate(self.words):
            if word:
                worth[at] = self.tried([*self.words[:at], "", *self.words[at + 1 :]], self.order)
        return sorted((at for at in worth if self.words[at]), key=lambda at: worth[at])

    def steps(self) -> Iterator[str]:
        """Tries all that there is, again and again."""
        while True:
            least = self.fewer()
            yield "words less"
            for word in self.candidates()[:120]:
                if word not in self.words and random.random() < 0.5:
                    free = [at for at, one in enumerate(self.words) if not one]
                    at = random.choice(free or least[:8])
                    self.tried([*self.words[:at], word, *self.words[at + 1 :]], self.order)
            yield "words more"
            for _ in range(200):
                words = [*self.words]
                at, other = random.sample(range(len(words)), 2)
                words[at], words[other] = words[other], words[at]
                self.tried(words, self.order)
            yield "other bytes"
            for _ in range(60):
                self.tried(self.words, self.moved())
            yield "another order"

    def moved(self) -> list[str]:
        """Some modules elsewhere, but among those that are unpacked with them."""
        stops = [0, *(self.order.index(stop) + 1 for stop in backend.STOPS), len(self.order)]
        first, end = random.choice([*pairwise(stops), (stops[-2], stops[-1])])
        some = self.order[first:end]
        at, count = random.randrange(len(some)), random.choice((1, 1, 2, 3))
        moved = some[at : at + count]
        del some[at : at + count]
        to = random.randrange(len(some) + 1)
        some[to:to] = moved
        # The last of them is where they end.
        fits = end == len(self.order) or some[-1] == self.order[end - 1]
        return [*self.order[:first], *some, *self.order[end:]] if fits else self.order

    def written(self) -> None:
        """Puts what was found into the backend."""
        source = BACKEND.read_text()
        for name, values in ("WORDS", self.words), ("ORDER", self.order):
            lines = [""]
            for value in values:
                spelled = repr(value) if '"' in value or "\\" in value else f'"{repr(value)[1:-1]}"'
                if len(lines[-1]) + len(spelled) > 148:
                    lines.append("")
                lines[-1] += f" {spelled},"
            new = f"{name} = (\n" + "".join(f"   {line}\n" for line in lines) + ")  # fmt: skip\n"
            start = source.index(f"\n{name} = (") + 1
            end = start + re.search(r"\)  # fmt: skip\n", source[start:]).end()
            source = source[:start] + new + source[end:]
        BACKEND.write_text(source)


def main() -> None:
    """Tries for as long as it may."""
    search = Search(float(next(iter(sys.argv[1:]), 600)))
    try:
        for what in search.steps():
            print(what, search.best / 2, flush=True)
            search.written()
    except TimeoutError:
        search.written()
    print(search.best / 2)


if __name__ == "__main__":
    main()
