"""The monthly report."""

from dataclasses import dataclass

from ledger.budget import budget_lines
from ledger.dates import bounds, format_month
from ledger.money import format_amount, share


@dataclass(frozen=True)
class MonthReport:
    """A month in figures, in cents; `spent` and the categories' sums are positive."""

    month: tuple
    income: int
    spent: int
    categories: tuple  # (name, spent), the largest first
    budgets: tuple
    closing: int  # the balance at the end of the month

    @property
    def saved(self):
        return self.income - self.spent


def month_report(book, month):
    """The figures of one month."""
    transactions = book.in_month(month)
    income = sum(t.cents for t in transactions if t.is_income)
    sums = {}
    for transaction in transactions:
        if not transaction.is_income:
            sums[transaction.category] = sums.get(transaction.category, 0) - transaction.cents
    categories = sorted(sums.items(), key=lambda item: (-item[1], item[0]))
    return MonthReport(
        month=month,
        income=income,
        spent=sum(sums.values()),
        categories=tuple(categories),
        budgets=tuple(budget_lines(book, month)),
        closing=book.balance(until=bounds(month)[1]),
    )


def render(report):
    """The report as text."""
    lines = [
        f"Report for {format_month(report.month)}",
        "",
        f"{'income':<14}{format_amount(report.income):>12}",
        f"{'spent':<14}{format_amount(report.spent):>12}",
        f"{'saved':<14}{format_amount(report.saved):>12}",
        f"{'balance':<14}{format_amount(report.closing):>12}",
    ]
    if report.categories:
        lines += ["", "Spending"]
        for name, cents in report.categories:
            lines.append(f"  {name:<12}{format_amount(cents):>12}{share(cents, report.spent):>5} %")
    if report.budgets:
        lines += ["", "Budgets"]
        for line in report.budgets:
            state = "OVER by" if line.over else "left"
            lines.append(f"  {line.category:<12}{state} {format_amount(abs(line.left))}")
    return "\n".join(lines)
