"""Dates and months."""

import calendar
import datetime
import re

from ledger.errors import BadDate

_MONTH = re.compile(r"(\d{4})-(\d{2})")


def parse_date(text):
    """The date of '2024-03-02' or '02.03.2024'."""
    text = text.strip()
    for pattern in ("%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y"):
        try:
            return datetime.datetime.strptime(text, pattern).date()
        except ValueError:
            continue
    raise BadDate(f"'{text}' is not a date.")


def parse_month(text):
    """(2024, 3) for '2024-03'."""
    found = _MONTH.fullmatch(text.strip())
    if found is None or not 1 <= int(found[2]) <= 12:
        raise BadDate(f"'{text}' is not a month like 2024-03.")
    return int(found[1]), int(found[2])


def format_month(month):
    """'2024-03' for (2024, 3)."""
    return f"{month[0]:04d}-{month[1]:02d}"


def month_of(date):
    """The month that a date lies in."""
    return date.year, date.month


def bounds(month):
    """The first and the last day of a month."""
    year, number = month
    last = calendar.monthrange(year, number)[1]
    return datetime.date(year, number, 1), datetime.date(year, number, last)


def previous(month):
    """The month before."""
    year, number = month
    return (year - 1, 12) if number == 1 else (year, number - 1)


def months_between(first, last):
    """All months from `first` to `last`, both included."""
    months = []
    while last >= first:
        months.append(last)
        last = previous(last)
    return months[::-1]
