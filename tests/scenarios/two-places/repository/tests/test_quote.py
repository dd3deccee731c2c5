import unittest

from parcel.quote import quote
from parcel.tariff import TariffError

SMALL = (30, 20, 5)


class QuoteTest(unittest.TestCase):
    def test_started_kilograms_count_whole(self):
        self.assertEqual(quote(300, SMALL, "home"), 450)
        self.assertEqual(quote(1500, SMALL, "eu"), 1110)
        self.assertEqual(quote(2001, SMALL, "home"), 570)

    def test_bulky_parcels_go_by_volume(self):
        self.assertEqual(quote(300, (50, 40, 30), "home"), 390 + 12 * 60)

    def test_insurance(self):
        self.assertEqual(quote(300, SMALL, "home", value=10_000), 600)
        self.assertEqual(quote(300, SMALL, "home", value=60_000), 900)

    def test_what_is_not_taken(self):
        for weight, size, zone in ((0, SMALL, "eu"), (31_501, SMALL, "eu"), (1, (121, 1, 1), "eu"), (1, SMALL, "moon")):
            with self.subTest(zone=zone, weight=weight), self.assertRaises(TariffError):
                quote(weight, size, zone)
