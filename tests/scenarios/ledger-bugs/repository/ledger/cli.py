"""The command line."""

import argparse
import sys

from ledger import storage
from ledger.account import Account
from ledger.book import Book
from ledger.csv_import import read_statement
from ledger.dates import parse_date, parse_month
from ledger.errors import LedgerError
from ledger.money import format_amount, parse_amount
from ledger.report import month_report, render
from ledger.rules import category_for
from ledger.transaction import Transaction


def main(argv, out=sys.stdout):
    """Runs one command; returns the exit code."""
    args = _parser().parse_args(_shielded(argv))
    try:
        args.command(args, out)
    except LedgerError as wrong:
        print(f"ledger: {wrong}", file=sys.stderr)
        return 1
    return 0


def _shielded(argv):
    """argparse takes '-12.80' for an option; a space before it makes it a value."""
    return [f" {word}" if word[:1] == "-" and word[1:2].isdigit() else word for word in argv]


def _init(args, out):
    book = Book(account=Account(args.name, parse_amount(args.opening)))
    storage.save(book, args.file)
    print(f"{args.file}: {args.name}, {format_amount(book.account.opening)}", file=out)


def _add(args, out):
    book = storage.load(args.file)
    category = args.category or category_for(args.text)
    transaction = Transaction(parse_date(args.date), parse_amount(args.amount), args.text, category)
    book.add(transaction)
    storage.save(book, args.file)
    print(f"{format_amount(transaction.cents)} in {category}", file=out)


def _import(args, out):
    book = storage.load(args.file)
    with open(args.statement, encoding="utf-8") as file:
        found = read_statement(file.read())
    added = book.add_new(found)
    storage.save(book, args.file)
    print(f"{len(added)} added, {len(found) - len(added)} known already", file=out)


def _budget(args, out):
    book = storage.load(args.file)
    book.budgets[args.category] = parse_amount(args.amount)
    storage.save(book, args.file)
    print(f"{args.category}: {format_amount(book.budgets[args.category])} a month", file=out)


def _report(args, out):
    book = storage.load(args.file)
    print(render(month_report(book, parse_month(args.month))), file=out)


def _balance(args, out):
    book = storage.load(args.file)
    print(f"{book.account.name}: {format_amount(book.balance())}", file=out)


def _parser():
    parser = argparse.ArgumentParser(prog="ledger", description="A household ledger.")
    parser.add_argument("--file", default="ledger.json", help="the ledger's file")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    init = commands.add_parser("init", help="start a new ledger")
    init.add_argument("--name", default="main")
    init.add_argument("--opening", default="0")
    init.set_defaults(command=_init)

    add = commands.add_parser("add", help="add a transaction")
    add.add_argument("date")
    add.add_argument("amount")
    add.add_argument("text")
    add.add_argument("--category")
    add.set_defaults(command=_add)

    statement = commands.add_parser("import", help="import a bank statement")
    statement.add_argument("statement")
    statement.set_defaults(command=_import)

    budget = commands.add_parser("budget", help="set a category's monthly budget")
    budget.add_argument("category")
    budget.add_argument("amount")
    budget.set_defaults(command=_budget)

    report = commands.add_parser("report", help="a month in figures")
    report.add_argument("month")
    report.set_defaults(command=_report)

    balance = commands.add_parser("balance", help="what is on the account")
    balance.set_defaults(command=_balance)
    return parser
