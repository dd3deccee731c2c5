import datetime
import unittest

from ledger.dates import bounds, format_month, months_between, parse_date, parse_month, previous
from ledger.errors import BadDate


class DatesTest(unittest.TestCase):
    def test_both_ways_to_write_a_date(self):
        day = datetime.date(2024, 3, 2)
        for text in ("2024-03-02", "02.03.2024", "02.03.24"):
            self.assertEqual(parse_date(text), day)

    def test_no_date(self):
        with self.assertRaises(BadDate):
            parse_date("2024-02-30")

    def test_months(self):
        self.assertEqual(parse_month("2024-03"), (2024, 3))
        self.assertEqual(format_month((2024, 3)), "2024-03")
        self.assertEqual(previous((2024, 1)), (2023, 12))
        self.assertEqual(months_between((2023, 12), (2024, 2)), [(2023, 12), (2024, 1), (2024, 2)])
        with self.assertRaises(BadDate):
            parse_month("2024-13")

    def test_bounds_of_a_leap_february(self):
        self.assertEqual(bounds((2024, 2)), (datetime.date(2024, 2, 1), datetime.date(2024, 2, 29)))
