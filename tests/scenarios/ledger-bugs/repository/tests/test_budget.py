import unittest

from ledger.budget import budget_lines, exceeded
from tests.sample import sample_book, transaction


class BudgetTest(unittest.TestCase):
    def test_what_is_left(self):
        fun, groceries = budget_lines(sample_book(), (2024, 3))
        self.assertEqual((fun.category, fun.spent, fun.left), ("fun", 0, 5000))
        self.assertEqual((groceries.category, groceries.spent, groceries.left), ("groceries", 7430, 2570))

    def test_exceeded(self):
        book = sample_book()
        self.assertEqual(exceeded(book, (2024, 3)), [])
        book.add(transaction("2024-03-20", -2600, "Butcher", "groceries"))
        self.assertEqual([line.category for line in exceeded(book, (2024, 3))], ["groceries"])
