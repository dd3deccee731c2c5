import unittest

from billing import money


class MoneyTest(unittest.TestCase):
    def test_parse(self):
        self.assertEqual(money.parse("12.50"), 1250)
        self.assertEqual(money.parse("3"), 300)

    def test_parse_refuses_words(self):
        with self.assertRaises(ValueError):
            money.parse("three")

    def test_show(self):
        self.assertEqual(money.show(1205), "12.05")


if __name__ == "__main__":
    unittest.main()
