import unittest

from ledger.report import month_report, render
from tests.sample import sample_book


class ReportTest(unittest.TestCase):
    def test_figures(self):
        report = month_report(sample_book(), (2024, 3))
        self.assertEqual((report.income, report.spent, report.saved), (210000, 87420, 122580))
        self.assertEqual(report.categories, (("rent", 78000), ("groceries", 7430), ("transport", 1990)))
        self.assertEqual(report.closing, 357580)

    def test_text(self):
        text = render(month_report(sample_book(), (2024, 3)))
        self.assertIn("income             2100.00", text)
        self.assertIn("  rent              780.00   89 %", text)
        self.assertIn("  groceries   left 25.70", text)

    def test_a_month_without_anything(self):
        text = render(month_report(sample_book(), (2023, 1)))
        self.assertIn("spent                 0.00", text)
        self.assertNotIn("Spending", text)
