import datetime
import unittest

from parcel.manifest import charge, manifest
from parcel.quote import quote
from parcel.shipment import Shipment

DAY = datetime.date(2024, 5, 6)


def shipment(number="A-1", weight_g=1500, **more):
    return Shipment(number, "Ann Olsen", "eu", weight_g, (30, 20, 5), day=DAY, **more)


class ManifestTest(unittest.TestCase):
    def test_a_day(self):
        other = Shipment("B-1", "Bo", "home", 300, (30, 20, 5), day=datetime.date(2024, 5, 7))
        text = manifest([shipment("A-2", 300), shipment("A-1"), other], DAY)
        self.assertEqual(
            text.splitlines(),
            [
                "Manifest 2024-05-06",
                "-" * 46,
                "A-1  Ann Olsen                1.50       11.10",
                "A-2  Ann Olsen                0.30        9.50",
                "-" * 46,
                "2 parcels                                20.60",
            ],
        )

    def test_the_charge_is_what_was_quoted(self):
        one = shipment(value=10_000)
        self.assertEqual(charge(one), quote(one.weight_g, one.size_cm, one.zone, one.value))
