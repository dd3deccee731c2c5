"""Keeps the ledger in a JSON file."""

import json
import os

from ledger.account import Account
from ledger.book import Book
from ledger.errors import BadFile
from ledger.transaction import Transaction

VERSION = 1


def to_json(book):
    """The ledger as JSON values."""
    return {
        "version": VERSION,
        "account": book.account.to_json(),
        "transactions": [t.to_json() for t in book.transactions],
        "budgets": book.budgets,
    }


def from_json(data):
    """The ledger out of JSON values."""
    version = data.get("version")
    if version != VERSION:
        raise BadFile(f"The file has version {version}, this program reads version {VERSION}.")
    book = Book(account=Account.from_json(data["account"]), budgets=dict(data["budgets"]))
    for row in data["transactions"]:
        book.add(Transaction.from_json(row))
    return book


def load(path):
    """Reads the file at `path`."""
    try:
        with open(path, encoding="utf-8") as file:
            return from_json(json.load(file))
    except FileNotFoundError:
        raise BadFile(f"There is no ledger at {path}: run init first.") from None
    except (ValueError, KeyError, TypeError) as wrong:
        raise BadFile(f"{path} is not a ledger: {wrong}.") from None


def save(book, path):
    """Writes the file whole, or leaves the old one."""
    partial = f"{path}.new"
    with open(partial, "w", encoding="utf-8") as file:
        json.dump(to_json(book), file, ensure_ascii=False, indent=1)
    os.replace(partial, path)
