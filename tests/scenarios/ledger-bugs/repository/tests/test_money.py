import unittest

from ledger.errors import BadAmount
from ledger.money import format_amount, parse_amount, share


class ParseAmountTest(unittest.TestCase):
    def test_point_and_comma(self):
        self.assertEqual(parse_amount("12.80"), 1280)
        self.assertEqual(parse_amount("-12,80"), -1280)

    def test_whole_and_short(self):
        self.assertEqual(parse_amount("12"), 1200)
        self.assertEqual(parse_amount("12.8"), 1280)

    def test_thousands(self):
        self.assertEqual(parse_amount("1,234.50"), 123450)

    def test_signs_around(self):
        self.assertEqual(parse_amount(" +3,00 €"), 300)
        self.assertEqual(parse_amount("−3.00 EUR"), -300)

    def test_nonsense(self):
        for text in ("", "abc", "1.234", "--5", "5-"):
            with self.subTest(text), self.assertRaises(BadAmount):
                parse_amount(text)


class FormatAmountTest(unittest.TestCase):
    def test_both_signs(self):
        self.assertEqual(format_amount(1280), "12.80")
        self.assertEqual(format_amount(-5), "-0.05")

    def test_share(self):
        self.assertEqual(share(1, 3), 33)
        self.assertEqual(share(1, 0), 0)
