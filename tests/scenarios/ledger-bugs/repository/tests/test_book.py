import datetime
import unittest

from ledger.book import Book
from tests.sample import sample_book, transaction


class BookTest(unittest.TestCase):
    def test_transactions_are_in_order(self):
        book = Book()
        book.add(transaction("2024-03-05", 1))
        book.add(transaction("2024-03-01", 2))
        self.assertEqual([t.cents for t in book.transactions], [2, 1])

    def test_a_month(self):
        texts = [t.text for t in sample_book().in_month((2024, 3))]
        self.assertEqual(texts, ["Rent March", "Market hall", "Bakery Olsen", "Railway", "Salary Mill Ltd"])

    def test_balance(self):
        book = sample_book()
        self.assertEqual(book.balance(), 25000 + sum(t.cents for t in book.transactions))
        self.assertEqual(book.balance(until=datetime.date(2024, 2, 29)), 235000)

    def test_known_lines_are_not_added_again(self):
        book = sample_book()
        twice = [transaction("2024-04-03", -350, "Coffee")] * 2
        self.assertEqual(len(book.add_new(twice)), 2)
        self.assertEqual(book.add_new(twice), [])
        self.assertEqual(len(book.add_new([*twice, twice[0]])), 1)

    def test_months(self):
        self.assertEqual(sample_book().months(), [(2024, 2), (2024, 3), (2024, 4)])
        self.assertEqual(Book().months(), [])
