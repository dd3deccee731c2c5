"""Public holidays."""

import datetime
from functools import lru_cache

from rota.easter import easter_sunday

# (month, day) of those that are on the same date each year
FIXED = ((1, 1), (5, 1), (10, 3), (12, 25), (12, 26))
# days after Easter Sunday of the others
MOVING = {"Good Friday": -2, "Easter Monday": 1, "Ascension": 39, "Whit Monday": 50}


@lru_cache
def holidays(year):
    """All public holidays of a year."""
    easter = easter_sunday(year)
    moving = {easter + datetime.timedelta(days=days) for days in MOVING.values()}
    return frozenset(moving | {datetime.date(year, month, day) for month, day in FIXED})


def is_holiday(day):
    """True on a public holiday."""
    return day in holidays(day.year)
