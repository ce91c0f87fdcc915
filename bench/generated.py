"""Documents to measure and to show: generated, the same on every machine, shaped like real ones.

Each function returns a `Document`: a name, the Python value, and the bytes as a file of that kind is
laid out (indented by two or four spaces, spaced on one line, or compact). Decoding the bytes gives
the value. The contents are invented; what follows real documents is what costs time to read and
write: how many containers of what size, how keys repeat, how long strings are and in which script,
how many digits numbers have.

    python bench/generated.py FOLDER     writes the main ones as files

Only `random()`, `choice`, `choices` and `randrange` of a seeded `Random` are used, and arithmetic that
IEEE 754 fixes to the last bit, so that every Python on every machine makes the same bytes.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple


class Document(NamedTuple):
    """A value, and the file that holds it."""

    name: str
    value: Any
    data: bytes


_words = str.split

_LATIN = _words("ka lo mi ter san vel or un di pra ne sto wi han ber cu ra fel mo zi quo lin der ba tre sy")
_LATIN1 = _words("çà né ör ün ñi prà ße stø wî hån bér ôu ré fel mö zí lin dër bà tré ý")
_GREEK = _words("να το μι τερ σαν ή ορ ών δι πρα νέ στο λί χα για при вет мо ро ка зи дё мы шо лин")
_KANA = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん、。アイカキクサシスタテトナノラリルロン"
_HAN = "日月火水木金土山川田人口車門学校生先前後左右上下中大小高新古東西南北春夏秋冬朝夜空海花草森林道店駅町村国語文字本紙音楽歌声色白黒赤青"
_EMOJI = "😀😂🎉🚀🌊🍣🐙🦊🌋🎻🧵🪁"


def _compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _pretty(value: Any, indent: int) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent).encode()


def _spaced(value: Any) -> str:
    # One line, with a space inside each brace and after each comma and colon.
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)}: {_spaced(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_spaced, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _word(r: Random, syllables: list[str] = _LATIN, least: int = 2, most: int = 4) -> str:
    return "".join(r.choices(syllables, k=r.randrange(least, most + 1)))


def _text(r: Random, length: int, syllables: list[str] = _LATIN) -> str:
    words: list[str] = []
    size = -1
    while size < length:
        words.append(_word(r, syllables, 1))
        size += len(words[-1]) + 1
    return " ".join(words)[:length].strip()


def _cjk(r: Random, length: int) -> str:
    return "".join(r.choices(_KANA + _HAN, k=length))


def _hex(r: Random, digits: int) -> str:
    return f"{r.randrange(16**digits):0{digits}x}"


def _date(r: Random) -> str:
    day, hour = r.choice(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")), r.randrange(86400)
    clock = f"{hour // 3600:02}:{hour // 60 % 60:02}:{hour % 60:02}"
    return f"{day} Aug {r.randrange(10, 32)} {clock} +0000 {r.randrange(2009, 2015)}"


def _link(r: Random, start: int) -> dict[str, Any]:
    site = f"{_word(r)}.example.org/{_word(r)}"
    return {
        "url": f"http://s.example/{_hex(r, 10)}",
        "final_page_url": f"http://{site}/{r.randrange(10**6)}",
        "shown_as_url": f"{site[:18]}…",
        "span": [start, start + 22],
    }


def _member(r: Random) -> dict[str, Any]:
    ident, pic = r.randrange(10**8, 3 * 10**9), f"img.example.com/profile_pictures/{r.randrange(10**18)}"
    home = r.random() < 0.1
    japan = r.random() < 0.17
    back = (
        f"{pic}/{_hex(r, 8)}.png"
        if r.random() < 0.5
        else "img.example.com/pictures/themes/theme1/background.png"
    )
    face = f"{pic}/{_hex(r, 8)}_regular.jpeg"
    about = _cjk(r, r.randrange(20, 140)) + (r.choice(_EMOJI) if r.random() < 0.02 else "")
    links = {"url": {"urls": [_link(r, 0)]}} if home else {}
    return {
        "id": ident,
        "id_str": str(ident),
        "name": _cjk(r, r.randrange(3, 14)),
        "handle_name": _word(r, most=5) + str(r.randrange(10**4)),
        "location": _cjk(r, r.randrange(3, 18)) if r.random() < 0.2 else "",
        "introduction": about,
        "url": f"http://s.example/{_hex(r, 10)}" if home else None,
        "entities": links | {"introduction": {"urls": [_link(r, 30)] if r.random() < 0.1 else []}},
        "protected": False,
        "followed_by_nr": r.randrange(2000),
        "following_nr": r.randrange(1500),
        "lists_of_it": r.randrange(40),
        "created_at": _date(r),
        "liked_in_total": r.randrange(9000),
        "utc_offset": 32400 if japan else None,
        "time_zone": "Tokyo" if japan else None,
        "geo_enabled": r.random() < 0.3,
        "verified": False,
        "statuses_nr_now": r.randrange(90000),
        "lang": "ja",
        "several_authors_on": False,
        "is_interpreter": False,
        "is_interpretation_wanted": False,
        "profile_background_hue_0": "C0DEED",
        "profile_background_picture_http": "http://" + back,
        "profile_background_picture_via_https": "https://" + back,
        "profile_background_tiling": r.random() < 0.4,
        "profile_picture_http": "http://" + face,
        "profile_picture_via_https": "https://" + face,
        "profile_ribbon_url": f"https://img.example.com/profile_ribbons/{ident}/{r.randrange(10**9, 2 * 10**9)}",
        "profile_link_hue_0": _hex(r, 6).upper(),
        "profile_sidebar_border_hue": "FFFFFF",
        "profile_sidebar_inside_hue": "DDEEF6",
        "profile_text_hue_0": "333333",
        "profile_has_background_image": True,
        "initial_profile": r.random() < 0.5,
        "initial_profile_image": False,
        "following": False,
        "follow_was_asked_for": False,
        "push_messages": False,
    }


def _status(r: Random, original: dict[str, Any] | None = None) -> dict[str, Any]:
    # The numeric id has been through a double, as in real timelines, so it is not the text's.
    ident = 505_000_000_000_000_000 + r.randrange(9 * 10**14)
    lines = 3 if r.random() < 0.16 else 1
    text = "\n".join(_cjk(r, r.randrange(90, 135) // lines) for _ in range(lines))
    mentions = []
    if original:
        who = original["user"]
        text = f"RT @{who['handle_name']}: {original['text']}"[:140]
        mentions = [{k: who[k] for k in ("handle_name", "name", "id", "id_str")} | {"span": [3, 16]}]
    answer = r.randrange(10**9) if not original and r.random() < 0.12 else None
    client = r.choice(("iPhone", "Android", "the Web"))
    status = {
        "metadata": {"result_type": "recent", "language_in_iso": "ja"},
        "created_at": _date(r),
        "id": ident // 100 * 100,
        "id_str": str(ident),
        "text": text,
        "source": f'<a href="http://example.com/download/{client.split()[-1]}" rel="nofollow">Example for {client}</a>',
        "shortened": False,
        "answer_to_its_status_id": None,
        "answer_to_its_status_id_str": None,
        "answer_to_some_user_id": answer,
        "answer_to_some_user_id_str": str(answer) if answer else None,
        "answer_to_the_handle_name": _word(r) if answer else None,
        "user": _member(r),
        "geo": None,
        "coordinates": None,
        "place": None,
        "collaborators": None,
        "shared_count": r.randrange(300) if original else 0,
        "likes_in_total": r.randrange(9),
        "entities": {
            "hashtags": [{"text": _cjk(r, 5), "span": [100, 106]}] if r.random() < 0.05 else [],
            "symbols": [],
            "urls": [_link(r, 80)] if r.random() < 0.08 else [],
            "user_mentions": mentions,
        },
        "liked_yet": False,
        "reshared": False,
        "lang": "ja",
    }
    return status | {"original_status": original} if original else status


def timeline() -> Document:
    """A search in a social network: Japanese text, users of forty fields, many repeated keys. ~0.6 MB, indented."""
    r = Random(1)
    # What is passed on is passed on by several, so that long texts and whole users occur twice and more.
    originals = [_status(r) for _ in range(30)]
    statuses = [_status(r, r.choice(originals) if r.random() < 0.73 else None) for _ in range(100)]
    meta = {
        "took_seconds": 0.087,
        "max_id": 505874924095815700,
        "max_id_str": "505874924095815681",
        "count": 100,
    }
    value = {"statuses": statuses, "search_metadata": meta}
    return Document("timeline", value, _pretty(value, 2))


_ACTOR_URLS = "following/{other} activity/{privacy} groups url notes/{note_id} watching repos inbox_events starred/{o}/{r}"
_REPO_URLS = (
    "issues/{number} forks watching messages{?since,all,joined} members/{member} pulls/{number} issues/notes/{number} "
    "contents/{+path} keys/{key_id} issues/events/{number} tags/{tag} authors downloads assignees/{user} "
    "statuses/{sha} git/refs/{sha} git/tags/{sha} milestones/{number} teams commits/{sha} {format}/{ref} "
    "labels/{name} events notes/{number} compare/{base}...{head} merges git/blobs/{sha} languages hooks "
    "git/commits/{sha} git/trees/{sha} branches/{branch} subscribers stargazers"
)


def _urls(base: str, paths: str) -> dict[str, str]:
    # "git/refs/{sha}" becomes the key git_refs_url.
    keys = (p.split("{")[0].strip("/").replace("/", "_") or "archive" for p in paths.split())
    return {f"{k}_url": f"{base}/{p}" for k, p in zip(keys, paths.split(), strict=True)}


def _actor(r: Random, full: bool = False) -> dict[str, Any]:
    name, mark = _word(r), _hex(r, 32)
    base = f"https://api.example.com/users/{name}"
    face = f"https://faces.example.com/avatar/{mark}?d=https://static.example.com%2Fimages%2Favatars%2Favatar-user-420.png"
    more = _urls(base, _ACTOR_URLS) | {"type": "User"} if full else {}
    return more | {
        "url": base,
        "login": name,
        "face_url": face,
        "id": r.randrange(3_000_000),
        "face_id": mark,
    }


def _repository(r: Random, stamp: str) -> dict[str, Any]:
    owner, name = _actor(r, True), _word(r)
    path = f"{owner['login']}/{name}"
    flags = {k: r.random() < 0.5 for k in _words("has_wiki private public fork has_issues has_downloads")}
    counts = {
        k: r.randrange(40)
        for k in _words("open_issues_count watchers_count forks open_issues forks_count watchers")
    }
    return {
        **_urls(f"https://api.example.com/repos/{path}", _REPO_URLS),
        **flags,
        **counts,
        "full_name": path,
        "owner": owner,
        "id": r.randrange(8_000_000),
        "mirror_url": None,
        "homepage": None,
        "description": _text(r, r.randrange(20, 90)),
        "html_url": f"https://example.com/{path}",
        "clone_url": f"https://example.com/{path}.git",
        "ssh_url": f"git@example.com:{path}.git",
        "size": r.randrange(30_000),
        "name": name,
        "language": r.choice(("Rust", "Python", "C")),
        "created_at": stamp,
        "pushed_at": stamp,
        "updated_at": stamp,
    }


def _issue(r: Random, stamp: str, body: str) -> dict[str, Any]:
    base = f"https://api.example.com/repos/{_word(r)}/{_word(r)}/issues"
    number = r.randrange(1, 900)
    return {
        "body": body,
        **_urls(f"{base}/{number}", "events labels/{name} notes html"),
        "number": number,
        "title": _text(r, 45),
        "labels": [{"url": f"{base[:-7]}/labels/bug", "name": "bug", "color": "fc2929"}] if body else [],
        "comments": r.randrange(9),
        "milestone": None,
        "assignee": None if body else _actor(r, True),
        "user": _actor(r, True),
        "state": "open",
        "pull_request": {"html_url": None, "diff_url": None, "patch_url": None},
        "created_at": stamp,
        "updated_at": stamp,
        "closed_at": None,
        "id": r.randrange(10_000_000),
    }


def _payload(r: Random, kind: str, stamp: str) -> dict[str, Any]:
    base = f"https://api.example.com/repos/{_word(r)}/{_word(r)}"
    if kind == "Push":
        shas = [_hex(r, 40) for _ in range(r.choice((1, 1, 1, 2)))]
        note = _text(r, r.randrange(15, 120)) + ("\n- é: " + _text(r, 60) if r.random() < 0.2 else "")
        name = _word(r)
        author = {"email": f"{name}@example.com", "name": name}
        commits = [
            {"url": f"{base}/commits/{s}", "distinct": True, "message": note, "author": author, "sha": s}
            for s in shas
        ]
        size = {"size": len(shas), "head": shas[0], "commits": commits, "distinct_size": len(shas)}
        return size | {"push_id": r.randrange(10**9), "ref": "refs/heads/main", "before": _hex(r, 40)}
    if kind == "Watch":
        return {"action": "started"}
    if kind == "Create":
        return {"ref": "main", "ref_type": "branch", "main_branch": "main", "description": _text(r, 30)}
    if kind == "Fork":
        return {"forkee": _repository(r, stamp)}
    if kind == "Wiki":
        page = {"title": "Home", "html_url": f"{base}/wiki/Home", "summary": None, "sha": _hex(r, 40)}
        return {"pages": [page | {"page_name": "Home", "action": "edited"}]}
    lines = "\r\n".join(f"`{_word(r)}/{_word(r)}.rs:{r.randrange(900)}`: {_text(r, 70)}" for _ in range(46))
    issue = _issue(r, stamp, "" if kind == "Issue" else lines)
    reply = {
        "body": _text(r, 300),
        "url": f"{base}/notes/1",
        "created_at": stamp,
        "user": _actor(r, True),
        "id": 12_084_063,
    }
    return {"action": "opened", "issue": issue} | ({"comment": reply} if kind == "Note" else {})


_KINDS = (
    "Push Create Fork Watch Push Note Push Issue Wiki Push Watch Push Create Push Fork Note "
    "Push Watch Push Push Watch Push Wiki Watch Push Fork Push Create Watch Push"
)


def feed() -> Document:
    """Thirty events of a code host: URLs, hashes, a few wide objects. ~60 KB, on one line with spaces."""
    r = Random(2)
    value: list[Any] = []
    for i, kind in enumerate(_words(_KINDS)):
        stamp = f"2013-01-10T07:58:{59 - i}Z"
        name = f"{_word(r)}/{_word(r)}"
        repo = {"url": f"https://api.example.com/repos/{name}", "id": r.randrange(8_000_000), "name": name}
        event: dict[str, Any] = {
            "created_at": stamp,
            "actor": _actor(r),
            "payload": _payload(r, kind, stamp),
            "repo": repo,
        }
        value.append(event | {"id": str(1_652_857_722 - i), "type": f"{kind}Event", "public": True})
    return Document("feed", value, _spaced(value).encode())


def catalogue() -> Document:
    """A season of concerts: maps keyed by numbers, thousands of two-field objects. ~1.7 MB, indented by four."""
    r = Random(3)

    def names(start: int, count: int, length: int) -> dict[str, str]:
        return {
            str(start + i): _text(r, r.randrange(length // 2, length * 3 // 2), _LATIN1) for i in range(count)
        }

    areas, seats, topics = names(205_705_993, 17, 20), names(338_937_235, 64, 13), names(337_184_262, 19, 13)
    events, shows = {}, []
    for i in range(184):
        key = 138_586_341 + 4 * i
        events[str(key)] = {
            "description": None,
            "id": key,
            "logo": f"/images/{_hex(r, 24).upper()}" if r.random() < 0.5 else None,
            "name": _text(r, r.randrange(8, 45), _LATIN1 if r.random() < 0.3 else _LATIN),
            "themeKeys": [int(r.choice(list(topics))) for _ in range(r.randrange(1, 5))],
            "topicCode": None,
            "subtitle": None,
            "themes": [324_846_099, 107_888_604, 324_846_100][: r.randrange(1, 4)],
        }
    for i in range(243):
        chosen = [int(k) for k in r.choices(list(seats), k=r.choice((1, 2, 4, 4, 5, 5, 5)))]
        zones = [[int(k) for k in list(areas)[: r.choice((6, 6, 6, 10, 11, 11, 13, 16))]] for _ in chosen]
        shows.append(
            {
                "event": 138_586_341 + 4 * r.randrange(184),
                "id": 339_887_544 + i,
                "logo": f"/images/{_hex(r, 24).upper()}" if r.random() < 0.44 else None,
                "name": None,
                "prices": [
                    {
                        "cents": r.randrange(100, 1810) * 50,
                        "reducedCategoryIdent": 337_100_890,
                        "seatingClass": s,
                    }
                    for s in chosen
                ],
                "seatingClasses": [
                    {"zones": [{"zoneId": z, "blocks": []} for z in zone], "seatingClass": s}
                    for s, zone in zip(chosen, zones, strict=True)
                ],
                "seatingPlan": None,
                "start": 1_372_701_600_000 + r.randrange(10**4) * 900_000,
                "venue": "HALL_GRANDE",
            }
        )
    value = {
        "zoneNames": areas,
        "reducedCategoryNames": {"337100890": "Réduit"},
        "blockNames": {},
        "events": events,
        "performances": shows,
        "seatingClassNames": seats,
        "themeNames": topics,
        "topicThemes": {
            k: [int(t) for t in list(topics)[:n]]
            for k, n in (("107888604", 2), ("324846098", 1), ("324846099", 11))
        },
        "venueNames": {"HALL_GRANDE": "La grande salle"},
    }
    return Document("catalogue", value, _pretty(value, 4))


def coordinates() -> Document:
    """A coastline as GeoJSON: 111,000 floats, most of 16 or 17 digits. ~2.2 MB, its rings on one line."""
    r = Random(4)
    rings = []
    for size in [14_000] + [r.randrange(15, 180) for _ in range(427)]:
        x, y = -60 - 80 * r.random(), 42 + 40 * r.random()
        points = []
        for _ in range(size):
            x, y = x + (r.random() - 0.5) / 20, y + (r.random() - 0.5) / 30
            # Six places that went through a projection: the last bits of the double are dust. A tenth came through clean.
            dust = 0 if r.random() < 0.1 else r.randrange(-9, 10)
            points.append(f"[{round(x, 6) + dust * 1.42e-14:.17g},{round(y, 6) + dust * 7.1e-15:.17g}]")
        rings.append(f"[{','.join(points)}]")
    head = '{ "type": "FeatureCollection",\r\n  "features": [\r\n{\r\n    "type": "Feature",\r\n"properties": { "name": "Terra" },\r\n'
    text = f'{head}"geometry": {{"type":"Polygon","coordinates":[{",".join(rings)}]}}\r\n}}\r\n]\r\n}}\r\n'
    return Document("coordinates", json.loads(text), text.encode())


def _person(r: Random, ident: int) -> dict[str, Any]:
    first, last = _word(r).title(), _word(r).title()
    tags = [_word(r) for _ in range(r.randrange(3))]
    email = f"{first}.{last}@example.com".lower()
    return {
        "id": ident,
        "name": f"{first} {last}",
        "email": email,
        "age": r.randrange(18, 90),
        "active": r.random() < 0.7,
    } | {
        "score": round(r.random() * 100, 2),
        "born": f"{r.randrange(1940, 2006)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}",
        "tags": tags,
    }


def message() -> Document:
    """One small object, as a service sends thousands a second: ~158 bytes, compact."""
    value = _person(Random(14), 48213)
    return Document("message", value, _compact(value))


def people(n: int = 1000) -> Document:
    """A list of `n` small objects with the same keys, compact."""
    r = Random(6)
    value = [_person(r, i) for i in range(n)]
    return Document("people", value, _compact(value))


def _list(name: str, count: int, item: Callable[[Random], Any]) -> Callable[[], Document]:
    def make() -> Document:
        r = Random(7)
        value = [item(r) for _ in range(count)]
        return Document(name, value, _compact(value))

    return make


def _code(r: Random) -> str:
    # A few lines with quotes and indents: text with an escape every so often, as most that has any.
    lines = (
        f'{" " * 4 * r.randrange(4)}{_word(r)} = "{_word(r)}"  # {_text(r, r.randrange(60))}'
        for _ in range(r.randrange(1, 30))
    )
    return "\n".join(lines)


def _texts(script: str, text: Callable[[Random, int], str]) -> dict[str, Callable[[], Document]]:
    short, long = f"short_{script}", f"long_{script}"
    return {
        short: _list(short, 10_000, lambda r: text(r, r.randrange(3, 20))),
        long: _list(long, 50, lambda r: text(r, r.randrange(1500, 6000))),
    }


MAIN: dict[str, Callable[[], Document]] = {
    "timeline": timeline,
    "feed": feed,
    "catalogue": catalogue,
    "coordinates": coordinates,
    "message": message,
}
"""The documents over which means are taken."""

ALL: dict[str, Callable[[], Document]] = {
    **MAIN,
    "people": people,
    "ints_small": _list("ints_small", 50_000, lambda r: r.randrange(256)),
    "ints_large": _list("ints_large", 12_000, lambda r: r.randrange(-(2**63), 2**64)),
    "floats": _list("floats", 12_000, lambda r: (r.random() - 0.5) * float(f"1e{r.randrange(-8, 9)}")),
    "bools": _list("bools", 50_000, lambda r: r.choice((True, False, None))),
    **_texts("ascii", _text),
    **_texts("latin1", lambda r, n: _text(r, n, _LATIN1)),
    **_texts("greek", lambda r, n: _text(r, n, _GREEK)),
    **_texts("cjk", _cjk),
    **_texts("emoji", lambda r, n: "".join(r.choices(_EMOJI, k=n))),
    **_texts("escapes", lambda r, n: "".join(r.choices('"\\\n\t\r\b\f\x01\x1f/ab', k=n))),
    "code": _list("code", 500, _code),
}
"""Every document by name: the main ones, small objects, numbers, and short and long text by script."""


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MAIN.items():
        (folder / f"{name}.json").write_bytes(make().data)
