import unittest

from billing.split import invoice, split


class SplitTest(unittest.TestCase):
    def test_even_split(self):
        self.assertEqual(split(900, 3), [300, 300, 300])

    def test_nobody_to_pay(self):
        with self.assertRaises(ValueError):
            split(900, 0)

    def test_invoice_names_everyone(self):
        self.assertEqual(invoice(500, ["Ann", "Ben"]), ["Ann owes 2.50", "Ben owes 2.50"])


if __name__ == "__main__":
    unittest.main()
