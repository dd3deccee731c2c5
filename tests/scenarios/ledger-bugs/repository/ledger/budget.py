"""Budgets: how much of what may be spent is left."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BudgetLine:
    """One category in one month, in cents. `spent` is positive."""

    category: str
    planned: int
    spent: int

    @property
    def left(self):
        return self.planned - self.spent

    @property
    def over(self):
        return self.spent > self.planned


def spent_in(transactions, category):
    """What was spent in a category, less what came back."""
    return sum(abs(t.cents) for t in transactions if t.category == category)


def budget_lines(book, month):
    """A line for each budget, by name."""
    transactions = book.in_month(month)
    return [
        BudgetLine(category, planned, spent_in(transactions, category))
        for category, planned in sorted(book.budgets.items())
    ]


def exceeded(book, month):
    """The lines where more was spent than planned."""
    return [line for line in budget_lines(book, month) if line.over]
