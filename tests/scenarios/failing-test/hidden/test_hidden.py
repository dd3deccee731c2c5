import datetime
import unittest

from rota.easter import easter_sunday
from rota.rota import plan
from rota.team import Person
from rota.workdays import is_workday

SUNDAYS = {
    1961: (4, 2), 1999: (4, 4), 2000: (4, 23), 2008: (3, 23), 2011: (4, 24), 2019: (4, 21), 2021: (4, 4),
    2023: (4, 9), 2024: (3, 31), 2025: (4, 20), 2026: (4, 5), 2027: (3, 28), 2028: (4, 16), 2038: (4, 25), 2049: (4, 18),
}


class EasterTest(unittest.TestCase):
    def test_sundays(self):
        for year, (month, day) in SUNDAYS.items():
            self.assertEqual(easter_sunday(year), datetime.date(year, month, day))

    def test_it_is_always_a_sunday_in_its_range(self):
        for year in range(1900, 2200):
            day = easter_sunday(year)
            self.assertEqual(day.weekday(), 6, year)
            self.assertTrue((3, 22) <= (day.month, day.day) <= (4, 25), year)

    def test_whit_monday_and_ascension_follow(self):
        self.assertFalse(is_workday(datetime.date(2025, 6, 9)))
        self.assertFalse(is_workday(datetime.date(2025, 5, 29)))
        self.assertTrue(is_workday(datetime.date(2025, 6, 10)))

    def test_the_plan(self):
        days = [d.day for d in plan([Person("Ann")], datetime.date(2025, 4, 17), datetime.date(2025, 4, 23))]
        self.assertEqual([day.day for day in days], [17, 22, 23])
