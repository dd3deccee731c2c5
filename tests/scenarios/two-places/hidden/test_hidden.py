import unittest

from parcel.manifest import charge, total
from parcel.quote import quote
from parcel.shipment import Shipment

SMALL = (30, 20, 5)
PRICES = ((1, 450), (999, 450), (1000, 450), (1001, 510), (2000, 510), (2001, 570), (31_500, 390 + 32 * 60))


class ExactKilogramsTest(unittest.TestCase):
    def test_quote(self):
        for weight, price in PRICES:
            self.assertEqual(quote(weight, SMALL, "home"), price, weight)

    def test_manifest(self):
        for weight, price in PRICES:
            self.assertEqual(charge(Shipment("A-1", "Ann", "home", weight, SMALL)), price, weight)

    def test_total(self):
        self.assertEqual(total([Shipment("A-1", "Ann", "home", 3000, SMALL)] * 2), 2 * 570)

    def test_bulky_ones_are_as_before(self):
        self.assertEqual(quote(1000, (50, 40, 30), "home"), 390 + 12 * 60)
