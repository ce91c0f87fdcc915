"""Dates, times, offsets of every time zone library, and durations."""

import datetime as dt
import random
import re
import zoneinfo
from datetime import date, datetime, time, timedelta, timezone, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import duration

from oxwire import EncodeError
from oxwire.json import decode, encode

RFC_3339 = re.compile(r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(\.\d{6})?(Z|[+-][0-2]\d:[0-5]\d)?")


def written(value, **options):
    """The text of a value that is written as a string."""
    return decode(encode(value, **options))


@given(st.datetimes())
def test_naive_datetimes(value):
    assert written(value) == value.isoformat()
    assert RFC_3339.fullmatch(written(value))
    assert written(value.date()) == value.date().isoformat()
    assert written(value.time()) == value.time().isoformat()


@given(st.datetimes(), st.integers(-24 * 60 + 1, 24 * 60 - 1))
def test_offsets_of_whole_minutes(value, minutes):
    aware = value.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert written(aware) == aware.isoformat()
    assert written(aware.timetz()) == aware.timetz().isoformat()
    assert datetime.fromisoformat(written(aware, utc_z=True)) == aware


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (datetime(1, 1, 1), "0001-01-01T00:00:00"),
        (datetime(9999, 12, 31, 23, 59, 59, 999999), "9999-12-31T23:59:59.999999"),
        (datetime(2000, 2, 29, 1, 2, 3, 4), "2000-02-29T01:02:03.000004"),
        (datetime(2000, 1, 1, 0, 0, 0, 100000), "2000-01-01T00:00:00.100000"),
        (datetime(2000, 1, 1, tzinfo=timezone.utc), "2000-01-01T00:00:00+00:00"),
        (datetime(2000, 1, 1, tzinfo=timezone(timedelta(0), "other")), "2000-01-01T00:00:00+00:00"),
        (datetime(2000, 1, 1, tzinfo=timezone(-timedelta(hours=3, minutes=30))), "2000-01-01T00:00:00-03:30"),
        (date(1, 1, 1), "0001-01-01"),
        (date(9999, 12, 31), "9999-12-31"),
        (time(), "00:00:00"),
        (time(23, 59, 59, 999999), "23:59:59.999999"),
        (time(1, 2, tzinfo=timezone.utc), "01:02:00+00:00"),
        (time(1, 2, 3, 4, timezone(timedelta(hours=-5))), "01:02:03.000004-05:00"),
        (datetime(2024, 3, 3, 1, fold=1), "2024-03-03T01:00:00"),
    ],
)
def test_spelling(value, expected):
    assert written(value) == expected
    assert encode({"a": [value]}) == f'{{"a":["{expected}"]}}'.encode()
    assert encode({value: value}) == f'{{"{expected}":"{expected}"}}'.encode()


@pytest.mark.parametrize(
    ("offset", "expected"),
    [
        (timedelta(hours=1, minutes=59, seconds=30), "+02:00"),
        (timedelta(hours=1, minutes=59, seconds=29), "+01:59"),
        (timedelta(hours=1, minutes=59, seconds=59, microseconds=999999), "+02:00"),
        (timedelta(seconds=30), "+00:01"),
        (timedelta(seconds=29), "+00:00"),
        (timedelta(minutes=19, seconds=32), "+00:20"),
        (-timedelta(hours=4, minutes=56, seconds=2), "-04:56"),
        (-timedelta(hours=1, minutes=59, seconds=45), "-02:00"),
        (-timedelta(hours=7, minutes=52, seconds=58), "-07:53"),
    ],
)
def test_odd_offsets_round_to_a_valid_one(offset, expected):
    zone = timezone(offset)
    text = written(datetime(1900, 1, 1, 12, tzinfo=zone))
    assert text == "1900-01-01T12:00:00" + expected
    assert written(time(12, tzinfo=zone)) == "12:00:00" + expected


def test_every_offset_is_valid():
    random.seed(6)
    for _ in range(500):
        zone = timezone(timedelta(seconds=random.randrange(-86399, 86400)))
        text = written(datetime(2000, 1, 1, tzinfo=zone))
        assert RFC_3339.fullmatch(text)
        sign, hours, minutes = text[-6], int(text[-5:-3]), int(text[-2:])
        near = timedelta(hours=hours, minutes=minutes) * (-1 if sign == "-" else 1)
        assert abs(near - zone.utcoffset(None)) <= timedelta(seconds=30)


ZONES = [
    "UTC",
    "Europe/Paris",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
]
ZONES += ["Africa/Casablanca", "America/St_Johns", "Etc/GMT+12"]


def instants():
    """Moments around the changes of several zones, the year through."""
    start = datetime(2023, 1, 1, tzinfo=timezone.utc)
    return [start + timedelta(hours=hours) for hours in range(0, 9000, 409)]


@pytest.mark.parametrize("name", ZONES)
def test_zoneinfo(name):
    try:
        zone = zoneinfo.ZoneInfo(name)
    except zoneinfo.ZoneInfoNotFoundError:
        pytest.skip("this machine has no time zone data")
    for instant in instants():
        local = instant.astimezone(zone)
        assert written(local) == local.isoformat()
    # In the repeated hour the fold says which one it is.
    if name == "Europe/Paris":
        assert written(datetime(2023, 10, 29, 2, 30, tzinfo=zone)) == "2023-10-29T02:30:00+02:00"
        assert written(datetime(2023, 10, 29, 2, 30, tzinfo=zone, fold=1)) == "2023-10-29T02:30:00+01:00"
    # Without a date such a zone has no offset.
    if name != "UTC" and not name.startswith("Etc"):
        assert written(time(12, tzinfo=zone)) == "12:00:00"


@pytest.mark.parametrize("name", ZONES)
def test_dateutil(name):
    tz = pytest.importorskip("dateutil.tz", reason="needs python-dateutil")
    zone = tz.gettz(name)
    if zone is None:
        pytest.skip("this machine has no time zone data")
    for instant in instants():
        local = instant.astimezone(zone)
        assert written(local) == local.isoformat()
    assert written(datetime(2000, 1, 1, tzinfo=tz.tzutc()), utc_z=True) == "2000-01-01T00:00:00Z"
    assert written(datetime(2000, 1, 1, tzinfo=tz.tzoffset(None, 3600))) == "2000-01-01T00:00:00+01:00"


@pytest.mark.parametrize("name", ZONES)
def test_pytz(name):
    pytz = pytest.importorskip("pytz", reason="needs pytz")
    zone = pytz.timezone(name)
    for instant in instants():
        local = instant.astimezone(zone)
        assert written(local) == local.isoformat()
    assert written(datetime(2000, 1, 1, tzinfo=pytz.utc)) == "2000-01-01T00:00:00+00:00"
    assert written(datetime(2000, 1, 1, tzinfo=pytz.FixedOffset(90))) == "2000-01-01T00:00:00+01:30"


def test_pendulum():
    pendulum = pytest.importorskip("pendulum", reason="needs pendulum")
    local = pendulum.datetime(2023, 7, 4, 5, 6, 7, 8, tz="Europe/Paris")
    assert written(local) == "2023-07-04T05:06:07.000008+02:00"
    assert written(pendulum.datetime(2023, 7, 4), utc_z=True) == "2023-07-04T00:00:00Z"
    assert written(pendulum.naive(2023, 7, 4)) == "2023-07-04T00:00:00"
    assert written(pendulum.date(2023, 7, 4)) == "2023-07-04"
    assert written(pendulum.time(1, 2, 3)) == "01:02:03"
    assert written(pendulum.duration(days=1, seconds=2, microseconds=3)) == "P1DT2.000003S"
    assert (
        written(datetime(2023, 1, 2, tzinfo=pendulum.timezone("Asia/Kolkata"))) == "2023-01-02T00:00:00+05:30"
    )


class Fixed(tzinfo):
    """A zone of the user's own."""

    def __init__(self, offset):
        self.offset = offset

    def utcoffset(self, when):
        return self.offset

    def dst(self, when):
        return None

    def tzname(self, when):
        return "fixed"


def test_a_zone_of_one_s_own():
    assert written(datetime(2000, 1, 1, tzinfo=Fixed(timedelta(hours=9)))) == "2000-01-01T00:00:00+09:00"
    assert written(time(1, tzinfo=Fixed(timedelta(hours=-9)))) == "01:00:00-09:00"
    # A zone that does not know is no zone.
    assert written(datetime(2000, 1, 1, tzinfo=Fixed(None))) == "2000-01-01T00:00:00"
    assert (
        written(datetime(2000, 1, 1, tzinfo=Fixed(None)), naive_utc=True, utc_z=True)
        == "2000-01-01T00:00:00Z"
    )


def test_a_moment_that_says_its_offset_itself():
    class Moment(datetime):
        def utcoffset(self):
            return timedelta(hours=2)

    class Clock(time):
        def utcoffset(self):
            return timedelta(hours=3)

    zone = Fixed(timedelta(hours=9))
    assert written(Moment(2000, 1, 1, tzinfo=zone)) == "2000-01-01T00:00:00+02:00"
    assert written(Clock(1, tzinfo=zone)) == "01:00:00+03:00"
    seen = []

    class Asking(Fixed):
        def utcoffset(self, when):
            seen.append(when)
            return self.offset

    moment = datetime(2000, 1, 1, tzinfo=Asking(timedelta(0)))
    assert written(moment) == "2000-01-01T00:00:00+00:00"
    assert written(time(1, tzinfo=Asking(timedelta(0)))) == "01:00:00+00:00"
    assert seen == [moment.replace(tzinfo=moment.tzinfo), None]


@pytest.mark.parametrize("wrong", [5, "x", *(timedelta(days=days) for days in (1, -1, -2))])
def test_a_zone_with_a_wrong_answer(wrong):
    with pytest.raises((TypeError, ValueError)):
        encode([datetime(2000, 1, 1, tzinfo=Fixed(wrong))])
    with pytest.raises((TypeError, ValueError)):
        encode({time(1, tzinfo=Fixed(wrong)): 1})


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_zone_that_raises(kind):
    error = kind("mine")

    class Raising(tzinfo):
        """From some time on every question is an error."""

        armed = False

        def utcoffset(self, when):
            if Raising.armed:
                raise error
            return timedelta(0)

    for value in (datetime(2000, 1, 1, tzinfo=Raising()), time(1, tzinfo=Raising())):
        # A key is hashed, which asks its zone.
        Raising.armed = False
        documents = (value, [value], {"a": value}, {value: 1})
        Raising.armed = True
        for document in documents:
            with pytest.raises(kind) as caught:
                encode(document)
            assert caught.value is error


def test_subclasses():
    class Moment(datetime):
        """A subclass."""

        def isoformat(self, *args):
            return "wrong"

    class Day(date):
        """A subclass."""

    class Clock(time):
        """A subclass."""

    class Span(timedelta):
        """A subclass."""

    assert written(Moment(2000, 1, 2, 3, 4, 5, tzinfo=timezone.utc)) == "2000-01-02T03:04:05+00:00"
    assert written(Day(2000, 1, 2)) == "2000-01-02"
    assert written(Clock(1, 2, 3)) == "01:02:03"
    assert written(Span(1)) == "P1D"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (timedelta(), "P0D"),
        (timedelta(days=1), "P1D"),
        (timedelta(days=400), "P400D"),
        (timedelta(seconds=1), "PT1S"),
        (timedelta(hours=1), "PT3600S"),
        (timedelta(days=1, seconds=2, microseconds=3), "P1DT2.000003S"),
        (timedelta(microseconds=1), "PT0.000001S"),
        (timedelta(seconds=-1), "-PT1S"),
        (timedelta(days=-1), "-P1D"),
        (timedelta(microseconds=-1), "-PT0.000001S"),
        (-timedelta(days=1, seconds=2, microseconds=3), "-P1DT2.000003S"),
        (timedelta(days=-1, seconds=1), "-PT86399S"),
        (timedelta.max, "P999999999DT86399.999999S"),
        (timedelta.min, "-P999999999D"),
    ],
)
def test_durations(value, expected):
    assert written(value) == expected


@given(st.timedeltas())
def test_durations_come_back(value):
    assert duration(written([value])[0]) == value


def test_what_is_no_moment():
    with pytest.raises(EncodeError) as caught:
        encode({"a": timezone.utc})
    assert caught.value.path == "$.a"
    with pytest.raises(EncodeError):
        encode(dt)
