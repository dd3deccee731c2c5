"""Who is in the team, and who is away when."""

import datetime
from dataclasses import dataclass, field


@dataclass
class Person:
    """`away` holds (first, last) of each absence."""

    name: str
    away: list = field(default_factory=list)

    def is_there(self, day):
        return not any(first <= day <= last for first, last in self.away)

    def takes_off(self, first, last=None):
        """Notes an absence of a day, or up to `last`."""
        if last is not None and last < first:
            raise ValueError("An absence can't end before it begins.")
        self.away.append((first, last or first))


def days_away(person, year):
    """How many calendar days of a year a person is away."""
    start, end = datetime.date(year, 1, 1), datetime.date(year, 12, 31)
    return sum(
        max(0, (min(last, end) - max(first, start)).days + 1)
        for first, last in person.away
    )
