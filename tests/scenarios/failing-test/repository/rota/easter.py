"""Easter Sunday, after which half of the public holidays go."""

import datetime


def easter_sunday(year):
    """Easter Sunday of a year of the Gregorian calendar (the anonymous algorithm)."""
    golden = year % 19
    century, in_century = divmod(year, 100)
    leaps, rest = divmod(century, 4)
    correction = (century + 8) // 25
    moon = (century - correction + 1) // 3
    epact = (19 * golden + century - leaps - moon + 15) % 30
    quads, singles = divmod(in_century, 4)
    weekday = (32 + 2 * rest + 2 * quads - epact + singles) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return datetime.date(year, month, day + 1)
