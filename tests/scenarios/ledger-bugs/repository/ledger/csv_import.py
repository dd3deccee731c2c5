"""Reads bank statements."""

import csv

from ledger.dates import parse_date
from ledger.errors import BadStatement, LedgerError
from ledger.money import parse_amount
from ledger.rules import category_for
from ledger.transaction import Transaction

_NAMES = {
    "date": ("date", "booking date", "buchungstag", "datum"),
    "text": ("text", "description", "purpose", "verwendungszweck"),
    "amount": ("amount", "betrag", "value"),
}


def read_statement(text):
    """The transactions of a CSV file's text, in its order."""
    lines = text.lstrip("\ufeff").splitlines()
    if not lines:
        raise BadStatement("The statement is empty.")
    rows = csv.reader(lines, delimiter=_delimiter(lines[0]))
    columns = _columns(next(rows))
    found = []
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        found.append(_transaction(row, columns, rows.line_num))
    return found


def _delimiter(header):
    return ";" if header.count(";") >= header.count(",") else ","


def _columns(header):
    """Where date, text and amount are."""
    names = [cell.strip().casefold() for cell in header]
    columns = {}
    for wanted, known in _NAMES.items():
        place = next((names.index(name) for name in known if name in names), None)
        if place is None:
            raise BadStatement(f"The statement has no column for the {wanted}.")
        columns[wanted] = place
    return columns


def _transaction(row, columns, number):
    try:
        date = parse_date(row[columns["date"]])
        cents = parse_amount(row[columns["amount"]])
        text = " ".join(row[columns["text"]].split())
    except IndexError:
        raise BadStatement(f"Line {number} of the statement has too few columns.") from None
    except LedgerError as wrong:
        raise BadStatement(f"Line {number} of the statement: {wrong}") from None
    return Transaction(date, cents, text, category_for(text))
