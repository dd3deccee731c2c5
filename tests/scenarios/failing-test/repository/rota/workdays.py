"""Days on which somebody has to be there."""

import datetime

from rota.holidays import is_holiday

SATURDAY = 5


def is_workday(day):
    """True from Monday to Friday, but for public holidays."""
    return day.weekday() < SATURDAY and not is_holiday(day)


def workdays(first, last):
    """Every workday from `first` to `last`, both included."""
    days = (last - first).days + 1
    every = (first + datetime.timedelta(days=n) for n in range(days))
    return [day for day in every if is_workday(day)]


def next_workday(day):
    """The first workday after `day`."""
    day += datetime.timedelta(days=1)
    while not is_workday(day):
        day += datetime.timedelta(days=1)
    return day
