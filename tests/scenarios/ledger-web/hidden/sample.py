"""A small ledger for tests."""

import datetime

from ledger.account import Account
from ledger.book import Book
from ledger.transaction import Transaction

ROWS = (
    ("2024-02-27", 210000, "Salary Mill Ltd", "income"),
    ("2024-03-01", -78000, "Rent March", "rent"),
    ("2024-03-02", -4250, "Market hall", "groceries"),
    ("2024-03-09", -3180, "Bakery Olsen", "groceries"),
    ("2024-03-15", -1990, "Railway", "transport"),
    ("2024-03-27", 210000, "Salary Mill Ltd", "income"),
    ("2024-04-02", -78000, "Rent April", "rent"),
)


def transaction(date, cents, text="Something", category="unsorted"):
    return Transaction(datetime.date.fromisoformat(date), cents, text, category)


def sample_book():
    book = Book(account=Account("Giro", 25000), budgets={"groceries": 10000, "fun": 5000})
    for date, cents, text, category in ROWS:
        book.add(transaction(date, cents, text, category))
    return book
