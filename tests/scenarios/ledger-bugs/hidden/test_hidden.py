import unittest

from ledger.book import Book
from ledger.budget import budget_lines, exceeded
from ledger.csv_import import read_statement
from ledger.errors import BadAmount
from ledger.money import parse_amount
from ledger.report import month_report
from hidden_check.sample import transaction


def book_of(*rows):
    book = Book(budgets={"groceries": 10000})
    for row in rows:
        book.add(transaction(*row))
    return book


class MonthTest(unittest.TestCase):
    def test_the_last_day_counts_in_every_month(self):
        for first, last, month in (
            ("2024-03-01", "2024-03-31", (2024, 3)),
            ("2024-04-01", "2024-04-30", (2024, 4)),
            ("2024-02-01", "2024-02-29", (2024, 2)),
            ("2023-12-01", "2023-12-31", (2023, 12)),
        ):
            report = month_report(book_of((first, -100), (last, -250), ("2024-12-01", -1)), month)
            self.assertEqual(report.spent, 350, month)

    def test_the_next_first_day_does_not(self):
        self.assertEqual(month_report(book_of(("2024-04-01", -100)), (2024, 3)).spent, 0)


class AmountTest(unittest.TestCase):
    def test_both_ways_to_write_thousands(self):
        for text, cents in (
            ("1.234,56", 123456),
            ("-1.234,56 €", -123456),
            ("1.234.567,80", 123456780),
            ("1,234.56", 123456),
            ("1,234,567.80", 123456780),
            ("-12,80", -1280),
            ("12.80", 1280),
        ):
            self.assertEqual(parse_amount(text), cents, text)

    def test_nonsense_is_still_refused(self):
        for text in ("", "abc", "--5", "5-"):
            with self.subTest(text), self.assertRaises(BadAmount):
                parse_amount(text)

    def test_in_a_statement(self):
        (only,) = read_statement("Buchungstag;Verwendungszweck;Betrag\n27.03.2024;Salary;2.100,00\n")
        self.assertEqual(only.cents, 210000)


class BudgetTest(unittest.TestCase):
    def test_a_refund_comes_off(self):
        book = book_of(("2024-03-02", -9000, "Market", "groceries"), ("2024-03-05", 3000, "Back", "groceries"))
        (line,) = budget_lines(book, (2024, 3))
        self.assertEqual((line.spent, line.left, line.over), (6000, 4000, False))
        self.assertEqual(exceeded(book, (2024, 3)), [])

    def test_too_much_is_still_too_much(self):
        book = book_of(("2024-03-31", -10001, "Market", "groceries"))
        self.assertEqual(len(exceeded(book, (2024, 3))), 1)
