"""The ledger itself: an account, its transactions, the budgets."""

from dataclasses import dataclass, field

from ledger.account import Account
from ledger.dates import bounds, month_of, months_between


@dataclass
class Book:
    """`budgets` maps categories to what may be spent in a month, in cents."""

    account: Account = field(default_factory=Account)
    transactions: list = field(default_factory=list)
    budgets: dict = field(default_factory=dict)

    def add(self, transaction):
        """Adds a transaction; they are kept in order of their dates."""
        self.transactions.append(transaction)
        self.transactions.sort(key=lambda t: t.date)

    def add_new(self, transactions):
        """Adds those that are not there yet and returns them. Two equal lines of one statement are two purchases."""
        left = list(self.transactions)
        added = []
        for transaction in transactions:
            known = next((t for t in left if t.same_as(transaction)), None)
            if known is not None:
                left.remove(known)
            else:
                added.append(transaction)
        for transaction in added:
            self.add(transaction)
        return added

    def in_month(self, month):
        """The transactions of a month, oldest first."""
        first, last = bounds(month)
        return [t for t in self.transactions if first <= t.date < last]

    def balance(self, until=None):
        """What is on the account, at the end of the day `until` or after everything."""
        counted = [t for t in self.transactions if until is None or t.date <= until]
        return self.account.opening + sum(t.cents for t in counted)

    def months(self):
        """Every month from the first transaction to the last."""
        if not self.transactions:
            return []
        return months_between(month_of(self.transactions[0].date), month_of(self.transactions[-1].date))
