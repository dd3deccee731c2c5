"""The plan itself."""

from collections import Counter
from dataclasses import dataclass

from rota.workdays import workdays


class NobodyThere(Exception):
    """Everybody is away on a workday."""


@dataclass(frozen=True)
class Duty:
    """One person on one day."""

    day: object
    name: str


def plan(team, first, last):
    """A duty for each workday: whoever had the fewest so far, by name where that is even."""
    counts = Counter({person.name: 0 for person in team})
    duties = []
    for day in workdays(first, last):
        there = [person.name for person in team if person.is_there(day)]
        if not there:
            raise NobodyThere(f"Nobody is there on {day.isoformat()}.")
        name = min(there, key=lambda one: (counts[one], one))
        counts[name] += 1
        duties.append(Duty(day, name))
    return duties


def tally(duties):
    """How many duties each has."""
    return dict(Counter(duty.name for duty in duties))


def render(duties):
    """The plan as text, a line a day."""
    return "\n".join(f"{duty.day:%a %Y-%m-%d}  {duty.name}" for duty in duties)
